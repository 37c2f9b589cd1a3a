"""Five questions, asked before the course (00) and after it (11)."""

from helpers.questions.question import Choice, Question

PRE_TEST = (
    Question(
        "A map of attention holds .50 in row “ate” and column “cat”. What "
        "does the number say?",
        (
            Choice(
                "“cat” takes half of its average from “ate”.",
                "This reads the map the wrong way round. The row is the word "
                "that looks, the column the word that is looked at.",
            ),
            Choice(
                "“ate” takes half of its average from “cat”.",
                "Rows are queries: they look. Columns are keys: they are "
                "looked at. The result belongs to the row's word.",
            ),
            Choice(
                "“ate” and “cat” attend to each other with .50.",
                "This takes the map for symmetric. Row “cat”, column “ate” "
                "is another number, out of another row's softmax.",
            ),
            Choice(
                "Half of the whole map's attention lies on this pair.",
                "This takes the whole map for one budget. Each row has 1.0 "
                "of its own, so nine rows hold 9.0.",
            ),
        ),
        right=1,
        answered_in="00",
    ),
    Question(
        "A layer has d_model = 512 and h = 8. What does one head read of a "
        "word's vector?",
        (
            Choice(
                "Its own 64 of the 512 numbers.",
                "This cuts the input. What is cut is the projected vector: "
                "each head has its own 512 × 64 matrix, which reads all 512 "
                "numbers.",
            ),
            Choice(
                "All 512 numbers, and its queries are 512 wide.",
                "This makes eight copies of full width, about eight times "
                "the work. A head's queries have d_k = 512 / 8 = 64 numbers.",
            ),
            Choice(
                "64 directions at right angles to those of other heads.",
                "Nothing keeps heads apart. Their directions are learned, "
                "and may overlap.",
            ),
            Choice(
                "All 512 numbers, projected to 64.",
                "Each head multiplies the whole vector by its own matrix. "
                "Only the projected vector is narrow: 512 / 8 = 64.",
            ),
        ),
        right=3,
        answered_in="04",
    ),
    Question(
        "d_model stays 512 and h goes from 1 to 16. What does that do to the "
        "cost of the layer?",
        (
            Choice(
                "The matrix products stay equal; softmax work and score "
                "memory grow.",
                "Each head is 16 times narrower, so the products have the "
                "same FLOPs. But there are 16 maps instead of one, and each "
                "score needs memory and an exponential.",
            ),
            Choice(
                "Nothing at all: heads are free.",
                "Only the FLOPs of the matrix products are free of h. There "
                "are 16 maps now, so 16 times the exponentials and the score "
                "memory.",
            ),
            Choice(
                "Everything costs 16 times as much.",
                "That would be 16 heads of full width. Here 16 heads share "
                "the width of one.",
            ),
            Choice(
                "The softmax work stays equal; the matrix products grow.",
                "It is the other way round: the products have the same "
                "FLOPs, and the softmax runs over 16 maps.",
            ),
        ),
        right=0,
        answered_in="05",
    ),
    Question(
        "Grouped-query attention has 8 query heads and 2 key/value heads. "
        "What do 4 query heads share?",
        (
            Choice(
                "One attention map, so 2 maps are left.",
                "A map needs a query, and queries are not shared. All 8 maps "
                "stay, each with a softmax of its own.",
            ),
            Choice(
                "One query; keys and values stay 8.",
                "It is the other way round: 8 queries, and 2 pairs of keys "
                "and values. The keys and values are what a cache must hold.",
            ),
            Choice(
                "One set of keys and values; each keeps its own queries and "
                "map.",
                "K and V are shared, so their cache shrinks four times. "
                "Eight queries still give eight maps.",
            ),
            Choice(
                "The words: each group sees a part of the sentence.",
                "Heads are grouped here, not words. Every head still sees "
                "every word that the mask lets it see.",
            ),
        ),
        right=2,
        answered_in="07",
    ),
    Question(
        "One head must point from “ate” to “cat”, who ate, and to “fish”, "
        "what was eaten. What can its row give?",
        (
            Choice(
                "1.00 to “cat” and 1.00 to “fish”.",
                "This takes the weights for independent switches. A softmax "
                "shares out 1.0 among all keys of the row.",
            ),
            Choice(
                "1.00 to one of them: a softmax picks the largest.",
                "This takes the softmax for a choice of one. Two equal "
                "scores give two equal weights.",
            ),
            Choice(
                "1.00 in all, such as .50 and .50, and one average.",
                "A row sums to 1 and gives one average. Of two nouns at "
                ".50, the average alone does not say which of them ate.",
            ),
            Choice(
                "Nothing sharp: one head is always a blur.",
                "One head can be sharp: “it” → “cat” 1.00 is possible. The "
                "trouble is two different wishes in the same row.",
            ),
        ),
        right=2,
        answered_in="03",
    ),
)
