"""What breaks it?"""
