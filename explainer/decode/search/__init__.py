"""Searches that know no model: beam, exact, sampling, their rules and their tree."""
