"""Why several heads?"""
