"""A campaign: bits and cycles drawn by a seed, one run of the hardware for each, and what came of it.

Each kind of site is sampled apart, uniformly over its bits and the cycles of the run without a fault, as particles
strike.  The share of the whole design weighs the kinds by their bits.  Results are kept line by line: a campaign that
was stopped goes on where it was.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.core.files import read_text
from sttest.core.plain_files import check_replaceable
from sttest_systems.faults.injection import Fault, FaultSite, FaultyDesign, FaultyRun
from sttest_systems.faults.shares import Share, weighted

Outcome: TypeAlias = Literal["masked", "value", "token", "hang"]
"""Memory is what it is without a fault; it is not, but the token is; the token is another; the launch never ends."""
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_PATIENCE = 3
"""Times the clock edges of the run without a fault after which a run hangs."""


@dataclass(frozen=True)
class Injection:
    """A fault and what came of it."""

    kind: str
    site: int
    owner: str
    register: str
    word: int
    bit: int
    cycle: int
    outcome: Outcome
    stands: bool  # whether it stood still, rather than running on
    leaves: bool  # whether other FIFOs hold tokens at the end than without the fault
    edges: int  # clock edges
    stored: str  # hash of what went to memory

    @property
    def is_seen(self) -> bool:
        """Whether the FIFOs tell: the launch stands still, takes too long, or leaves tokens behind."""
        return self.outcome == "hang" or self.leaves


@dataclass(frozen=True)
class Campaign:
    """All injections into a design."""

    name: str
    seed: int
    cycles: int  # cycles of the run without a fault
    bits: Mapping[str, int]  # bits of all sites, by kind
    injections: tuple[Injection, ...]

    def of_kind(self, kind: str) -> list[Injection]:
        """Those of one kind of site."""
        return [each for each in self.injections if each.kind == kind]

    def share(self, kind: str, outcomes: Iterable[Outcome]) -> Share:
        """The share of a kind's faults that have one of some outcomes."""
        found, wanted = self.of_kind(kind), set(outcomes)
        return Share.of_counts(sum(each.outcome in wanted for each in found), len(found))

    def whole(self, outcomes: Sequence[Outcome]) -> Share:
        """The share of the faults of the whole design, kinds weighed by their bits."""
        return weighted({kind: self.share(kind, outcomes) for kind in self.kinds}, self.bits)

    @property
    def kinds(self) -> list[str]:
        """Kinds of which something was injected."""
        return [kind for kind in self.bits if self.of_kind(kind)]

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.faults/1``."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "seed": self.seed,
            "cycles": self.cycles,
            "kinds": {
                kind: {
                    "bits": self.bits[kind],
                    "injections": len(self.of_kind(kind)),
                    "seen": sum(each.is_seen for each in self.of_kind(kind)),
                    **{outcome: self.share(kind, [outcome]).to_json() for outcome in OUTCOMES},
                }
                for kind in self.kinds
            },
            "whole": {outcome: self.whole([outcome]).to_json() for outcome in OUTCOMES},
            "injections": [asdict(each) for each in self.injections],
        }


SCHEMA = "sttest.faults/1"


def drawn_faults(sites: Sequence[FaultSite], cycles: int, count: int, seed: int) -> list[Fault]:
    """So many faults of one kind of site, uniformly over bits and cycles; the first ones of more are those of fewer.

    Args:
        sites: sites of the kind.
        cycles: cycles of the run without a fault.
        count: number of faults.
        seed: of the draw.
    """
    source = np.random.default_rng([seed, *sites[0].kind.encode()])
    ends = np.cumsum([site.size for site in sites])
    found = []
    for _ in range(count):
        place, cycle = int(source.integers(ends[-1])), int(source.integers(cycles))
        number = int(np.searchsorted(ends, place, side="right"))
        within = place - (int(ends[number - 1]) if number else 0)
        site = sites[number]
        found.append(Fault(site, within // site.bits, within % site.bits, cycle))
    return found


def run_campaign(
    name: str,
    design: FaultyDesign,
    token_fifo: str,
    work_dir: Path,
    per_kind: int,
    seed: int,
    jobs: int = 2,
    tell: Callable[[str], None] = lambda _step: None,
) -> Campaign:
    """Injects faults and sorts what comes of them.

    Args:
        name: of the design.
        design: built design.
        token_fifo: FIFO of the chosen token; empty where there is none.
        work_dir: folder of results and runs.
        per_kind: faults per kind of site.
        seed: of the draw.
        jobs: runs at a time.
        tell: called with a line of progress.

    Raises:
        EnginesDisagreeError: the run without a fault is not that of the reference engine.
        SttestError: a simulation failed.
    """
    golden = design.timed_run()
    if golden.wrong or golden.cycles is None:
        what = str(golden.wrong[0]) if golden.wrong else f"ends with {golden.verdict}"
        raise EnginesDisagreeError("values", what, where=name)
    right = design.run(None, work_dir / "rooms" / "0", _NO_LIMIT)
    by_kind: dict[str, list[FaultSite]] = {}
    for site in design.sites:
        by_kind.setdefault(site.kind, []).append(site)
    faults = [fault for sites in by_kind.values() for fault in drawn_faults(sites, golden.cycles, per_kind, seed)]
    store = _Store(work_dir / "injections.jsonl", _identity(design, right, seed))
    waiting = [fault for fault in dict.fromkeys(faults) if _key(fault) not in store.known]
    rooms, lock = [work_dir / "rooms" / str(number) for number in range(jobs)], threading.Lock()

    def inject(fault: Fault) -> None:
        with lock:
            room = rooms.pop()
        try:
            ran = design.run(fault, room, _PATIENCE * right.edges)
        finally:
            with lock:
                rooms.append(room)
        with lock:
            store.add(_injection(fault, ran, right, token_fifo))
            tell(f"{len(store.known):,} of {len(set(faults)):,} faults")

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(inject, fault) for fault in waiting]:
            done.result()
    bits = {kind: sum(site.size for site in sites) for kind, sites in by_kind.items()}
    return Campaign(name, seed, golden.cycles, bits, tuple(store.known[_key(fault)] for fault in faults))


_NO_LIMIT = 2_000_000_000


def _injection(fault: Fault, ran: FaultyRun, right: FaultyRun, token_fifo: str) -> Injection:
    site = fault.site
    return Injection(
        kind=site.kind,
        site=site.number,
        owner=site.owner,
        register=site.register,
        word=fault.word,
        bit=fault.bit,
        cycle=fault.cycle,
        outcome=_outcome(ran, right, token_fifo),
        stands=ran.verdict == "deadlock",
        leaves=ran.tokens_left != right.tokens_left,
        edges=ran.edges,
        stored=stored_hash(ran.stored),
    )


def _outcome(ran: FaultyRun, right: FaultyRun, token_fifo: str) -> Outcome:
    if ran.verdict != "done":
        return "hang"
    if ran.stored == right.stored:
        return "masked"
    return "token" if token_fifo and ran.stored[token_fifo] != right.stored[token_fifo] else "value"


def stored_hash(stored: Mapping[str, str]) -> str:
    """A name of what went to memory."""
    return hashlib.sha256(json.dumps(stored, sort_keys=True).encode()).hexdigest()[:16]


# --- What is done


def _key(fault: Fault) -> tuple[int, int, int, int]:
    return fault.site.number, fault.word, fault.bit, fault.cycle


def _identity(design: FaultyDesign, right: FaultyRun, seed: int) -> str:
    """A name of all that a campaign's results depend on."""
    sites = [asdict(site) for site in design.sites]
    texts = [(design.folder / name).read_text(encoding="utf-8") for name in ("processes.sv", "graphs.sv")]
    facts = json.dumps([sites, texts, stored_hash(right.stored), seed])
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def _kept_lines(path: Path) -> list[str]:
    """Lines of a file that may be missing, or no text; then the campaign begins anew."""
    try:
        return read_text(path).splitlines() if path.is_file() else []
    except InputError:
        return []


class _Store:
    """Injections in a file, one per line behind a line that names the campaign."""

    def __init__(self, path: Path, identity: str) -> None:
        self.known: dict[tuple[int, int, int, int], Injection] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        check_replaceable(path)
        lines = _kept_lines(path)
        if not lines or lines[0] != identity:
            path.write_text(identity + "\n", encoding="utf-8")
            lines = []
        self._file = path.open("a", encoding="utf-8")
        for line in lines[1:]:
            try:
                found = Injection(**json.loads(line))
            except (ValueError, TypeError):  # the last line of a campaign that was killed
                continue
            self.known[found.site, found.word, found.bit, found.cycle] = found

    def add(self, found: Injection) -> None:
        self.known[found.site, found.word, found.bit, found.cycle] = found
        self._file.write(json.dumps(asdict(found)) + "\n")
        self._file.flush()


def counts(injections: Iterable[Injection]) -> Counter[Outcome]:
    """Injections by outcome."""
    return Counter(each.outcome for each in injections)
