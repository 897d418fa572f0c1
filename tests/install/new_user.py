"""A new user's path: an empty environment, the wheel, then what tutorial and README say; minutes of each step.

    python tests/install/new_user.py
    python tests/install/new_user.py --python python3.13 --wheel dist/sttest-0.1.0-py3-none-any.whl

What a page prints below a command is compared, as in the tests of the pages. Exit code 1 where a step fails.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bare import ROOT, BareEnvironment, Finished, build_wheel

sys.path.insert(0, str(ROOT / "tests" / "docs"))

from doc_pages import Block, blocks, commands, matches

PAGES = (ROOT / "docs" / "first-design.md", ROOT / "README.md")
DESIGN, PICTURE = "design", "picture"
_FILES = {DESIGN: ("timed_graph.json",), PICTURE: ("*.png", "*.svg", "*.html")}
_WIDTH = 78


@dataclass(frozen=True)
class Step:
    """A command and what it took."""

    line: str
    seconds: float
    cpu_seconds: float
    problem: str = ""  # empty where it did what the page says


@dataclass
class Journey:
    """The steps of a page in an environment, and when there was what for the first time."""

    name: str
    steps: list[Step] = field(default_factory=list)
    first: dict[str, tuple[float, float]] = field(default_factory=dict)  # wall and CPU seconds, installing included

    @property
    def failed(self) -> list[Step]:
        """Steps that did something else than the page says."""
        return [step for step in self.steps if step.problem]


def install(environment: BareEnvironment, python: str, wheel: Path) -> Journey:
    """A venv, and the wheel in it, from an index with all that it needs."""
    journey = Journey("install")
    for line in (f"{shlex.quote(python)} -m venv venv", f"pip install {shlex.quote(str(wheel))}"):
        done = environment.run(line, environment.folder)
        _keep(journey, line, done, _problem(done, 0, ""))
        if done.exit_code:
            break
    return journey


def walk(environment: BareEnvironment, page: Path, before: Journey) -> Journey:
    """The commands of a page in a folder of their own; it goes on after one that fails, as its text does.

    Args:
        environment: where the wheel is installed.
        page: a page of the documentation.
        before: what came first, for the times at which the first design and the first picture are there.
    """
    journey = Journey(page.name)
    folder = environment.folder / page.stem
    folder.mkdir()
    for line, output, exit_code in _lines(environment, page, folder):
        done = environment.run(line, folder, COLUMNS="120")
        _keep(journey, line, done, _problem(done, exit_code, output))
        for what, patterns in _FILES.items():
            if what not in journey.first and any(any(folder.rglob(pattern)) for pattern in patterns):
                journey.first[what] = _spent([*before.steps, *journey.steps])
    return journey


def _lines(environment: BareEnvironment, page: Path, folder: Path) -> Iterator[tuple[str, str, int]]:
    """Commands in order, what each prints and its exit code; files that a page shows are written in between."""
    for number, block in enumerate(blocks(page)):
        if block.run == "never" or not all(map(environment.there, block.needs)):
            continue
        if block.title:
            _write(folder / block.title, block)
        elif block.language == "python":
            name = f"block{number}.py"
            _write(folder / name, block)
            yield f"python {name}", "", 0
        for command in commands(block):
            yield command.line, command.output, command.exit_code


def _write(path: Path, block: Block) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def _problem(done: Finished, exit_code: int, output: str) -> str:
    if done.exit_code != exit_code:
        return f"exit code {done.exit_code}, not {exit_code}: {done.last_line}"
    if output.strip() and not matches(output, done.stdout):
        return f"prints something else than the page: {done.stdout[:2000]}"
    return ""


def _keep(journey: Journey, line: str, done: Finished, problem: str) -> None:
    step = Step(line, done.seconds, done.cpu_seconds, problem)
    journey.steps.append(step)
    minutes = f"{step.seconds / 60:6.2f} {step.cpu_seconds / 60:6.2f}"
    print(f"{minutes}  {' '.join(line.split())[:_WIDTH]}", flush=True)
    if problem:
        print(f"{'':15}FAILED: {problem}", flush=True)


def _spent(steps: Sequence[Step]) -> tuple[float, float]:
    return sum(step.seconds for step in steps), sum(step.cpu_seconds for step in steps)


def _told(what: str, spent: tuple[float, float]) -> str:
    return f"{what} {spent[0] / 60:.2f} min ({spent[1] / 60:.2f} of CPU)"


def _size_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) / 1e6


def journeys(folder: Path, python: str, wheel: Path, pages: Sequence[Path] = PAGES) -> list[Journey]:
    """Installs the wheel in an empty environment and goes through the pages, telling of each step as it ends."""
    environment = BareEnvironment.beside(folder)
    print("   min    CPU  step")
    installed = install(environment, python, wheel)
    if installed.failed:
        return [installed]
    print(f"{'':15}{_size_mb(environment.venv):.0f} MB in the environment, {wheel.stat().st_size / 1e6:.1f} the wheel")
    done = [installed]
    for page in pages:
        print(f"{'':15}--- {page.name}")
        journey = walk(environment, page, installed)
        done.append(journey)
        reached = [_told(f"first {what} after", spent) for what, spent in journey.first.items()]
        print(f"{'':15}{', '.join([*reached, _told('all in', _spent(journey.steps))])}", flush=True)
    return done


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it and gives the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment [this one]")
    parser.add_argument("--wheel", type=Path, help="a wheel that is there [built from this tree]")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a new folder that stays [a temporary one]")
    asked = parser.parse_args(arguments)
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="sttest-new-user-"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        wheel = asked.wheel or build_wheel(folder / "wheel")
        done = journeys(folder.resolve(), asked.python, wheel.resolve())
    finally:
        if asked.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    failed = [step for journey in done for step in journey.failed]
    print(
        f"{sum(len(each.steps) for each in done)} steps, {len(failed)} failed; load {os.getloadavg()[0]:.1f} "
        f"on {os.cpu_count()} cores"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
