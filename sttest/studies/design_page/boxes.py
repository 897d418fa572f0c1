"""What the page says beside processes, groups, FIFOs and waits of a deadlock: short labels, and a line of facts."""

from collections.abc import Mapping, Sequence
from typing import Any

from sttest.sim.deadlock import Deadlock, Wait
from sttest.sim.graph import MAX_DEPTH, Fifo
from sttest.studies.design_page.timelines import PARTS

LABEL_CHARS, END_CHARS = 26, 18
"""Characters of the label of a box or a line, and of each end of a wait."""
_LEAST_SHARE = 0.0005


def cut(text: str, chars: int) -> str:
    """A name cut to length: its middle goes first, for its ends tell it from others."""
    tail = (chars - 1) // 2
    return text if len(text) <= chars else f"{text[: chars - 1 - tail]}…{text[len(text) - tail :]}"


def percent(share: float) -> str:
    """A share of the run for people."""
    return "< 0.1 %" if 0 < share < _LEAST_SHARE else f"{100 * share:.{int(0 < share < 0.0995)}f} %"


def shares_of(columns: Mapping[str, Sequence[Any]], members: Sequence[int], end: int) -> dict[str, Any]:
    """What processes waited for, on average.

    Args:
        columns: cycles of processes by ``PARTS``, None of actors.
        members: places in these columns.
        end: cycles of the run, 0 of none.

    Returns:
        ``wait``: what they waited for longest, the first token left out, None where that is not worth a word;
        ``share``: of the run; ``text``: the same in words.
    """
    timed = [place for place in members if end and columns["busy"][place] is not None]
    if not timed:
        return {"wait": None, "share": 0, "text": []}
    busy, data, space, memory, first = (sum(columns[part][n] for n in timed) / len(timed) / end for part in PARTS)
    waits = {"data": data - first, "space": space, "memory": memory}
    longest = max(waits, key=lambda kind: waits[kind])
    share = round(waits[longest], 4)
    if share < _LEAST_SHARE:
        return {"wait": None, "share": 0, "text": [f"busy {percent(busy)}"]}
    return {"wait": longest, "share": share, "text": [f"{percent(share)} waits for {longest}"]}


def fifo_text(fifo: Fifo, held: int | None) -> str:
    """What a FIFO held at most, of how much."""
    depth = "" if fifo.depth >= MAX_DEPTH else f" of {fifo.depth:,}" if held is not None else f"depth {fifo.depth:,}"
    return f"{cut(fifo.name, LABEL_CHARS)}: {'' if held is None else f'peak {held:,}'}{depth}"


def fifo_note(name: str, deadlock: Deadlock | None) -> str:
    """Its part in a deadlock."""
    if deadlock is None:
        return ""
    notes = [f"wait {number}" for number, wait in enumerate(deadlock.cycle, 1) if wait.fifo == name]
    return "; ".join(notes + ([f"make it {deadlock.fix[name]:,}"] if name in deadlock.fix else []))


def wait_label(number: int, wait: Wait, fix: Mapping[str, int]) -> list[str]:
    """Who waits for whom, and why, in two lines."""
    state = "is full" if wait.waits_to == "write" else f"holds {wait.occupancy:,}" if wait.occupancy else "is empty"
    helps = f", make it {fix[wait.fifo]:,} deep" if wait.fifo in fix else ""
    who, whom = cut(wait.process, END_CHARS), cut(wait.peer, END_CHARS)
    return [f"{number}: {who} waits for {whom}", f"{cut(wait.fifo, END_CHARS)} {state}{helps}"]


def process_text(name: str, text: list[str], deadlock: Deadlock | None, *, is_done: bool) -> list[str]:
    """Lines of a process: what it waited for, in a deadlock what it waits for."""
    if deadlock is None or is_done:
        return text
    found = next((wait for wait in deadlock.cycle if wait.process == name), None)
    return [f"waits to {found.waits_to} {cut(found.fifo, END_CHARS)}"] if found else ["never finishes"]
