"""What happens around attention?"""
