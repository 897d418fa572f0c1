"""Public HLS C++ files, tried one by one: which are read, with which verdict, and why the others are refused.

    python -m benchmarks.hls_sources CLONES [--only TEXT] [--out results.csv]

CLONES is a folder with a bare repository ``OWNER+NAME/repo`` for each that ``hls_sources.csv`` names; what is missing
is said.  Files go to a temporary folder, and each is read in a process of its own.  Nothing of them is kept here.
``asked`` holds numbers for scalars that no file tells, as ``--set`` takes them.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sttest.core.children import python_command
from sttest.core.files import read_csv, write_text
from sttest.core.tables import print_table

FILES = Path(__file__).with_suffix(".csv")
MOST_SECONDS = 300
_MOST_BYTES = 8 << 20
_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inc", ".tcl", ".cfg", ".app")


def extracted(repository: Path, out: Path, under: str) -> None:
    """Writes the sources and descriptions of a bare repository; objects that its clone lacks are left out."""
    git = ["git", "--git-dir", str(repository)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-l", "-z", "HEAD", under], capture_output=True, check=True).stdout
    entries = [each.split("\t", 1) for each in listed.decode(errors="replace").split("\0") if each]
    for meta, name in entries:
        _, kind, digest, size = meta.split()
        wanted = kind == "blob" and name.lower().endswith(_SUFFIXES) and ".autopilot" not in name
        if wanted and size.isdecimal() and int(size) <= _MOST_BYTES:
            found = subprocess.run([*git, "cat-file", "blob", digest], capture_output=True, check=False)
            if found.returncode == 0:
                path = out / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(found.stdout)


def tried(source: Path, asked: str) -> tuple[str, str, float]:
    """Whether a file is read, its verdict or the cause of its refusal, and seconds.

    Args:
        source: the file.
        asked: numbers, ``NAME=NUMBER`` between blanks.
    """
    began = time.perf_counter()
    options = [part for each in asked.split() for part in ("--set", each)]
    command = python_command(["-m", "sttest", "import", "hls", str(source), *options])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "refused", f"more than {MOST_SECONDS} s", time.perf_counter() - began
    seconds = time.perf_counter() - began
    if done.returncode:
        outcome = "deadlock" if done.returncode == 3 else "refused"
        return outcome, done.stderr.strip().rpartition("\n")[2].removeprefix("error: "), seconds
    checks = [line.removeprefix("checked: ") for line in done.stdout.splitlines() if line.startswith("checked: ")]
    return "read", checks[0] if checks else "", seconds


def rows(clones: Path, only: str) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Repository, file, numbers given, outcome, verdict or cause, and seconds."""
    with tempfile.TemporaryDirectory(prefix="sttest-sources-") as name:
        known: set[str] = set()
        for row in read_csv(FILES):
            repository, file, asked = row["repository"], row["file"], row["asked"]
            if only not in f"{repository}/{file}":
                continue
            clone = clones / repository.replace("/", "+") / "repo"
            folder = Path(name) / repository.replace("/", "+")
            if repository not in known and clone.is_dir():
                extracted(clone, folder, "benchmarks" if repository.endswith("/LightningSim") else ".")
            known.add(repository)
            if not (folder / file).is_file():
                yield repository, file, asked, "missing", f"no clone with it in {clone}", "-"
                continue
            outcome, told, seconds = tried(folder / file, asked)
            yield repository, file, asked, outcome, told.replace(f"{folder}/", ""), f"{seconds:.1f}"


def main() -> None:
    """Prints the table and how many files have which outcome."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clones", type=Path)
    parser.add_argument("--only", default="", help="only files whose repository and path hold this")
    parser.add_argument("--out", type=Path, help="a CSV file to write as well")
    given = parser.parse_args()
    columns = ("repository", "file", "asked", "outcome", "verdict or cause", "s")
    found: list[tuple[str, str, str, str, str, str]] = []
    for row in rows(given.clones, given.only):
        found.append(row)
        print(" | ".join(row), file=sys.stderr, flush=True)
    print_table(columns, found)
    counts = Counter(row[3] for row in found)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    if given.out is not None:
        lines = [",".join(f'"{cell.replace(chr(34), chr(39))}"' for cell in row) for row in (columns, *found)]
        write_text(given.out, "\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
