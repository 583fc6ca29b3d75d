"""What does a Transformer do?"""
