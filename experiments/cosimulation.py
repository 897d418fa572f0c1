"""Solution folders of public repositories, imported as they are and held against their co-simulation.

``python -m experiments.cosimulation FOLDER`` takes a folder of git repositories, bare or not, each called
``owner+name``, with as much of their history as is there; they are fetched from GitHub and nothing of them is kept.  A
solution is found wherever ``.autopilot/db`` has bitcode, once for each bitcode with each measured latency, at the
newest commit that has it; without a measured latency, at the newest commit of all.  Files that a snapshot leaves out,
as very large ones are, are missing in the folder as well.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from sttest.core.children import python_command
from sttest.core.errors import InputError
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.importers.solution import read_and_check
from sttest.importers.solution.folder import cosimulated_latency, find_solution

__depends__ = ()

RESULT = Path(__file__).parents[1] / "results" / "cosimulation"
CLOSE = 0.02
MOST_SECONDS, MOST_COMMITS = 90, 200
"""Of one folder, and of the history of one repository."""
_BITCODE = ".autopilot/db/a.o.3.bc"
_NEEDED = re.compile(
    r"\.autopilot/db/(?:a\.o\.3\.bc|[^/]*\.sched\.adb|[^/]*\.verbose\.sched\.rpt|sim_tb/tv_[^/]*/cdatafile/[^/]*)"
    r"|sim/tv/cdatafile/[^/]*|sim/report/[^/]*|sim/report/\w+/\w+(?:\.\w+)?\.rpt|syn/report/[^/]*\.xml|syn/verilog/[^/]*\.v"
)
_LATENCY = re.compile(r"sim/report/\w+/(?:lat|result\.transaction)\.rpt")


@dataclass(frozen=True)
class PublicSolution:
    """A solution folder at a commit of a repository; files are git's names of contents by path below it."""

    repository: str
    git: Path
    commit: str
    path: str
    files: dict[str, str]

    @property
    def name(self) -> str:
        """Where it is, as a reader finds it."""
        return f"{self.repository}@{self.commit[:8]}/{self.path}"


@dataclass(frozen=True)
class ImportedFolder:
    """What the importer made of a folder; ``refusal`` is why it gives no graph unless it is told to go on."""

    name: str
    version: str = ""
    processes: int = 0
    fifos: int = 0
    cycles: int | None = None
    cosimulated: int | None = None
    is_older: bool = False
    equal_functions: int = 0
    fixed_functions: int = 0
    code: str = ""
    refusal: str = ""

    @property
    def repository(self) -> str:
        """``owner/name``."""
        return self.name.partition("@")[0]

    @property
    def error(self) -> float | None:
        """How far its latency is off."""
        return None if self.cycles is None or not self.cosimulated else self.cycles / self.cosimulated - 1

    @property
    def is_judged(self) -> bool:
        """Whether it ran and has a truth that is younger than its schedule."""
        return self.cosimulated is not None and not self.is_older and self.code in ("", "does-not-agree")

    @property
    def is_close(self) -> bool:
        """Whether its latency is that of the co-simulation, or nearly."""
        return self.error is not None and abs(self.error) <= CLOSE


def _git(repository: Path, *arguments: str) -> str:
    line = ["git", "--git-dir", str(repository), *arguments]
    return subprocess.run(line, check=False, capture_output=True).stdout.decode("utf-8", "replace")


def repositories(folder: Path) -> Iterator[tuple[str, Path]]:
    """Names and git directories of the repositories in a folder.

    Raises:
        InputError: there is none.
    """
    found = False
    for each in sorted(path for path in folder.glob("*+*") if path.is_dir()):
        for git in (each, each / ".git", each / "repo", each / "repo" / ".git"):
            if (git / "HEAD").is_file() and (git / "objects").is_dir():
                found = True
                yield each.name.replace("+", "/", 1), git
    if not found:
        hints = ["fetch them as owner+name, for example those that results/cosimulation names"]
        raise InputError("no-repositories", "no repository is there", where=str(folder), hints=hints)


def solutions(repository: str, git: Path) -> Iterator[PublicSolution]:
    """The solution folders of a repository."""
    touched = _git(git, "log", "--all", "--format=%H", "--", "*a.o.3.bc", "*lat.rpt", "*.sched.adb").split()
    seen: set[tuple[str, ...]] = set()
    newest = _git(git, "rev-parse", "HEAD").strip()
    for commit in list(dict.fromkeys([newest, *touched]))[:MOST_COMMITS]:
        listed = _git(git, "ls-tree", "-r", "-z", commit).split("\0")
        blobs = {path: facts.split()[2] for facts, _, path in (each.partition("\t") for each in listed if each)}
        for path in [each for each in blobs if each.endswith(_BITCODE)]:
            root = path.removesuffix(_BITCODE)
            below = {each.removeprefix(root): blob for each, blob in blobs.items() if each.startswith(root)}
            measured = sorted(blob for each, blob in below.items() if _LATENCY.fullmatch(each))
            key = (blobs[path], *measured)
            if key not in seen and (measured or commit == newest):
                seen.add(key)
                needed = {each: blob for each, blob in below.items() if _NEEDED.fullmatch(each)}
                yield PublicSolution(repository, git, commit, root.rstrip("/") or ".", needed)


def _extract(solution: PublicSolution, into: Path) -> None:
    """Writes its files, but for those that the snapshot does not have."""
    wanted = "".join(f"{blob}\n" for blob in solution.files.values()).encode()
    line = ["git", "--git-dir", str(solution.git), "cat-file", "--batch"]
    data = subprocess.run(line, input=wanted, check=True, capture_output=True).stdout
    place = 0
    for path in solution.files:
        end = data.index(b"\n", place)
        head, place = data[place:end].split(), end + 1
        if head[-1] == b"missing":
            continue
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data[place : place + int(head[2])])
        place += int(head[2]) + 1


def imported(solution: PublicSolution) -> ImportedFolder:
    """What the importer makes of a folder, in a process of its own that is ended after some time."""
    with tempfile.TemporaryDirectory(prefix="sttest-public-") as folder:
        _extract(solution, Path(folder))
        line = python_command([__file__, "--one", folder])
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return ImportedFolder(solution.name, code="run-too-long", refusal=f"it takes more than {MOST_SECONDS} s")
        if done.returncode != 0:
            return ImportedFolder(solution.name, code="crash", refusal=done.stderr.strip()[-160:])
        facts = json.loads(done.stdout.splitlines()[-1])
    facts["refusal"] = facts["refusal"].replace(f"{folder}/", "").replace(folder, solution.path)
    return ImportedFolder(solution.name, **facts)


def one(folder: Path) -> dict[str, object]:
    """The facts of one folder but for its name."""
    found = ImportedFolder("")
    version, truth = "", None
    try:
        solution = find_solution(folder)
        version, truth = solution.version, cosimulated_latency(solution)
        graph, told = read_and_check(folder)
        found = ImportedFolder(
            "", version, len(graph.processes), len(graph.fifos), told.measured, told.cosimulated, told.is_older,
            told.equal_functions, told.fixed_functions,
        )  # fmt: skip
        told.require_agreement(".")
    except InputError as error:
        cycles, older = (truth.cycles, truth.is_older) if truth else (None, False)
        known = asdict(found) | {"version": version, "cosimulated": cycles, "is_older": older}
        return {**known, "code": error.code, "refusal": error.what}
    return asdict(found)


def _rows(each: ImportedFolder) -> Iterator[Row]:
    age = "" if each.cosimulated is None else "older" if each.is_older else "younger"
    axes = {
        "version": each.version, "processes": each.processes, "FIFOs": each.fifos, "truth": age,
        "verdict": each.code or "agrees",
    }  # fmt: skip
    source = f"https://github.com/{each.repository}"
    note = each.refusal[:300] or ("" if each.cycles is not None else "deadlock")
    yield Row(
        "cosimulation", "cycles", each.cycles, "cycles", "simulated", model=each.name, reference=each.cosimulated,
        source=source, note=note, axes=axes,
    )  # fmt: skip
    if each.fixed_functions:
        yield Row(
            "cosimulation", "functions", each.equal_functions, "count", "simulated", model=each.name,
            reference=each.fixed_functions, source=source, axes=axes,
            note="functions of fixed latency that equal the report of the synthesis, of how many",
        )  # fmt: skip


def summary(found: Sequence[ImportedFolder]) -> list[str]:
    """Sentences on all of them."""
    judged = [each for each in found if each.is_judged]
    close, exact = [each for each in judged if each.is_close], [each for each in judged if each.error == 0]
    silent = [each for each in judged if not each.is_close and not each.code]
    equal, fixed = sum(each.equal_functions for each in found), sum(each.fixed_functions for each in found)
    alone = [each for each in found if each.cosimulated is None and each.fixed_functions]
    return [
        f"{len(found)} folders of {_repositories(found)} repositories, "
        f"{sum(each.cosimulated is not None for each in found)} with a co-simulated latency",
        f"{len(judged)} of {_repositories(judged)} repositories ran and have a truth younger than their schedule: "
        f"{len(exact)} exact, {len(close)} of {_repositories(close)} repositories within {CLOSE:.0%} "
        f"({len(close) / max(1, len(judged)):.0%}); {len(judged) - len(close) - len(silent)} are refused, "
        f"{len(silent)} are off and not refused",
        f"{equal} of {fixed} functions of fixed latency equal the synthesis report, "
        f"{sum(each.equal_functions for each in alone)} of {sum(each.fixed_functions for each in alone)} of them in "
        f"folders of {_repositories(alone)} repositories without a co-simulation",
    ]


def _repositories(found: Sequence[ImportedFolder]) -> int:
    return len({each.repository for each in found})


def main(arguments: Sequence[str] | None = None) -> None:
    """Imports all solutions of a folder of repositories and writes the result."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.cosimulation", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="of repositories called owner+name")
    parser.add_argument("--out", type=Path, default=RESULT, help="folder of the result")
    parser.add_argument("--jobs", type=int, default=2, help="folders at a time")
    parser.add_argument("--one", action="store_true", help="the folder is one solution: print its facts")
    asked = parser.parse_args(arguments)
    if asked.one:
        print(json.dumps({name: value for name, value in one(asked.folder).items() if name != "name"}))
        return
    known: dict[tuple[str, ...], PublicSolution] = {}
    for repository, git in repositories(asked.folder):
        for each in solutions(repository, git):  # some repositories have folders of others
            blobs = (each.files[_BITCODE], *sorted(b for path, b in each.files.items() if _LATENCY.fullmatch(path)))
            known.setdefault(blobs, each)
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = sorted(pool.map(imported, known.values()), key=lambda each: each.name)
    cells = [
        (each.name, each.version, each.processes, each.fifos, each.cycles, each.cosimulated,
         "" if each.error is None else f"{each.error:+.2%}", each.code or "agrees")
        for each in found if each.cosimulated is not None
    ]  # fmt: skip
    print_table(("folder", "tool", "processes", "FIFOs", "cycles", "co-simulation", "error", "verdict"), cells)
    print("\n".join(summary(found)))
    config = {"folders": len(found), "repositories": _repositories(found), "seconds": MOST_SECONDS}
    with ResultFolder(asked.out, made_by="experiments.cosimulation", config=config) as folder:
        for each in found:
            folder.add(*_rows(each))


if __name__ == "__main__":
    main()
