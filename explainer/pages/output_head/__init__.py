"""How does a vector become a word?"""
