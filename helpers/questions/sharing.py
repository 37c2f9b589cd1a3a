"""The questions of notebook 07: shared keys and values."""

from helpers.questions.question import Choice, Question

SHARING = (
    Question(
        "A file says num_attention_heads = 32, num_key_value_groups = 4. "
        "What is n_kv?",
        (
            Choice(
                "4",
                "In this program a group is the query heads that share one "
                "key/value head: 4 of them. n_kv counts the key/value heads.",
            ),
            Choice(
                "8",
                "Here a group is the 4 query heads that share, so there are "
                "32 / 4 = 8 key/value heads.",
            ),
            Choice(
                "128",
                "There are never more key/value heads than query heads: "
                "divide by the group's size, don't multiply.",
            ),
        ),
        right=1,
        answered_in="07",
    ),
    Question(
        "80 layers, h = 64, n_kv = 8, d_k = 128, 2 bytes a number. How much "
        "does one token keep?",
        (
            Choice(
                "160 KiB",
                "That is the keys alone. The cache keeps keys and values: "
                "twice as much.",
            ),
            Choice(
                "2,560 KiB",
                "That counts 64 heads, as multi-head attention would keep. "
                "Only the 8 key/value heads are kept.",
            ),
            Choice(
                "320 KiB",
                "2 for K and V, times 80 layers, 8 heads, 128 numbers and 2 "
                "bytes: 327,680 bytes.",
            ),
        ),
        right=2,
        answered_in="07",
    ),
    Question(
        "n_kv goes from h to h / 4. What stays as it was?",
        (
            Choice(
                "The number of maps, and the FLOPs of the scores",
                "Every query head still compares itself with every key, and "
                "has a softmax of its own.",
            ),
            Choice(
                "The parameters of W_K and W_V",
                "These two matrices make the keys and values of n_kv heads: "
                "they are a quarter of what they were.",
            ),
            Choice(
                "The bytes that a step of decoding reads",
                "The keys and values are most of that in a long text, and "
                "there are four times fewer.",
            ),
        ),
        right=0,
        answered_in="07",
    ),
    Question(
        "Which of these gains least from grouped heads?",
        (
            Choice(
                "Writing the next word after 100,000 words",
                "This reads a large cache for one query a head, so it waits "
                "for memory: a smaller cache helps.",
            ),
            Choice(
                "Reading a prompt of 8,000 words at once",
                "Thousands of queries share each key anyway, so arithmetic "
                "is the limit, and the FLOPs hardly shrink.",
            ),
            Choice(
                "Writing 64 long texts side by side",
                "Each text has a cache of its own, and the weights are read "
                "once for all 64: the caches are what counts.",
            ),
        ),
        right=1,
        answered_in="07",
    ),
)
