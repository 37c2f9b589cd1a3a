"""A trained model, turned into one with fewer key/value heads.

Its matrices W_K and W_V are pooled (helpers/pooling.py); then it may train
on for a while, which is called up-training. Whether that was worth it, only
a model can say that has had as many steps in all from the beginning.

Source: Ainslie et al., "GQA" (2023), section 2.1.
"""

from dataclasses import replace

from helpers.choice_rules import require_choice
from helpers.learn.model import Model
from helpers.learn.training import require_model, train
from helpers.pooling import POOLINGS, pool_heads
from helpers.sizes import whole

CONTROL = "at random"
WAYS = (*POOLINGS, CONTROL)
OTHER_SENTENCES = 1000  # up-training does not begin with those of training
CLIMB = 5  # steps of warm-up: the weights are no longer at random


def converted(model, n_kv, how="mean", seed=0):
    """Return a model of its own with n_kv key/value heads in each layer.

    Parameters
    ----------
    model : Model
        Of full heads, n_kv = h.
    n_kv : int
        Divides h.
    how : str
        "mean" or "first", of the heads that will share; or "at random",
        the control: new W_K and W_V, all else as it was.
    seed : int
        Of the control.

    Raises
    ------
    ValueError, SizeError
        If the model is grouped already, or n_kv or `how` do not fit.
    """
    require_model(model)
    s = model.settings
    if s.sizes.n_kv != s.h:
        raise ValueError(
            f"The model must have n_kv = h: got n_kv={s.sizes.n_kv}, h={s.h}."
        )
    require_choice("how", how, WAYS)
    new = Model(replace(s, n_kv=n_kv), seed, model.flat.dtype)
    for name, matrix in model.parts.items():
        shared = name.startswith(("W_K", "W_V"))
        if not shared:
            new.parts[name][...] = matrix
        elif how != CONTROL:
            new.parts[name][...] = pool_heads(matrix, s.h, n_kv, how)
    return new


def up_train(model, task, steps, seed=0):
    """Train a converted model on, in place; yield as `train` does.

    Adam starts anew, with a short warm-up; the sentences are others than
    those of a training with the same seed.
    """
    seed = whole("seed", seed, 0)
    return train(
        model,
        task,
        steps,
        seed=seed + OTHER_SENTENCES,
        warm_up_steps=CLIMB,
    )
