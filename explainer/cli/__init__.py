"""The command line: `python -m explainer --help`."""
