"""What is asked after the explanation, and what is often answered."""

from helpers.questions.card import FollowUp

FOLLOW_UPS = (
    FollowUp(
        "grouped-query attention",
        "What is grouped-query attention?",
        "h query heads share n_kv key/value heads, h / n_kv neighbours to "
        "each: query head i reads head i // (h / n_kv). Every query head "
        "keeps its own softmax and map. The KV cache and the projections of "
        "K and V shrink h / n_kv times.",
        "“The heads are merged into groups, so there are fewer maps.”",
        "The word “group” sounds as if queries were shared. Only keys and "
        "values are, and the cache keeps nothing else.",
        "07",
    ),
    FollowUp(
        "what heads learn",
        "What do heads learn?",
        "What the loss rewards. Our two-layer model grew a previous-token "
        "head and an induction head, together. Published: positional and "
        "syntactic heads in encoders. Many heads can be removed, some "
        "because a twin stands in for them.",
        "“Each head has a role, such as subject or object.”",
        "Pictures show the few clear heads, and hand-built ones like ours "
        "have a role by design.",
        "08",
    ),
    FollowUp(
        "is it free?",
        "Are h heads really free?",
        "The FLOPs of the matrix products and the parameters are: h times "
        "d_model / h is d_model. Softmax work and score memory grow with h, "
        "and measured time may. Narrow heads also limit the rank of their "
        "scores to d_k.",
        "“Yes, it is the same computation, cut differently.”",
        "The paper says that the total cost is similar, and a count of "
        "products alone shows nothing else.",
        "05",
    ),
    FollowUp(
        "√d_k",
        "Why √d_k, and why not √d_model?",
        "A dot product of d_k independent numbers of variance 1 has variance "
        "d_k, so √d_k brings scores back to size 1. Each head compares d_k "
        "numbers, not d_model. It is an argument about the start of "
        "training, no guarantee for later.",
        "“√d_model, since that is the width of the vectors.”",
        "With one head both are the same, and no shape or row sum shows the "
        "difference.",
        "02",
    ),
    FollowUp(
        "W_O",
        "What is W_O for?",
        "It takes the heads' outputs, side by side, to one vector of width "
        "d_model. That is a sum: each head's rows of W_O say what it writes. "
        "For one head, W_V and W_O merge into one matrix. For several they "
        "do not: each has its own weights in front.",
        "“It lets the heads talk to each other.”",
        "Mixing sounds like an exchange. But heads do not see each other "
        "before W_O, and W_O only adds.",
        "05",
    ),
    FollowUp(
        "KV-cache arithmetic",
        "How many bytes does one token keep in Llama 3 8B, 70B and 405B?",
        "2 · layers · n_kv · d_k · 2 bytes. 8B: 2 · 32 · 8 · 128 · 2 = 128 "
        "KiB. 70B has 80 layers: 320 KiB. 405B has 126: 504 KiB. With a "
        "key/value head for each query head: 512, 2,560 and 8,064.",
        "“Grouped queries save 8 times”, or half of the right number.",
        "8 is their n_kv, and the ratio h / n_kv of the 70B alone: it is 4, "
        "8 and 16. The half forgets that K and V are two.",
        "07",
    ),
    FollowUp(
        "when it is not faster",
        "When is grouped-query attention not faster?",
        "Where memory does not set the pace: in training and in reading a "
        "prompt, since the FLOPs of scores and weighted sum stay. Also when "
        "code copies K and V to h heads first: then it reads as much as "
        "before.",
        "“Never: it is 4 times smaller, so it is 4 times faster.”",
        "Bytes are only the ceiling of the gain, and only where a step waits "
        "for memory.",
        "07",
    ),
    FollowUp(
        "the width of a head",
        "Must a head be d_model / h wide?",
        "No, that is a convention that keeps the products' FLOPs equal. "
        "Qwen3 0.6B has d_model = 1,024 and 16 heads of 128: 2,048 together. "
        "W_O takes them back to d_model. So read d_k in the model's own "
        "file.",
        "“Yes, or the shapes would not fit.”",
        "Much code computes d_k by that division, and stops with an error if "
        "h does not divide d_model.",
        "07",
    ),
    FollowUp(
        "one big head",
        "Why not one big head of full width?",
        "Width does not help: its row still has one softmax, so one "
        "weighting for each word. Trained at the same parameters and FLOPs, "
        "one head is a coin on who did what, and two heads solve it. It is "
        "enough where one word has one wish, or a layer before helps.",
        "“One head is always blurred.”",
        "The blur is real in a row with two wishes. But “it” → “cat” is 1.00 "
        "with one head: nothing competes there.",
        "03",
    ),
    FollowUp(
        "map and prediction",
        "Does the map explain the prediction?",
        "Not by itself. It says where a head looks. What is moved depends on "
        "the values and W_O, and the residual connection goes past the head. "
        "A row without a use must still spend its 1. Take the head out and "
        "measure.",
        "“Yes: the dark cell is the reason.”",
        "The story fits what we would look at. A plausible story need not be "
        "what the model uses.",
        "08",
    ),
    FollowUp(
        "the mask and “it”",
        "What does a causal mask change about “it”?",
        "“it” sees only itself and the past: “cat” and “fish”, not “hungry”. "
        "So the word that decides is hidden in the row of “it”. A later word "
        "can look back, and “fish” can look at “ate”, but never the other "
        "way.",
        "“Nothing: a good head still finds that the cat was hungry.”",
        "The famous picture comes from an encoder, which sees the whole "
        "sentence.",
        "03",
    ),
    FollowUp(
        "the price of a cache",
        "What does a KV cache cost, and what does it save?",
        "It costs memory: a key and a value for each token, layer and "
        "key/value head. All of it is read for each new token. It saves "
        "computing old rows again: cubic work becomes quadratic, for the "
        "same output. It needs the causal mask.",
        "“It makes generation linear.”",
        "One step becomes linear in the text so far. A whole text is the sum "
        "of its steps.",
        "06",
    ),
    FollowUp(
        "right shapes",
        "All shapes are right. Is the code right?",
        "No. A bare reshape, a wrong merge, √d_model and tiled key/value "
        "heads keep every shape. Compare numbers: loop against batch, "
        "shared against copied heads, with sizes that are all different.",
        "“Yes: a wrong axis would have raised an error.”",
        "Errors are how most mistakes are met. These ones raise none, and "
        "such a model can even train.",
        "04",
    ),
)
