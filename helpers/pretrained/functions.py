"""What stands between the attentions of a BERT-type model.

Sources: the quotient for erf is the one of the Eigen library and XLA
(`generic_fast_erf_float`, `ErfImpl32`); Hendrycks & Gimpel, "Gaussian Error
Linear Units" (2016); Ba et al., "Layer Normalization" (2016).
"""

import numpy as np

ABOVE = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
BELOW = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)


def erf(x):
    """Return the error function, to 1e-6: SciPy's, without SciPy.

    A quotient of two polynomials in x², times x; beyond 4 it is 1 to
    1.6e-8.

    Parameters
    ----------
    x : array of float32 or float64

    Returns
    -------
    array, of the same shape and type
    """
    x = np.clip(x, -4, 4)
    square = x * x
    above = _polynomial(ABOVE, square)
    above /= _polynomial(BELOW, square)
    above *= x
    return above


def _polynomial(coefficients, x):
    first, *rest = coefficients
    total = np.full_like(x, first)
    for coefficient in rest:
        total *= x
        total += coefficient
    return total


def gelu(x):
    """Return x times the share of a normal distribution that lies below x."""
    share = erf(x * np.asarray(0.5**0.5, x.dtype))
    share += 1
    share *= x
    share *= 0.5
    return share


def layer_norm(X, gain, shift, eps):
    """Give each row mean 0 and variance 1, then its own scale and place.

    Parameters
    ----------
    X : array (..., d_model)
    gain, shift : array (d_model,)
    eps : float
        Added to the variance, so that an even row does not divide by 0.

    Returns
    -------
    array (..., d_model)
    """
    X = X - X.mean(axis=-1, keepdims=True)
    variance = (X * X).mean(axis=-1, keepdims=True)
    X /= np.sqrt(variance + eps)
    return X * gain + shift
