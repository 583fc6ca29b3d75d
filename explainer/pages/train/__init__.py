"""Can I train one now?"""
