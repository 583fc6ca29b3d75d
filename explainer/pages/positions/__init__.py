"""How does it know the order?"""
