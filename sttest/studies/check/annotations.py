"""Findings as annotations of a GitHub workflow, which show beside the lines that they are about.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands, "Setting an error message".
"""

from collections.abc import Iterator, Sequence

from sttest.studies.check.finding import Finding, Spot, as_error

_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_MESSAGE, ":": "%3A", ",": "%2C"}


def annotations(findings: Sequence[Finding]) -> list[str]:
    """A line per wait, proposed depth with a place, and input that is refused or slower than it could be."""
    return [line for each in findings for line in _lines(each)]


def _lines(found: Finding) -> Iterator[str]:
    whole = Spot(file=found.source, line=1) if found.source != "-" else None
    match found.verdict:
        case "deadlock":
            title = f"{found.name}: deadlock"
            remedy = " ".join(found.remedy)
            for wait in found.waits:
                yield annotation("error", wait.spot or whole, title, f"{wait.text}\n{remedy}")
            for depth in found.depths:
                if depth.finishes is not None and depth.spot is not None:
                    text = f"FIFO {depth.fifo} of depth {depth.depth} needs depth {depth.finishes}"
                    yield annotation("notice", depth.spot, title, text)
        case "refused":
            yield annotation("error", whole, "not checked", str(as_error(found)))
        case "unknown":
            yield annotation("warning", whole, "not checked", found.stopped)
        case "done":
            if depths := found.fix("no-loss"):
                told = ", ".join(f"{name}={depth}" for name, depth in depths.items())
                text = f"{found.cycles} cycles; {found.lossless_cycles} with {told}"
                if found.throughput is not None:
                    text = f"{found.throughput} iterations per cycle; {found.lossless_throughput} with {told}"
                spot = next((each.spot for each in found.depths if each.spot is not None), whole)
                yield annotation("notice", spot, f"{found.name}: full FIFOs cost cycles", text)


def annotation(kind: str, spot: Spot | None, title: str, text: str) -> str:
    """One command of a workflow.

    >>> annotation("error", Spot(file="a,b.cpp", line=3), "top: deadlock", "100% full")
    '::error file=a%2Cb.cpp,line=3,title=top%3A deadlock::100%25 full'
    """
    properties = {"file": spot.file, "line": str(spot.line)} if spot is not None else {}
    told = ",".join(f"{name}={escaped(value, _PROPERTY)}" for name, value in {**properties, "title": title}.items())
    return f"::{kind} {told}::{escaped(text, _MESSAGE)}"


def escaped(text: str, signs: dict[str, str]) -> str:
    """A text in which no sign ends the command or one of its parts."""
    return "".join(signs.get(sign, sign) for sign in text)
