"""Vectors made by others (tests/vectors), and our functions under them."""
