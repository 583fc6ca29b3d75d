"""What a set of links shows, saved and compared: run by hand, before and after walls are moved.

python tests/links/compare.py capture http://127.0.0.1:8501 before.json
python tests/links/compare.py compare before.json after.json
python tests/links/compare.py shoot http://127.0.0.1:8501 pictures

The app's folder of runs (GLASSBOX_RUNS) holds the runs of tests/old/runs.tar.gz, and nothing trains.
"""

import base64
import json
import math
import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeGuard
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import numpy as np
import typer
from playwright.sync_api import BrowserContext, Page, sync_playwright

LINKS = Path(__file__).with_name("links.toml")
TOLERANCE = 1e-6  # of a number, absolute up to 1 and relative above
TIMED = ("growth", "run-tokens_per_second")  # figures of seconds: of these only what is drawn is compared
LOOKS = {
    "uid", "colorscale", "fillcolor", "font", "textfont", "insidetextfont", "outsidetextfont", "hoverlabel",
    "colorbar", "bgcolor", "bordercolor", "colors",
}  # fmt: skip  # how a figure looks, not what it says
_TIME, _COLOUR = re.compile(r"\d[\d.,]* ?(ms|s|seconds)\b"), re.compile(r"\\textcolor\{#\w+\}")  # in words
READY = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app && app.querySelector('h1')
    && app.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true], [data-testid=stSpinner]')
    && !document.querySelector('.st-key-exact-stop')  // a search that goes on by itself
    && [...document.querySelectorAll('.panel .plot')].every((plot) => plot.dataset.drawn);
}"""
READ = """() => {
  const pick = (from, names) => Object.fromEntries(names.filter((n) => n in from).map((n) => [n, from[n]]));
  const nearest = (element) => {
    const keyed = element.closest('[class*="st-key-"]');
    return keyed ? [...keyed.classList].find((name) => name.startsWith('st-key-')).slice(7) : '';
  };
  const layout = (of) => ({
    annotations: (of.annotations ?? []).map((one) => pick(one, ['text', 'x', 'y'])),
    shapes: (of.shapes ?? []).map((one) => pick(one, ['type', 'x0', 'x1', 'y0', 'y1', 'path'])),
    grid: of.meta?.grid ?? null,
    axes: Object.fromEntries(Object.keys(of).filter((name) => /^[xy]axis/.test(name)).map((name) => [
      name, {...pick(of[name], ['tickvals', 'ticktext', 'type']), title: of[name].title?.text ?? of[name].title ?? ''},
    ])),
  });
  const figures = [...document.querySelectorAll('.panel .plot')].map((plot) => ({
    key: nearest(plot), alt: plot.getAttribute('aria-label'), data: plot.data, layout: layout(plot.layout),
  }));
  const text = (element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll('.katex').forEach((math) => {
      const tex = math.querySelector('annotation');
      math.replaceWith(tex ? ` $${tex.textContent}$ ` : math.textContent);
    });
    copy.querySelectorAll('td, th').forEach((cell) => cell.append(' | '));
    return copy.textContent.replace(/\\s+/g, ' ').trim();
  };
  const said = (kind) => [...document.querySelectorAll(`[data-testid=${kind}]`)].map(text);
  const words = [...document.querySelectorAll('[data-testid=stMarkdownContainer]')]
    .filter((one) => !one.closest('button, label, [role=radiogroup], [data-testid=stToast]')).map(text)
    .filter((one) => /\\d|\\$/.test(one));
  return { figures, words, toasts: said('stToast'), exceptions: said('stException'), alerts: said('stAlert') };
}"""
app = typer.Typer(add_completion=False, help=__doc__)


def links() -> list[dict[str, Any]]:
    """The links of the fixture: name, page, sentence, query."""
    return tomllib.loads(LINKS.read_text(encoding="utf-8"))["link"]


def address(link: dict[str, Any]) -> str:
    """Path and query, as the app writes them."""
    return f"/{link['page']}?{urlencode({'sentence': link['sentence'], **link['query']}, quote_via=quote)}"


@app.command()
def capture(
    url: Annotated[str, typer.Argument(help="Of the running app.")],
    out: Annotated[Path, typer.Argument(help="JSON file to write.")],
    only: Annotated[str, typer.Option(help="Links whose name contains this.")] = "",
) -> None:
    """Open every link that OUT does not hold yet and save what it shows.

    Exit status 1 if a part of one was not understood.
    """
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    with _visitor() as visitor:
        for link in links():
            if only in link["name"] and link["name"] not in found:
                found[link["name"]] = one = _opened(visitor, url.rstrip("/"), link)
                out.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
                typer.echo(f"{link['name']}: {len(one['figures'])} figures {one['problems'] or ''}")
    problems = sum(len(one["problems"]) for one in found.values())
    typer.echo(f"{out}: {len(found)} links, {problems} problems")
    raise typer.Exit(bool(problems))


@app.command()
def shoot(
    url: Annotated[str, typer.Argument(help="Of the running app.")],
    out: Annotated[Path, typer.Argument(help="Folder of the pictures.")],
) -> None:
    """Photograph every page as it is first seen: what fits on the screen, and the whole page."""
    out.mkdir(parents=True, exist_ok=True)
    with _visitor() as visitor:
        for name in dict.fromkeys(link["page"] for link in links()):
            page = visitor.new_page()
            page.goto(f"{url.rstrip('/')}/{name}")
            _settled(page)
            page.mouse.move(0, 0)
            still: dict[str, Any] = {"animations": "disabled", "caret": "hide"}
            page.screenshot(path=out / f"{name or 'translate'}.png", **still)
            height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": 1280, "height": max(720, int(height) + 60)})
            _settled(page)
            page.screenshot(path=out / f"{name or 'translate'}-whole.png", **still)
            page.close()


@contextmanager
def _visitor() -> Iterator[BrowserContext]:
    """A browser at 1280 × 720, light; each of its pages is a session of its own."""
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser.new_context(
            viewport={"width": 1280, "height": 720}, reduced_motion="reduce", color_scheme="light"
        )
        browser.close()


def _opened(visitor: BrowserContext, url: str, link: dict[str, Any]) -> dict[str, Any]:
    """What a link shows a new visitor."""
    page = visitor.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"JavaScript: {error}"))
    page.goto(url + address(link), timeout=300_000)
    seen = _settled(page)
    kept = parse_qs(urlsplit(page.url).query, keep_blank_values=True)
    lost = [name for name, value in link["query"].items() if kept.get(name) != [value]]
    page.close()
    problems = [f"{name} = {link['query'][name]!r} left the link" for name in lost]
    problems += [*errors, *seen["toasts"], *seen["exceptions"]]
    figures = {one.pop("key"): _said(one) for one in seen["figures"]}
    words = [_COLOUR.sub("", _TIME.sub("‹time›", one)) for one in seen["words"]]
    return {"figures": figures, "words": words, "alerts": seen["alerts"], "problems": problems}


def _settled(page: Page) -> dict[str, Any]:
    """What the page shows once it is ready and has not changed for a while: some pages go on searching."""
    before = None
    for _ in range(240):
        page.wait_for_timeout(500)
        page.wait_for_function(READY, timeout=600_000)
        seen = page.evaluate(READ)
        now = json.dumps([seen["figures"], seen["words"]])
        if now == before:
            return seen
        before = now
    raise TimeoutError(f"{page.url} did not come to rest")


def _said(value: Any) -> Any:
    """A figure's data without its looks, arrays decoded."""
    if isinstance(value, dict) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
        shape = [int(part) for part in str(value.get("shape", array.size)).split(",")]
        return array.reshape(shape).tolist()
    if isinstance(value, dict):
        return {
            name: _said(part) for name, part in value.items() if name not in LOOKS and not _colour(name, part)
        }
    return [_said(part) for part in value] if isinstance(value, list) else value


def _colour(name: str, value: Any) -> bool:
    """Whether it is a colour, not numbers that are shown as colours."""
    return name == "color" and "bdata" not in value and not (isinstance(value, list) and _numbers(value))


def _numbers(values: list[Any]) -> bool:
    return all(isinstance(one, int | float) for one in values)


@app.command()
def compare(one: Path, other: Path) -> None:
    """List what differs; exit status 1 if a figure does."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (one, other))
    figures, words = 0, 0
    for name in {**before, **after}:
        if name not in before or name not in after:
            figures += 1
            typer.echo(f"{name}: only in {one if name in before else other}")
            continue
        mine, theirs = before[name]["figures"], after[name]["figures"]
        for key in {**mine, **theirs}:
            found = list(differences(mine.get(key), theirs.get(key), timed=key in TIMED))
            figures += bool(found)
            for line in found[:5]:
                typer.echo(f"{name} · {key}{line}")
            if len(found) > 5:
                typer.echo(f"{name} · {key}: {len(found) - 5} more")
        for kind in ("words", "alerts", "problems"):
            mine, theirs = before[name][kind], after[name][kind]
            gone = [f"− {text}" for text in mine if text not in theirs]
            came = [f"+ {text}" for text in theirs if text not in mine]
            words += len(gone) + len(came)
            for line in gone + came:
                typer.echo(f"{name} · {kind}: {line}")
    typer.echo(f"{len(before)} links: {figures} figures and {words} texts differ")
    raise typer.Exit(bool(figures))


def differences(one: Any, other: Any, where: str = "", *, timed: bool = False) -> Iterator[str]:
    """Where two values of a figure differ, and how; of a timed one numbers are not looked at."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            yield from differences(one.get(name), other.get(name), f"{where}.{name}", timed=timed)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(mine, theirs, f"{where}[{i}]", timed=timed)
    elif _is_number(one) and _is_number(other):
        same = math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or (
            one != one and other != other
        )
        if not same and not timed:
            yield f"{where}: {one!r} → {other!r}"
    elif one != other and not (timed and isinstance(one, str) and isinstance(other, str)):
        yield f"{where}: {str(one)[:120]!r} → {str(other)[:120]!r}"


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


if __name__ == "__main__":
    app()
