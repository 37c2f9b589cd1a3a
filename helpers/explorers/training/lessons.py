"""What an attempt teaches, judged by what was measured and nothing else."""

from helpers.learn.who_did_what import PLACES

SOLVED, KNOWN, COIN = 0.85, 0.9, 1.15
APART = 0.6  # of two P: one role is favoured, whatever the larger is
SUBJECT, OBJECT = PLACES["subject"], PLACES["object"]
PART = 0.2  # the least weight that counts as a part of a mixture
PLACED = "MLP before, places in V"
MORE = " Two heads do that too: more heads gain nothing here."
LEFT_OUT = {
    "MLP before": " The MLP saw the nouns without their places.",
    "MLP after": " The MLP had next to nothing to tell the two apart by.",
}
VERB = 0  # the first of the two rows that a Run keeps


def verdict(run):
    """Name how a finished run ended, in a word or two.

    "solved": both roles; "learned by heart": both, but only on pairs it has
    seen; "one-sided": one role; "blurred": together no better than a coin;
    "in between": better than that; "not learned": not even who is there.
    """
    subject, object_, _ = run.judged
    if min(subject, object_) >= SOLVED:
        return "solved"
    if min(run.seen[:2]) >= SOLVED:
        return "learned by heart"
    gap = abs(subject - object_)
    if gap >= APART or (max(subject, object_) >= KNOWN and gap >= 0.3):
        return "one-sided"
    if subject + object_ < 0.8:
        return "not learned"
    if subject + object_ <= COIN:
        return "blurred"
    return "in between"


def verb_weights(run):
    """Return ((layer, head, weight on subject, on object), ...).

    Of the row "ate" in the running sentence; layers and heads from 1.
    """
    return tuple(
        (layer, head, rows[VERB][SUBJECT], rows[VERB][OBJECT])
        for layer, heads in enumerate(run.shares[0], 1)
        for head, rows in enumerate(heads, 1)
    )


def lesson(run):
    """Return one sentence, or two: what a finished run teaches."""
    said = {
        "solved": _solved,
        "learned by heart": _by_heart,
        "one-sided": _one_sided,
        "blurred": _blurred,
        "in between": _in_between,
        "not learned": _not_learned,
    }[verdict(run)](run)
    antecedent = run.judged[2]
    if verdict(run) in ("one-sided", "blurred") and antecedent >= KNOWN:
        said += (
            " The antecedent is read in a row of its own, so nothing "
            "competes with it."
        )
    return said


def _two(run, ps=None):
    subject, object_, _ = ps or run.judged
    return f"subject {subject:.2f}, object {object_:.2f}"


def _spent(run):
    rows = verb_weights(run)
    to_subject = max(row[2] for row in rows)
    to_object = max(row[3] for row in rows)
    said = f"{to_subject:.2f} on the subject, {to_object:.2f} on the object"
    return said if len(rows) == 1 else f"at most {said}, of any head"


def _is_mixed(run):
    """Say if there is one row "ate", and both nouns have a part in it."""
    rows = verb_weights(run)
    return len(rows) == 1 and min(rows[0][2:]) >= PART


def _solved(run):
    if run.setting.nouns == 2:
        return _two_nouns(run)
    said = _several(run) if len(verb_weights(run)) > 1 else _one(run)
    if run.new is None:
        said += " But no pair is new here: it may be learned by heart."
    return said


def _two_nouns(run):
    if len(verb_weights(run)) > 1:
        return (
            "Two nouns do not need a second row: the one that is not the "
            "subject is the object. Take three."
        )
    return (
        f"Two nouns, one row, {_spent(run)}: where only two words can be "
        f"meant, the other one is the one with less weight. Take three."
    )


def _one(run):
    if run.setting.variant == PLACED and _is_mixed(run):
        return (
            f"One head wins ({_two(run)}): after the MLP a value knows its "
            f"place, so an average ({_spent(run)}) loses less."
        )
    return (
        f"One head wins ({_two(run)}), with {_spent(run)}: values or MLP "
        f"tell more than the row alone."
    )


def _several(run):
    setting, rows = run.setting, verb_weights(run)
    of_subject = max(rows, key=lambda row: row[2])
    of_object = max(rows, key=lambda row: row[3])
    if setting.h == 1:
        return (
            f"A second layer stands in for a second head ({_two(run)}): "
            f"each layer has a row “ate” of its own."
        )
    more = "" if setting.h == 2 else MORE
    if of_subject[:2] != of_object[:2] and (
        min(of_subject[2], of_object[3]) >= 0.5
    ):
        return (
            f"{_name(of_subject, run)} reads the subject "
            f"({of_subject[2]:.2f}), {_name(of_object, run).lower()} the "
            f"object ({of_object[3]:.2f}): two rows “ate”, two budgets, no "
            f"coin.{more}"
        )
    return (
        f"Solved ({_two(run)}) although no two heads are pure: what is read "
        f"is the pattern over all heads, not one head a relation.{more}"
    )


def _name(row, run):
    layer = f"Layer {row[0]}, head " if len(run.shares[0]) > 1 else "Head "
    return f"{layer}{row[1]}"


def _by_heart(run):
    return (
        f"Right on pairs it was trained on ({_two(run, run.seen)}), less so "
        f"on new ones ({_two(run)}): it learned pairs by heart, not roles."
    )


def _one_sided(run):
    subject, object_, _ = run.judged
    bought, lost = ("subject", "object")
    if object_ > subject:
        bought, lost = lost, bought
    if len(verb_weights(run)) > 1:
        said = (
            f"One-sided ({_two(run)}), though there is more than one row "
            f"“ate”: this training found one role only ({_spent(run)})."
        )
    else:
        said = (
            f"One-sided: the {bought} is bought at the {lost}'s cost "
            f"({_two(run)}; weights {_spent(run)})."
        )
    if run.setting.nouns == 3 and 0.4 <= min(subject, object_) <= 0.6:
        said += " With three nouns two are left for it: a coin again."
    return said


def _blurred(run):
    total = sum(run.judged[:2])
    said = (
        f"Blurred ({_two(run)}): the two P add up to {total:.2f}, as with a "
        f"coin."
    )
    if _is_mixed(run):
        said = (
            f"Blurred: {_spent(run)}. Who is there is known, who did what is "
            f"not: the two P add up to {total:.2f}, as with a coin."
        )
    if sum(run.seen[:2]) > total + 0.3:
        said += f" On pairs it has seen: {_two(run, run.seen)}."
    return said + LEFT_OUT.get(run.setting.variant, "")


def _in_between(run):
    gap = ""
    if run.new is not None and sum(run.seen[:2]) > sum(run.new[:2]) + 0.1:
        gap = (
            f", and better on pairs it has seen ({_two(run, run.seen)}): "
            f"part of it is learned by heart"
        )
    said = f"Better than a coin, but not solved ({_two(run)}){gap}."
    if _is_mixed(run):
        said += (
            f" One row of {_spent(run)} leaves a trace of who is who, and "
            f"it takes more than a sum to read it."
        )
    return said


def _not_learned(run):
    return (
        f"Not learned: after {run.steps} steps not even the two nouns are "
        f"known ({_two(run)}). That says something of the learning rate, "
        f"nothing of heads."
    )
