"""Twelve statements to judge: true, false, or "it depends"."""

from helpers.questions.question import Choice, Question

ANSWERS = ("true", "false", "it depends")


def statement(text, answer, answered_in, true, false, depends):
    """Return a statement as a question, with a reason for each answer."""
    reasons = (true, false, depends)
    return Question(
        text,
        tuple(map(Choice, ANSWERS, reasons)),
        ANSWERS.index(answer),
        answered_in,
    )


TWELVE = (
    statement(
        "h heads cost as much as one head.",
        "it depends",
        "05",
        "That holds for FLOPs of matrix products and for parameters. It "
        "takes them for the whole cost.",
        "Something does grow, but not everything: the matrix products have "
        "the same FLOPs for every h.",
        "Say what you count. Products and parameters: equal. Softmax work "
        "and score memory: h times. And the heads must be d_model / h wide.",
    ),
    statement(
        "With d_k = d_model / h, the products' FLOPs are equal for every h.",
        "true",
        "05",
        "h · d_k is d_model, so h is in no product's count: 8 · N · d_model² "
        "+ 4 · N² · d_model, with W_O on both sides.",
        "This often comes from leaving W_O out for the single head, or from "
        "picturing heads of full width.",
        "The condition stands in the sentence: heads of width d_model / h. "
        "Nothing else is left to depend on.",
    ),
    statement(
        "Each head sees its own slice of a word's vector.",
        "false",
        "04",
        "This cuts the input. The split comes after the projection, and "
        "each projection reads all d_model numbers.",
        "Each head multiplies the whole vector by its own matrix. Only the "
        "projected vector is cut.",
        "The paper's formula and the libraries agree here. Slicing the "
        "input first is another, weaker model.",
    ),
    statement(
        "A single head is always a blur.",
        "false",
        "03",
        "This takes one row for all. “it” → “cat” is 1.00 in one head that "
        "splits the row of “ate”.",
        "It can be sharp on one target in each row. It can't give one word "
        "two different weightings.",
        "“Always” is too much, and one counterexample settles it: the row "
        "of “it” is sharp.",
    ),
    statement(
        "More heads make a better model.",
        "it depends",
        "05",
        "In the paper's comparison at equal computation, too many heads "
        "lost quality again.",
        "One head was 0.9 BLEU below the best setting there, so more than "
        "one did help.",
        "From one to some: better. Too many: each is narrow, and the rank of "
        "its scores is at most d_k.",
    ),
    statement(
        "Concatenating heads and multiplying by W_O is a sum over heads.",
        "true",
        "04",
        "Each head meets its own rows of W_O. You computed both, and they "
        "are equal.",
        "It looks like mixing. Write W_O in blocks of d_v rows: the product "
        "is a sum of h products.",
        "It is an identity: it holds for every weight and every h.",
    ),
    statement(
        "The width of a head is d_model / h.",
        "it depends",
        "07",
        "It is so in many models, and in the code that divides. It is a "
        "choice and no law.",
        "It is so in the paper, in Llama 3, and in most of this course.",
        "A convention. Qwen3 0.6B has 16 heads of 128 at a d_model of "
        "1,024, so the division would give 64.",
    ),
    statement(
        "Two heads can carry three relations of one word.",
        "true",
        "03",
        "Each spends ½ and ½; the three roles are corners of a square. "
        "Training found these weights in each of five seeds.",
        "This takes heads for slots, one a relation. More heads leave more "
        "room; they are no slots.",
        "It says “can”. One example is enough, and there are two: by hand "
        "and by training.",
    ),
    statement(
        "Grouped-query attention leaves fewer attention maps.",
        "false",
        "07",
        "This thinks that queries are shared. A map needs a query, and all "
        "h queries stay.",
        "h queries make h maps, each with a softmax of its own. Only keys "
        "and values are fewer.",
        "For no n_kv does a map go away, not even for n_kv = 1.",
    ),
    statement(
        "Grouped-query attention makes the KV cache of Llama 3 8 times "
        "smaller.",
        "it depends",
        "07",
        "That is the 70B alone. 8 is also their n_kv, which is easy to take "
        "for the ratio.",
        "For one of the three sizes it is so: 64 query heads on 8.",
        "The ratio is h / n_kv: 4 for 8B, 8 for 70B, 16 for 405B.",
    ),
    statement(
        "With a KV cache, the work for a whole text grows in proportion to "
        "its length.",
        "false",
        "06",
        "One step is linear in the text so far. The sum of all steps is not.",
        "Twice the text: four times the scores and weighted sums, and eight "
        "times without a cache. Cubic becomes quadratic.",
        "Each new token looks at all before it, in every model of this "
        "course. A window would change that.",
    ),
    statement(
        "Under a causal mask, the row of “it” can't be moved by “hungry”.",
        "true",
        "03",
        "“hungry” comes later, so the mask hides it from “it”. The next "
        "layers do not change that.",
        "The picture with “hungry” and “it” comes from an encoder, which "
        "sees both ways.",
        "More heads or layers do not help: no earlier row ever sees a later "
        "word.",
    ),
)
