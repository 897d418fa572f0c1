"""`sttest opt`: any passes on IR text."""

import sys
from pathlib import Path

from sttest.compile.opt import OptResult, run_opt
from sttest.core.files import read_text


def run(
    file: Path, pipeline: str, board: str | None, *, print_after_all: bool, verify_each: bool, time_passes: bool
) -> None:
    """Prints the IR after the last pass on stdout, and what is asked of the single passes on stderr.

    Raises:
        SttestError: no such file, bad IR, an unknown pass, or whatever a pass refuses.
    """
    text = read_text(file, hints=["name a .mlir file, or - for standard input"])
    where = "standard input" if file == Path("-") else str(file)
    result = run_opt(
        text, where, pipeline, board=board, print_after_all=print_after_all, verify_each=verify_each,
        time_passes=time_passes,
    )  # fmt: skip
    _tell_passes(result)
    sys.stdout.write(result.text)


def _tell_passes(result: OptResult) -> None:
    for each in result.passes:
        if each.text is not None:
            print(f"// IR after {each.spec}\n{each.text}", file=sys.stderr)
    for each in result.passes:
        if each.seconds is not None:
            print(f"{1e3 * each.seconds:10.2f} ms  {each.spec}", file=sys.stderr)
