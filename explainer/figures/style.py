"""The visual language: colours, fonts, number formats. No page and no figure picks its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

Scale = list[list[float | str]]
Role = Literal["query", "key", "value", "attention", "residual", "gate", "target", "source"]


@dataclass(frozen=True)
class Theme:
    """The colours of one theme: Okabe-Ito hues, in the light theme darkened to a contrast of 4.5 : 1.

    Each role also has its letter or word beside it on the page.
    """

    name: str
    background: str
    surface: str  # cards and cells that hold no number
    text: str
    muted: str  # axis labels, notes
    line: str  # hairlines and frames
    query: str
    key: str
    value: str
    attention: str
    residual: str
    gate: str
    target: str
    source: str
    negative: str  # ends of the diverging scale
    positive: str
    zero: str  # middle of the diverging scale and start of the sequential ones
    masked: str  # a cell that may not be attended to


LIGHT = Theme(
    name="light",
    background="#FFFFFF",
    surface="#F4F6F8",
    text="#1B2329",
    muted="#5B6770",
    line="#D5DBE0",
    query="#0072B2",
    key="#BF5000",
    value="#007F5A",
    attention="#7B3FA0",
    residual="#5B6770",
    gate="#946000",
    target="#A94C82",
    source="#1F76AA",
    negative="#0072B2",
    positive="#D55E00",
    zero="#FFFFFF",
    masked="#DDE1E5",
)
DARK = Theme(
    name="dark",
    background="#0F1418",
    surface="#1A2127",
    text="#E8ECEF",
    muted="#A3AEB7",
    line="#343E47",
    query="#56B4E9",
    key="#F08A4B",
    value="#3CC79B",
    attention="#C08BE3",
    residual="#A3AEB7",
    gate="#E69F00",
    target="#E19AC2",
    source="#7CC8F2",
    negative="#4AA8E0",
    positive="#F08A4B",
    zero="#161C21",
    masked="#2A323A",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}

FONT = "Source Sans, Source Sans Pro, sans-serif"  # what Streamlit ships; nothing is fetched


def theme_named(name: str | None) -> Theme:
    """The theme called `name`; light if the name is unknown."""
    return THEMES.get(name or "light", LIGHT)


def sequential(theme: Theme, role: Role = "attention") -> Scale:
    """For weights and probabilities: nothing → the role's colour, to be used with the fixed range 0–1."""
    return [[0.0, theme.zero], [1.0, getattr(theme, role)]]


def diverging(theme: Theme) -> Scale:
    """For signed values: blue, nothing at zero, vermillion; to be used with a range symmetric about zero."""
    return [[0.0, theme.negative], [0.5, theme.zero], [1.0, theme.positive]]


def blend(colour: str, other: str, share: float) -> str:
    """`share` of `other` mixed into `colour`, both `#rrggbb`."""
    mixed = (
        round((1 - share) * int(colour[i : i + 2], 16) + share * int(other[i : i + 2], 16)) for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02X}" for part in mixed)


def inks(scale: Scale, shares: Float[np.ndarray, " cell"]) -> list[str]:
    """White where it can be read on a cell of a heat map, else black: a contrast of at least 4.5 : 1 (WCAG 2.2).

    `shares` say where in the range each cell's value lies, from 0 to 1.
    """
    ends = [float(end) for end, _ in scale]
    stops = np.array([[int(str(colour)[i : i + 2], 16) / 255 for i in (1, 3, 5)] for _, colour in scale])
    parts = np.stack([np.interp(shares, ends, stop) for stop in stops.T], axis=-1)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return np.where(1.05 / (luminance + 0.05) < 4.5, "#000000", "#FFFFFF").tolist()


def faded(colour: str, opacity: float) -> str:
    """`#rrggbb` as an rgba() colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:.3g})"


def number(value: float, decimals: int = 2) -> str:
    """A number as the app writes it: fixed decimals, a true minus sign, ∞ and −∞, no negative zero."""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def change(before: float, after: float, decimals: int = 2, most: int = 5) -> tuple[str, str, str]:
    """Two numbers and after − before: the difference of what is shown, to two digits where rounding leaves them.

    All three have at least `decimals`, and `most` at most: a smaller difference has fewer digits.
    """
    while 0 < abs(after - before) < 10.0 ** (1 - decimals) and decimals < most:
        decimals += 1
    gap = 0.0 if before == after else round(after, decimals) - round(before, decimals)
    return number(before, decimals), number(after, decimals), number(gap, decimals)


def brief(value: float) -> str:
    """A number with two decimals, or fewer where those are zeros: 8, 5.66."""
    return number(value).rstrip("0").rstrip(".")


def probability(value: float) -> str:
    """A probability, a weight or a loss: three decimals, and the truth about small ones."""
    return "< 0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def small(value: float) -> str:
    """A deviation: two digits and a power of ten; 0 if there is none."""
    if value == 0:
        return "0"
    return f"{value:.1e}".replace("-", "−")


def power(value: float, decimals: int = 3) -> str:
    """A number of any size with its power of ten: 6.988 · 10⁻⁴; 0 stays 0."""
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{decimals}e}".replace("-", "−").split("e")
    raised = str(int(exponent.replace("−", "-"))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} · 10{raised}"


def digits(value: float, count: int = 4) -> str:
    """A number with so many significant digits, or as `power` where it is very small or very large."""
    text = f"{value:.{count}g}"
    return power(value, count - 1) if "e" in text else text.replace("-", "−")


def most_decimals(value: float) -> int:
    """Decimals that leave a number five significant digits, or four if it is below 1; negative for a long one."""
    if value == 0 or not np.isfinite(value):
        return 4
    place = int(np.floor(np.log10(abs(value))))
    return 4 - place if place >= 0 else 3 - place


def kept_decimals(value: float, retyped: float, most: int | None = None) -> int:
    """The most decimals, at most `most`, with which `value` is what a calculator gives, to one unit of the last digit.

    `retyped` is the same, computed of the numbers beside it as they are shown.
    """
    decimals = most_decimals(value) if most is None else most
    if not np.isfinite(value) or not np.isfinite(retyped):
        return decimals
    while abs(round(value, decimals) - retyped) > (1 + 1e-9) * 10.0**-decimals:
        decimals -= 1
    return decimals


def span(values: np.ndarray) -> float:
    """The bound of a symmetric colour range that covers all finite values; 1 if there are none but zeros."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0


def shape_text(symbols: Sequence[str], sizes: Sequence[int]) -> str:
    """`T × d_k = 9 × 64`."""
    return f"{' × '.join(symbols)} = {' × '.join(map(str, sizes))}"


def base_layout(theme: Theme, **more: Any) -> dict[str, Any]:
    """The layout that all figures start from: transparent, the app's font, no margins to waste."""
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 14, "color": theme.text},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "showlegend": False,
        "hoverlabel": {"bgcolor": theme.surface, "bordercolor": theme.line, "font": {"color": theme.text}},
        **more,
    }
