"""Run folders, and the engine, queue and processes that own them."""
