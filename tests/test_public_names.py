"""What users of the library and the command line rely on, whatever moves: names, and what importing them costs."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from explainer.capture import Trace
from explainer.capture.record import record
from explainer.cli.commands import main
from explainer.decode import BeamRules, BeamStep, beam_search, source_of
from explainer.equations import equation_of
from explainer.model import FAMILIES
from explainer.translator import Translator

LIBRARY = "explainer.translator, explainer.capture.record, explainer.decode.sources, explainer.equations"
COMMANDS = "translate evaluate train average distil vary strategies trace corpus measure"


def test_the_names_of_the_library() -> None:
    for name in ("load", "translate", "trace", "parameters"):
        assert getattr(Translator, name)
    assert "transformer" in FAMILIES
    for function in (record, beam_search, source_of, equation_of):
        assert inspect.isroutine(function)
    for kind in (Trace, BeamRules, BeamStep):
        assert inspect.isclass(kind)


@pytest.mark.parametrize("command", COMMANDS.split())
def test_the_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"python -m explainer {command} " in capsys.readouterr().out
    assert main([]) == 0
    assert f"  {command} " in capsys.readouterr().out


def imported(modules: str) -> set[str]:
    """What a new process has imported after these."""
    code = f"import sys, {modules}; print(*sys.modules)"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_library_is_imported_without_the_app() -> None:
    assert not imported(LIBRARY) & {"streamlit", "plotly", "starlette", "pandas", "sacrebleu", "transformers"}


def test_equations_figures_and_traces_are_imported_without_torch() -> None:
    code = "explainer.equations, explainer.measures.heads, explainer.figures.style, explainer.capture"
    assert "torch" not in imported(code)
