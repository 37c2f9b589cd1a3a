"""Exercise checks: each takes a reader's function and answers in words."""
