"""What must a word not see?"""
