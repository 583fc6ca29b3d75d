"""How does it look ahead?"""
