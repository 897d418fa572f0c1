"""The door of experiments: published tables by name, and the program in a checkout that makes them.

    Offer("experiments", "speeds", "my_package.speeds:reproduce", "what is asked, in a line")

is a function ``reproduce(out, *, engine, jobs)`` that leaves a folder of results.  A study of a published system is a
folder, see ``folders.py`` here.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from sttest.core import terminal
from sttest.core.children import python_command
from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import Offer, offers
from sttest.core.files import check_output_folder
from sttest.core.results import RESULTS_SCHEMA
from sttest.studies.folders import studies

__depends__ = ()

ALL = "all"


@cache
def programs() -> dict[str, Offer]:
    """What makes each table, ``reproduce(out, engine, jobs)`` of a module: experiments, then studies of extensions."""
    return offers("experiments") | {name: study.offer for name, study in studies().items()}


def questions() -> dict[str, str]:
    """The experiments with one line each, ``all`` the last."""
    return {name: each.summary for name, each in programs().items()} | {ALL: "every experiment above, one by one"}


def result_folders(name: str, out: Path | None) -> list[Path]:
    """Where an experiment's results go."""
    results = out or Path("results")
    return [results / each for each in programs()] if name == ALL else [out or results / name]


def reproduce(name: str, out: Path | None, engine: str, jobs: int, *, quiet: bool = False) -> int:
    """Runs ``python -m experiments reproduce NAME`` of the checkout and returns its exit code.

    Args:
        name: an experiment, or ``all``.
        out: folder of results; None for ``results/NAME``.
        engine: ``maxplus`` or ``simpy``.
        jobs: number of processes.
        quiet: whether nothing is printed on stdout.

    Raises:
        InputError: see :func:`checked`.
    """
    checkout = checked(name, out)
    program = ["-m", "experiments", "reproduce", name, "--engine", engine, "--jobs", str(jobs)]
    command = python_command(program, ends_with_us=True)
    if out is not None:
        command += ["--out", str(out)]
    style = terminal.style
    forms = {"--wide": style.wide, "--csv": style.csv is not None, "--json": style.json}
    command += [flag for flag, is_asked in forms.items() if is_asked]
    paths = [str(checkout), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    stdout = subprocess.DEVNULL if quiet else None
    sys.stdout.flush()
    code = subprocess.run(command, env=environment, stdout=stdout, check=False).returncode
    if terminal.style.csv is not None:
        terminal.style.csv.tables += 1
    return code


def checked(name: str, out: Path | None) -> Path:
    """The checkout that has an experiment whose results can be written.

    Raises:
        InputError: an unknown name, a folder that can't be written, or no checkout: the wheel holds no experiments.
    """
    if name not in questions():
        raise InputError(
            "unknown-experiment",
            f"unknown experiment '{name}'",
            where="reproduce",
            hints=[did_you_mean(name, questions())],
        )
    checkout = _checkout()
    for folder in result_folders(name, out):
        check_output_folder(folder, RESULTS_SCHEMA, "folder of results")
    return checkout


def _checkout() -> Path:
    for folder in (Path.cwd(), Path(__file__).parents[2]):
        if (folder / "experiments" / "__main__.py").is_file():
            return folder
    raise InputError(
        "no-experiments",
        "the experiments are not part of the installed package",
        where="reproduce",
        hints=["run it in a clone of the repository", "sttest whatif runs the shipped studies anywhere"],
    )
