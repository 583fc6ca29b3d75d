"""What is the model punished for?"""
