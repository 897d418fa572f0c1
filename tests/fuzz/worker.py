"""Fuzzes one reader with atheris in this process: inputs that reach new branches of it are kept and changed further.

    python tests/fuzz/worker.py NAME --executions 1000 --seed 1 --folder FOLDER

``campaign.py`` starts it and watches it.  ``FOLDER/in`` holds the input under way, and none in between, so it is
there if this process dies of it; ``FOLDER/wrong`` holds the smallest input of each kind that went wrong,
``FOLDER/corpus`` what reached new branches, and ``FOLDER/count`` how many inputs were tried.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]

import atheris
from targets import TARGETS, Target
from trial import bound_memory, lay, tried

from benchmarks.hostile import archives, json_trees, raw_bytes, xml_elements, xml_texts, yaml_texts

MAX_BYTES = 1 << 20
"""Of an input; what the readers refuse for its size alone is tested without chance."""
COUNT_EVERY = 50
_BY_LIBFUZZER = 0.4
_Change = Callable[[bytes, random.Random], tuple[str, bytes]]
_TREES: dict[str, _Change] = {
    "json": json_trees.change,
    "xml": xml_texts.change,
    "elements": xml_elements.change,
    "yaml": yaml_texts.change,
    "npz": lambda _, dice: archives.archive(dice),
    "": raw_bytes.damage,
}


def changed(tree: str) -> Callable[[bytes, int, int], bytes]:
    """How inputs are changed: by libFuzzer, byte by byte, or by who knows their form."""
    change = _TREES[tree]

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        dice = random.Random(seed)
        if dice.random() < _BY_LIBFUZZER:
            return atheris.Mutate(data, max_size)
        try:
            return change(data, dice)[1][:max_size]
        except (ValueError, IndexError, TypeError, KeyError, RecursionError):  # bytes that are no tree any more
            return raw_bytes.damage(data or b" ", dice)[1][:max_size]

    return mutate


def traced(target: Target) -> AbstractContextManager[None]:
    """Instruments the modules of a target, and no others, while they are imported; atheris itself goes by package."""
    packages = {name.partition(".")[0] for name in target.traced}
    others = [
        name
        for package in packages
        for name in _modules(package)
        if not any(name == each or name.startswith(f"{each}.") for each in target.traced)
    ]
    return atheris.instrument_imports(include=sorted(packages), exclude=others)


def _modules(package: str) -> Iterator[str]:
    spec = find_spec(package)
    for place in (spec and spec.submodule_search_locations) or ():
        for path in Path(place).rglob("*.py"):
            parts = path.relative_to(place).with_suffix("").parts
            yield ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def warm(target: Target) -> None:
    """Reads every valid file once, so that nothing is imported or compiled under the limits."""
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(target.corpus.iterdir()):
            lay(target, path.read_bytes(), Path(folder))
            target.read(Path(folder) / target.file)


def fuzz(target: Target, executions: int, seed: int, folder: Path) -> None:
    """Runs until as many inputs were tried, then ends this process."""
    inputs, wrong, kept = (folder / name for name in ("in", "wrong", "corpus"))
    for each in (inputs, wrong, kept):
        each.mkdir(parents=True, exist_ok=True)
    count = 0
    told_count = os.open(folder / "count", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def one(data: bytes) -> None:
        nonlocal count
        if told := tried(target, data, inputs):
            keep(told, data, wrong)
        (inputs / target.file).unlink(missing_ok=True)  # the time of the next change is none of the reader's
        count += 1
        if count % COUNT_EVERY == 0 or count >= executions:
            os.pwrite(told_count, b"%12d" % count, 0)  # whole whenever this process is ended
        if count >= executions:
            sys.stdout.flush()
            os._exit(0)

    options = [f"-seed={seed}", f"-max_len={MAX_BYTES}", "-len_control=0", "-rss_limit_mb=0", "-malloc_limit_mb=0"]
    atheris.Setup([sys.argv[0], *options, str(kept), str(target.corpus)], one, custom_mutator=changed(target.tree))
    atheris.Fuzz()


def keep(told: str, data: bytes, folder: Path) -> None:
    """Keeps the smallest input of each kind."""
    name = hashlib.sha256(told.encode()).hexdigest()[:12]
    path = folder / f"{name}.input"
    if not path.exists() or path.stat().st_size > len(data):
        path.write_bytes(data)
        (folder / f"{name}.txt").write_text(told)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=TARGETS)
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    target = TARGETS[asked.name]
    with traced(target):
        warm(target)
    bound_memory()
    (asked.folder / "began").touch()
    fuzz(target, asked.executions, asked.seed, asked.folder)


if __name__ == "__main__":
    main()
