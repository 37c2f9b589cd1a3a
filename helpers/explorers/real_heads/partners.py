"""Which sentence stands beside which."""


def partner_of(sentences, here):
    """Return the place of the sentence that differs least, or None.

    One with another word in one place; else with the same words in another
    order. Of several, the one next to it: they stand in pairs, 0 and 1, 2
    and 3, …
    """
    own = sentences[here].split()
    for differs in (_in_one_word, _in_order):
        found = [
            number
            for number, text in enumerate(sentences)
            if number != here and differs(own, text.split())
        ]
        if found:
            return min(found, key=lambda n: (n != here ^ 1, n))
    return None


def _in_one_word(own, other):
    return (
        len(own) == len(other)
        and sum(a != b for a, b in zip(own, other, strict=True)) == 1
    )


def _in_order(own, other):
    return sorted(own) == sorted(other)
