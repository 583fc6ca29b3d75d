"""How does German look at English?"""
