"""``python -m experiments.stamp``: of each committed result, which files that it depends on changed since it was made.

A manifest names the commit that made its table.  What the result depended on then is read from git, with the imports
and files of that commit, and held against today's.  With ``--write``, a manifest that has no record of its program gets
that of its commit: the result is then as stale, or as fresh, as its files say.  No table is made or changed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sttest.core.closure import ROOT, Closures, FolderTree, as_imported, hash_of, program_files
from sttest.core.errors import InputError, SttestError
from sttest.core.files import MANIFEST, write_text
from sttest.core.progress import progress
from sttest.core.tables import print_table
from sttest.explore.report import MAKERS as OF_SEARCHES
from sttest.studies.report.read import ResultSet, read_results
from sttest.studies.tables import programs
from sttest.studies.whatif.study import STUDIES

__depends__ = ()

RESULTS = ROOT / "results"
_SHOWN = 4
_OTHERS = {
    "best": "experiments.best.table",
    "gpu_baseline": "experiments.gpu_baseline.report",
    "quality": "experiments.quality",
    "quality-smooth": "experiments.quality",
    "quality-schemes": "experiments.quality",
    "quality-rotated": "experiments.quality",
    "cosimulation": "experiments.cosimulation",
}


class History:
    """The commits of a checkout.

    Args:
        root: folder of the checkout.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def files(self, commit: str) -> dict[str, str]:
        """Git's names of the contents of a commit, by path as in a tree.

        Raises:
            InputError: there is no such commit, or no git.
        """
        try:
            listed = subprocess.run(
                ["git", "ls-tree", "-r", "-z", commit], cwd=self._root, capture_output=True, check=True, text=True
            ).stdout
        except (OSError, subprocess.SubprocessError) as error:
            hints = ["run it in a clone with its history"]
            raise InputError("no-such-commit", "git has no such commit", where=commit, hints=hints) from error
        pairs = (line.split("\t", 1) for line in listed.split("\0") if line)
        return {as_imported(path): facts.split()[2] for facts, path in pairs}

    def content(self, name: str) -> bytes:
        """What git has under a name."""
        process = self._reader
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{name}\n".encode())
        process.stdin.flush()
        size = int(process.stdout.readline().split()[2])
        return process.stdout.read(size + 1)[:-1]

    @cached_property
    def _reader(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["git", "cat-file", "--batch"], cwd=self._root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )


class CommitTree:
    """The files of a commit, see :class:`~sttest.core.closure.Tree`."""

    def __init__(self, history: History, commit: str) -> None:
        self._history, self._files = history, history.files(commit)

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return path in self._files

    def below(self, folder: str) -> Iterator[str]:
        """All files below a folder."""
        return (path for path in self._files if path.startswith(f"{folder}/"))

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return self._history.content(self._files[path])


@dataclass(frozen=True)
class Held:
    """A result held against today's program.

    Attributes:
        name: of the result.
        makers: modules and files that it was made by and from.
        commit: commit that made it.
        program: hash of what it depended on at that commit.
        changed: files of it that are others today, that came or that went.
        is_recorded: whether its manifest has its program.
        why_not: why nothing can be said; empty otherwise.
    """

    name: str
    makers: tuple[str, ...] = ()
    commit: str = ""
    program: str = ""
    changed: tuple[str, ...] = ()
    is_recorded: bool = False
    why_not: str = ""


def held(results: Iterable[ResultSet], root: Path = ROOT) -> Iterator[Held]:
    """Every result held against today's program."""
    history = History(root)
    closures = cache(lambda commit: Closures(CommitTree(history, commit), FolderTree(root)))
    for each in results:
        try:
            yield _held(each.name, each.manifest, closures)
        except SttestError as error:
            yield Held(each.name, why_not=f"{error.where}: {error.what}")


def _held(name: str, manifest: Mapping[str, Any], closures: Callable[[str], Closures]) -> Held:
    makers, git = makers_of(name, manifest), manifest.get("git") or {}
    commit = str(git.get("commit") or "")
    if not commit or git.get("changed"):
        why = "made from a checkout with changes" if commit else "its commit is not recorded"
        return Held(name, makers, commit, why_not=why)
    then, today = closures(commit).of(makers), program_files(*makers)
    # A file that is no longer needed went with a change of what needed it, unless it was one of a declared folder.
    changed = sorted(file for file in today if then.get(file) != today[file]) or sorted(then.keys() - today.keys())
    return Held(name, makers, commit, hash_of(then), tuple(changed), "program_of" in manifest)


def makers_of(name: str, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The modules and files that a result was made by and from, as its manifest says, or as it would say today.

    It says so today where nothing is recorded, and where a program moved since.

    Raises:
        InputError: nothing is known to make such a result.
    """
    recorded = tuple(map(str, manifest.get("program_of") or ()))
    if recorded and all("/" in maker or find_spec(maker) for maker in recorded):
        return recorded
    config = manifest.get("config") or {}
    if "study" in config:
        return ("sttest.studies.whatif.report", *_of_package(STUDIES / f"{name}.yaml"))
    if "ablation" in config:
        return ("sttest.studies.ablation.report", *_of_package(STUDIES / "ablations" / f"{name}.yaml"))
    if "target" in config:
        return OF_SEARCHES
    if name in _OTHERS:
        return (_OTHERS[name],)
    if name in programs():
        return (programs()[name].module,)
    raise InputError("no-maker", "nothing makes such a result", where=name, hints=["remove the folder"])


def _of_package(path: Path) -> list[str]:
    return [path.relative_to(ROOT).as_posix()] if path.is_file() else []


def stamp(manifest: Path, found: Held) -> None:
    """Writes into a manifest the program of the commit that made its table, and how that was found."""
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content |= {
        "program": found.program,
        "program_of": found.makers,
        "stamped": {
            "commit": found.commit,
            "on": datetime.now(UTC).date().isoformat(),
            "how": "the program is that of the commit, read from git; the table was not made again",
        },
    }
    write_text(manifest, json.dumps(content, indent=2) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the results with what changed, and writes where that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m experiments.stamp", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="results [all]")
    parser.add_argument("--write", action="store_true", help="record the program of the commit where none is recorded")
    asked = parser.parse_args(arguments)
    with progress("reading commits") as say:
        found: list[Held] = []
        for each in held(read_results(RESULTS, asked.names)):
            say(each.name)
            found.append(each)
    for each in found if asked.write else ():
        if not each.is_recorded and not each.why_not:
            stamp(RESULTS / each.name / MANIFEST, each)
    fresh = [each.name for each in found if not each.changed and not each.why_not]
    print(f"{len(fresh)} of {len(found)} results depend on nothing that changed: {', '.join(fresh) or 'none'}")
    lines = [(each.name, each.commit[:10], len(each.changed), _shown(each)) for each in found if each.name not in fresh]
    print_table(("result", "made at", "files", "that changed since"), lines)


def _shown(each: Held) -> str:
    if each.why_not:
        return each.why_not
    shown = sorted(each.changed, key=lambda file: (file.startswith("sttest/core/"), file))[:_SHOWN]
    return ", ".join([*shown, *(["…"] if len(each.changed) > _SHOWN else [])])


if __name__ == "__main__":
    main()
