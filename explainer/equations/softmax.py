"""Softmax in NumPy, stable, and −∞ where nothing may be attended to."""

import numpy as np
from jaxtyping import Float


def softmax(scores: Float[np.ndarray, "*rows key"]) -> Float[np.ndarray, "*rows key"]:
    """exp(s_j) / Σ_k exp(s_k) along the last axis; a score of −∞ gets exactly 0."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def log_softmax(scores: Float[np.ndarray, "*rows key"]) -> Float[np.ndarray, "*rows key"]:
    """Log softmax, without taking the logarithm of a rounded number."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
