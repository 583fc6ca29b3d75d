"""Amounts in words that fit a cell: counts, memory, time."""

from explainer.language import ngettext


def count(value: float) -> str:
    """A whole number with narrow spaces between the thousands."""
    return f"{round(value):,}".replace(",", "\u202f")


def others(n: int) -> str:
    """How many others share one line of a figure."""
    return ngettext("{n} other", "{n} others", n).format(n=f"{n:,}".replace(",", "\u2009"))


def memory(n_bytes: int | None) -> str:
    """Bytes as kB or MB (1000s); a dash if there are none to speak of."""
    if n_bytes is None:
        return "–"
    if n_bytes < 999_500:
        return f"{n_bytes / 1000:.0f}\u202fkB"
    return f"{n_bytes / 1e6:.1f}\u202fMB"


def duration(seconds: float | None) -> str:
    """Milliseconds below one second, else seconds; a dash if it was not measured."""
    if seconds is None:
        return "–"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f}\u202fms"
    return f"{seconds:.1f}\u202fs" if seconds < 100 else f"{seconds:.0f}\u202fs"
