"""The facade: load a translator, translate, trace; and what a model was at the saved steps of its training."""

from explainer.translator.translator import TooLongError, Translation, Translator

__all__ = ["TooLongError", "Translation", "Translator"]
