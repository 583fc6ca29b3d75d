"""Which strategy is best?"""
