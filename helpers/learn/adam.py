"""Adam: every weight moves by its own, steady step.

Source: Kingma & Ba, "Adam" (2015), algorithm 1.
"""

import math

import numpy as np


class Adam:
    """Keep running averages of a gradient and of its square.

    Parameters
    ----------
    flat : array (n,)
        The weights, changed in place by `step`.
    beta_1, beta_2 : float
        How slowly the two averages forget.
    """

    def __init__(self, flat, beta_1=0.9, beta_2=0.99, epsilon=1e-8):
        self.flat, self.epsilon = flat, epsilon
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.mean = np.zeros_like(flat)
        self.square = np.zeros_like(flat)
        self.steps = 0

    def step(self, gradient, learning_rate):
        """Move each weight against its gradient.

        The averages start at 0 and are too small at first; dividing by
        1 - beta^steps mends that. The first step is `learning_rate` long
        for every weight that has a gradient.
        """
        self.steps += 1
        self.mean += (1 - self.beta_1) * (gradient - self.mean)
        self.square += (1 - self.beta_2) * (gradient**2 - self.square)
        mean = self.mean / (1 - self.beta_1**self.steps)
        size = np.sqrt(self.square / (1 - self.beta_2**self.steps))
        self.flat -= learning_rate * mean / (size + self.epsilon)


def warm_up(step, warm_up_steps=50):
    """Return the share of the learning rate: a short climb, then 1.

    Parameters
    ----------
    step : int
        From 0.
    """
    return min(1.0, (step + 1) / warm_up_steps)


def cosine(step, steps, lowest=0.05):
    """Return the share of the learning rate: from 1 down to `lowest`.

    Parameters
    ----------
    step : int
        From 0.
    steps : int
        Of the whole training.
    lowest : float
        The share at the end.

    Source: Loshchilov and Hutter, "SGDR" (2017), equation 5.
    """
    return lowest + (1 - lowest) * (1 + math.cos(math.pi * step / steps)) / 2
