"""What does the decoder do at prediction time?"""
