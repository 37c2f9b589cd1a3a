"""The tests; `python -m pytest` runs them all from the root."""
