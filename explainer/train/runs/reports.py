"""A line of metrics.jsonl: numbers by name. Whoever wrote the file, no number is larger than a page can draw."""

import json
from typing import Any

from explainer.model.config import MAX_STEP, real, whole

LONGEST = 2**14  # bytes of a line
_LARGEST = 1e40  # of a loss, a gradient or a rate: more than float32 has
_WHOLE = ("step", "epoch", "n_tokens")


def read_report(line: bytes) -> dict[str, Any]:
    """What a line reports, by name: the step at least; ValueError says what is wrong with the line."""
    if len(line) > LONGEST:
        raise ValueError(f"a line of {len(line):,} bytes, the limit is {LONGEST:,}")
    try:
        report = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({str(error)[:100]})") from error
    if not isinstance(report, dict) or "step" not in report:
        raise ValueError("a report is numbers by name, one of them the step")
    for name, value in report.items():
        if name in _WHOLE:
            whole(name, value, 0, MAX_STEP)
        else:
            real(f"{name[:40]!a}", value, -_LARGEST, _LARGEST)
    return report
