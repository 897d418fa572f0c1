"""The process that reads and checks designs: ``python -m sttest.studies.check.worker``, ended by whoever asks.

Standard input has a line of JSON, then what was on the standard input of the command.  Each line of standard output is
what is known so far of one input; the last one of an input says that it is done.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sttest.core.errors import DoesNotFitError, InputError, SttestError
from sttest.core.files import STANDARD_INPUT
from sttest.studies.check.designs import designs_of
from sttest.studies.check.finding import Finding, refusal
from sttest.studies.check.inspection import findings_of
from sttest.studies.check.request import Asked


def main() -> None:
    """Checks what it is told to."""
    request = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    answers = _own_output()
    asked = Asked(**request["asked"])
    for number, source in request["inputs"]:
        found: list[Finding] = []
        for found in _checked(source, data if Path(source) == STANDARD_INPUT else None, asked):
            _say(answers, number, found, done=False)
        _say(answers, number, found, done=True)


def _own_output() -> BinaryIO:
    """Standard output for answers alone: whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _say(answers: BinaryIO, number: int, found: list[Finding], *, done: bool) -> None:
    line = {"input": number, "done": done, "findings": [each.model_dump() for each in found]}
    answers.write(json.dumps(line).encode() + b"\n")
    answers.flush()


def _checked(source: str, data: bytes | None, asked: Asked) -> Iterator[list[Finding]]:
    """What is known of an input, ever more."""
    known: list[Finding] = []
    try:
        for design in designs_of(Path(source), data, asked):
            name = str(design.source) if design.source.parent == Path(source) else source  # of a group, the part
            before, found = known, known
            for each in findings_of(name, design, asked.target):
                found = [*before, each]
                yield found
            known = found
    except (SttestError, OSError, MemoryError, RecursionError, UnicodeError) as error:
        yield [*known, refusal(source, _known(error, source))]


def _known(error: BaseException, source: str) -> SttestError:
    if isinstance(error, SttestError):
        return error
    if isinstance(error, MemoryError):
        return DoesNotFitError("out-of-memory", "not enough memory on this machine", where=source)
    if isinstance(error, RecursionError):
        return InputError("too-deep", "it is nested too deeply", where=source)
    if isinstance(error, OSError):
        return InputError("operating-system", error.strerror or str(error), where=str(error.filename or source))
    return InputError("bad-encoding", f"a name or a text is not UTF-8 ({error})", where=source)


if __name__ == "__main__":
    main()
