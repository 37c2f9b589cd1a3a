"""What an attempt teaches, judged by what was measured and nothing else."""

from helpers.learn.who_did_what import PLACES

SOLVED, KNOWN, COIN = 0.85, 0.9, 1.15
SUBJECT, OBJECT = PLACES["subject"], PLACES["object"]
VERB = 0  # the first of the two rows that a Run keeps


def verdict(run):
    """Name how a finished run ended, in a word or two.

    "solved": both roles; "learnt by heart": both, but only on pairs it has
    seen; "one-sided": one role; "blurred": together no better than a coin;
    "in between": better than that; "not learnt": not even who is there.
    """
    subject, object_, _ = run.judged
    if min(subject, object_) >= SOLVED:
        return "solved"
    if min(run.seen[:2]) >= SOLVED:
        return "learnt by heart"
    if max(subject, object_) >= KNOWN and abs(subject - object_) >= 0.3:
        return "one-sided"
    if subject + object_ < 0.8:
        return "not learnt"
    if subject + object_ <= COIN:
        return "blurred"
    return "in between"


def verb_weights(run):
    """Return ((layer, head, weight on subject, on object), ...).

    Of the row "ate" in the running sentence; layers and heads from 1.
    """
    return tuple(
        (layer, head, rows[VERB][SUBJECT], rows[VERB][OBJECT])
        for layer, heads in enumerate(run.weights[0], 1)
        for head, rows in enumerate(heads, 1)
    )


def lesson(run):
    """Return one sentence, or two: what a finished run teaches."""
    said = {
        "solved": _solved,
        "learnt by heart": _by_heart,
        "one-sided": _one_sided,
        "blurred": _blurred,
        "in between": _in_between,
        "not learnt": _not_learnt,
    }[verdict(run)](run)
    antecedent = run.judged[2]
    if verdict(run) in ("one-sided", "blurred") and antecedent >= KNOWN:
        said += (
            " The antecedent is read in a row of its own, so nothing "
            "competes with it."
        )
    return said


def _two(run):
    subject, object_, _ = run.judged
    return f"subject {subject:.2f}, object {object_:.2f}"


def _spent(run):
    _, _, to_subject, to_object = verb_weights(run)[0]
    return f"{to_subject:.2f} on the subject, {to_object:.2f} on the object"


def _solved(run):
    setting, weights = run.setting, verb_weights(run)
    of_subject = max(weights, key=lambda row: row[2])
    of_object = max(weights, key=lambda row: row[3])
    if len(weights) == 1:
        if setting.nouns == 2:
            return (
                f"Two nouns, one row, {_spent(run)}: where only two words "
                f"can be meant, the other one is the one with less weight. "
                f"Take three."
            )
        if "before" in setting.variant:
            return (
                f"One head wins ({_two(run)}): after the MLP a value knows "
                f"its place, so an average ({_spent(run)}) loses less."
            )
        return (
            f"One head wins ({_two(run)}), with {_spent(run)}: its values "
            f"or what follows it tell more than the row alone."
        )
    different = of_subject[:2] != of_object[:2]
    if setting.h == 1:
        return (
            f"A second layer stands in for a second head ({_two(run)}): "
            f"each layer has a row “ate” of its own."
        )
    if different and min(of_subject[2], of_object[3]) >= 0.5:
        return (
            f"{_name(of_subject, run)} reads the subject "
            f"({of_subject[2]:.2f}), {_name(of_object, run).lower()} the "
            f"object ({of_object[3]:.2f}): two rows “ate”, two budgets, no "
            f"coin." + _not_more(setting)
        )
    return (
        f"Solved ({_two(run)}) although no two heads are pure: what is read "
        f"is the pattern over all heads, not one head a relation."
        + _not_more(setting)
    )


def _name(row, run):
    layer = f"Layer {row[0]}, head " if len(run.weights[0]) > 1 else "Head "
    return f"{layer}{row[1]}"


def _not_more(setting):
    if setting.h == 2:
        return ""
    return " Two heads do that too: more heads gain nothing here."


def _by_heart(run):
    return (
        f"Right on pairs it was trained on (subject {run.seen[0]:.2f}, object "
        f"{run.seen[1]:.2f}), less so on new ones ({_two(run)}): it learnt "
        f"pairs by heart, not roles."
    )


def _one_sided(run):
    subject, object_, _ = run.judged
    bought, lost = ("subject", "object")
    if object_ > subject:
        bought, lost = lost, bought
    left = min(subject, object_)
    rest = ""
    if run.setting.nouns == 3 and 0.4 <= left <= 0.6:
        rest = " With three nouns two are left for it: a coin again."
    return (
        f"One-sided: the {bought} is bought at the {lost}'s cost "
        f"({_two(run)}; weights of the first head {_spent(run)}).{rest}"
    )


def _blurred(run):
    total = sum(run.judged[:2])
    return (
        f"Blurred: {_spent(run)}. Who is there is known, who did what is "
        f"not: the two P add up to {total:.2f}, as with a coin."
    )


def _in_between(run):
    gap = ""
    if run.new is not None and sum(run.seen[:2]) > sum(run.new[:2]) + 0.1:
        gap = (
            f", and better on pairs it has seen (subject {run.seen[0]:.2f}, "
            f"object {run.seen[1]:.2f}): part of it is learnt by heart"
        )
    return (
        f"Better than a coin, but not solved ({_two(run)}){gap}. One row of "
        f"{_spent(run)} leaves a trace of who is who, and it takes more than "
        f"a sum to read it."
    )


def _not_learnt(run):
    return (
        f"Not learnt: after {run.steps} steps not even the two nouns are "
        f"known ({_two(run)}). That says something of the learning rate, "
        f"nothing of heads."
    )
