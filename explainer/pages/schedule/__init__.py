"""How fast does it learn?"""
