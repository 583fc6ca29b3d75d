"""The kit: what two pages or more show."""
