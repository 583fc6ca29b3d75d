"""Typed text as the corpus writes it: the model has only seen plain quotes and single spaces."""

import re
import unicodedata

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚", "'"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("–—", "-"),
        "…": "...",
        "\u00a0": " ",
    }
)
_JOINER = "\u200d"  # holds emoji and Hindi letters together; other invisible format characters are dropped


def tidy(text: str) -> str:
    """`text` in NFC, quotes and dashes ASCII, white space squeezed, no invisible marks, `�` for lone surrogates."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    visible = "".join(char for char in whole if char == _JOINER or unicodedata.category(char) != "Cf")
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", visible).translate(_PLAIN)).strip(f" {_JOINER}")
