"""When does attention appear?"""
