"""How does a word look at the others?"""
