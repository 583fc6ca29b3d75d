"""Softmax in NumPy, stable, and −∞ where nothing may be attended to."""

import math

import numpy as np
from jaxtyping import Float


def even_entropy(count: int) -> float:
    """The logarithm of the number of places: the entropy of an even spread, in nats."""
    return math.log(count)


def entropy(weights: Float[np.ndarray, "*rows key"]) -> Float[np.ndarray, "*rows"]:
    """−Σ_j a_j ln a_j of each row in nats, where 0 ln 0 = 0."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.abs((weights * logs).sum(axis=-1))  # abs: no negative zero


def softmax(scores: Float[np.ndarray, "*rows key"]) -> Float[np.ndarray, "*rows key"]:
    """exp(s_j) / Σ_k exp(s_k) along the last axis; a score of −∞ gets exactly 0."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def log_softmax(scores: Float[np.ndarray, "*rows key"]) -> Float[np.ndarray, "*rows key"]:
    """Log softmax, without taking the logarithm of a rounded number."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def largest_difference(one: Float[np.ndarray, "*shape"], other: Float[np.ndarray, "*shape"]) -> float:
    """Max |a − b| over all cells, taken in float64; 0 if there are none."""
    return float(np.abs(one.astype(np.float64) - other).max(initial=0.0))
