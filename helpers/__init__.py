"""The shared modules of Why Multi-Head Attention.

Read `attention.py` first: its order is the order of the lessons.
"""
