"""The explanation in one minute and in three, and what must be in it."""

from helpers.questions.card import Card, Point

BUDGET = Point("the budget", "A row of weights sums to 1: one budget a word.")
ONE_WEIGHTING = Point(
    "one weighting",
    "One head gives a word one weighting; two wishes of one word share it.",
)
PROJECTIONS = Point(
    "projections, not slices",
    "Each head projects the whole vector to d_model / h numbers.",
)
ADDED_UP = Point("W_O", "The heads are joined, and W_O adds up their writes.")
COST = Point(
    "the cost",
    "Products: the same FLOPs for every h. Softmax work and score memory: "
    "grow with h.",
)
SHARED = Point(
    "grouped queries",
    "All h queries and maps stay; keys and values are shared; the KV cache "
    "shrinks h / n_kv times.",
)

ONE_MINUTE = Card(
    "Explain to a colleague who programs: why many heads, what do they cost, "
    "and what is grouped-query attention?",
    60,
    (
        "Attention gives each word a weighted average over all words. The "
        "weights of a row are a softmax: they sum to 1, and that is all a "
        "word has to spend. So one head gives each word one weighting. A "
        "verb that wants to know who ate and what was eaten must share it: "
        "split in half, the average can forget who did what.",
        "So take h heads. Each projects the whole vector to d_model / h "
        "numbers, by matrices of its own, and has its own softmax. Their "
        "results are joined, and W_O adds up what they write. The matrix "
        "products cost the same for every h; softmax work and score memory "
        "grow with h.",
        "Grouped-query attention keeps all queries and maps, and lets "
        "neighbours share keys and values: the KV cache shrinks h / n_kv "
        "times.",
    ),
    (BUDGET, ONE_WEIGHTING, PROJECTIONS, ADDED_UP, COST, SHARED),
)

THREE_MINUTES = Card(
    "The same, with evidence and limits: what did you measure, where does it "
    "not hold, and what do the numbers of a real model say?",
    180,
    (
        "A word's query is compared with all keys. The scores are divided "
        "by √d_k, so that the softmax does not start saturated, and each row "
        "of weights sums to 1. The output is one average of the values. If "
        "one word has two wishes, they share the row. Split it in half, and "
        "“cat ate fish” and “fish ate cat” give the same output, if no value "
        "says where its word stands.",
        "We trained one layer: one head against two, at the same parameters "
        "and FLOPs. One head knew who was there and tossed a coin on who did "
        "what; two heads solved it. The limits: relations in different rows "
        "do not compete, two nouns alone can be told apart by their weights, "
        "and a second layer is a way out. Nor is it one head a relation: two "
        "heads carry three, in weights that we built and that training found.",
        "Each head projects the whole vector to d_model / h numbers, so h "
        "cancels in every product. Softmax work, score memory and time do "
        "grow with h. W_O adds up what the heads write. Heads learn what the "
        "loss rewards: a previous-token head and an induction head appear "
        "together. A map says where a head looks; taking the head out says "
        "whether that matters.",
        "When a model writes, each new token reads the cached keys and "
        "values of all others, so it waits for memory. With grouped queries, "
        "neighbours share a key/value head, in the order 0, 0, 1, 1. All "
        "maps stay, and so do the FLOPs of the scores. Llama 3 8B has 32 "
        "layers, 32 query heads, and 8 key/value heads of width 128. Two, "
        "for keys and values, times 32 times 8 times 128 times two bytes: "
        "128 KiB a token, and not 512. That helps decoding, hardly the "
        "reading of a long prompt, where scores are most of the work and "
        "none of them is saved. And time gains less than bytes.",
    ),
    (
        BUDGET,
        ONE_WEIGHTING,
        Point("√d_k", "Scores are divided by √d_k, and why."),
        Point(
            "the measurement",
            "Trained at the same parameters and FLOPs: one head tosses a "
            "coin on who did what, two heads solve it.",
        ),
        Point(
            "the limits",
            "At least one: other rows, two nouns, a second layer, or two "
            "heads with three relations.",
        ),
        PROJECTIONS,
        COST,
        Point(
            "what heads learn",
            "A pair of heads for induction, or another example; a map is no "
            "proof, taking the head out is a test.",
        ),
        SHARED,
        Point(
            "a real number",
            "Llama 3 8B: 128 KiB a token instead of 512, or 70B, or 405B.",
        ),
        Point(
            "what is not saved",
            "Score FLOPs and maps stay; long prompts gain little; time gains "
            "less than bytes.",
        ),
    ),
)
