"""Exercise checks: each takes a reader's function and answers in words.

    check_split_heads(f)   f(X, h) -> heads
    check_merge_heads(f)   f(heads) -> concat
    check_multi_head(f)    f(X, W_Q, W_K, W_V, W_O, h, causal=False) -> out

They help to learn. They are no examination and no sandbox: the function
runs with the reader's own rights.
"""

from helpers.checks.heads import check_merge_heads, check_split_heads
from helpers.checks.multi_head import check_multi_head
from helpers.checks.verdict import Verdict

__all__ = [
    "Verdict",
    "check_merge_heads",
    "check_multi_head",
    "check_split_heads",
]
