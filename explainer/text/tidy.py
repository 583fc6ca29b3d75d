"""Typed text as the corpus writes it: the model has only seen plain quotes and single spaces."""

import re
import unicodedata

_PLAIN = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "–": "-",
        "—": "-",
        "…": "...",
        "\u00a0": " ",
    }
)


def tidy(text: str) -> str:
    """`text` in Unicode NFC with ASCII quotes and dashes, white space squeezed; lone surrogates become `�`."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", whole).translate(_PLAIN)).strip()
