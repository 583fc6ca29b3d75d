"""Capture: run a model once and keep what its hook points saw, as read-only NumPy.

`explainer.capture.record` holds `record`, and imports torch; `Trace` does without.
"""

from explainer.capture.trace import Trace

__all__ = ["Trace"]
