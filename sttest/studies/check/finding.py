"""What a check finds of one design: plain values, as they come from the process that finds them."""

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from sttest.core.errors import (
    DeadlockError,
    DoesNotFitError,
    EnginesDisagreeError,
    InputError,
    SttestError,
    ToolMissingError,
)

SCHEMA = "sttest.check/1"
Verdict: TypeAlias = Literal["done", "deadlock", "refused", "unknown"]
"""``refused``: no design that can be read; ``unknown``: there was not enough time."""
_KINDS = (InputError, DeadlockError, DoesNotFitError, ToolMissingError, EnginesDisagreeError)


class _Values(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Spot(_Values):
    """A line of a file, from 1, by the path that leads to it from here."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """As compilers write it."""
        return f"{self.file}:{self.line}"


class FoundWait(_Values):
    """A process of the cycle of waits, as ``sttest.sim.deadlock.Wait`` has it, in words, and where it stands."""

    process: str
    waits_to: str
    fifo: str
    token: int
    depth: int
    occupancy: int
    peer: str
    text: str
    spot: Spot | None = None


class FoundDepth(_Values):
    """A FIFO for which another depth is proposed, tokens.

    ``finishes``: with which the design finishes; ``lossless``: with which it loses no cycle; None where its own does.
    """

    fifo: str
    depth: int
    finishes: int | None = None
    lossless: int | None = None
    spot: Spot | None = None


class FileEdit(_Values):
    """A file with its new text; ``before`` is the SHA-256 of what it held when it was read, empty for a new file."""

    path: str
    text: str
    before: str


class Change(_Values):
    """Proposed depths in the form of the tool that the design is from.

    ``writes``: what that form is; ``text``: as it is written to a file of its own; ``edits``: what applying it changes;
    ``why_not``: why nothing can be changed in place.
    """

    writes: str
    depths: dict[str, int]
    text: str
    edits: tuple[FileEdit, ...] = ()
    why_not: str = ""
    is_patch: bool = False


class Finding(_Values):
    """One design, or what is none.

    ``source``: as it was named; ``form``: what it was taken for; ``read_with``: files that were found beside it;
    ``cycles`` None on a deadlock and of endless graphs, which have a ``throughput``; ``remedy``: what would let it
    finish, in sentences; ``finishes_cycles``, ``lossless_cycles``: with the proposed depths, as simulated;
    ``is_fastest``: whether deeper FIFOs gain nothing; ``sized_bits``: of the smallest FIFOs that lose no cycle, where
    they were looked for; ``stopped``: what there was no time for.
    """

    source: str
    verdict: Verdict
    form: str = ""
    name: str = ""
    read_with: tuple[str, ...] = ()
    cycles: int | None = None
    clock_mhz: float | None = None
    throughput: str | None = None
    processes: int = 0
    waits: tuple[FoundWait, ...] = ()
    is_closed: bool = True
    remedy: tuple[str, ...] = ()
    depths: tuple[FoundDepth, ...] = ()
    finishes_cycles: int | None = None
    lossless_cycles: int | None = None
    lossless_throughput: str | None = None
    is_fastest: bool = False
    fifo_bits: int | None = None
    sized_bits: int | None = None
    assumed: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    change: Change | None = None
    why_no_change: str = ""
    error: dict[str, Any] | None = None
    error_code: int = 0
    stopped: str = ""

    @property
    def exit_code(self) -> int:
        """That of a command that checks this alone."""
        if self.verdict == "deadlock":
            return DeadlockError.exit_code
        if self.verdict == "unknown":
            return DoesNotFitError.exit_code
        return self.error_code

    def fix(self, target: str) -> dict[str, int]:
        """Depths by FIFO that are proposed for ``no-deadlock`` or ``no-loss``."""
        found = {each.fifo: each.finishes if target == "no-deadlock" else each.lossless for each in self.depths}
        return {name: depth for name, depth in found.items() if depth is not None}

    def to_json(self) -> dict[str, Any]:
        """The finding without the texts of files that would be written."""
        told = self.model_dump(exclude={"change": {"edits"}, "error_code": True})
        if told["change"] is not None and self.change is not None:
            told["change"]["files"] = [edit.path for edit in self.change.edits]
        return told | {"exit_code": self.exit_code}


def refusal(source: str, error: SttestError, form: str = "") -> Finding:
    """The finding of what cannot be checked."""
    return Finding(source=source, verdict="refused", form=form, error=error.to_dict(), error_code=error.exit_code)


def as_error(finding: Finding) -> SttestError:
    """The error of a finding that is refused."""
    told = dict(finding.error or {})
    kind = next((each for each in _KINDS if each.exit_code == finding.error_code), SttestError)
    return kind(told.pop("code"), told.pop("what"), **told)
