"""Classroom German: the vocabulary, the phrases and the lessons of the corpus in `explainer.text.classroom`."""
