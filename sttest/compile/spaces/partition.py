"""Die partition: which SLR every process lies in, as a mixed-integer program.

After StreamTensor (arXiv 2509.13694, section on resource allocation): one SLR per task,
crossings and imbalance minimized under the budget of each SLR.  Ours adds what the die
demands: processes at the HBM are pinned to the SLR beside it, and the wires over each
boundary are bounded by its super long lines.

With s(p) the SLR of process p, a FIFO of w wires costs w at every boundary between its
two ends; the objective is

    wires over all boundaries / super long lines of one + weight * fullest share of an SLR

so that an assignment is as good as another that trades one percent of the long lines for
one percent of balance (``weight`` 1).  Wires are the bits of a token and its handshake.

HiGHS solves the program.  Its version is fixed in ``pyproject.toml``: another one ends at other
assignments within the proven gap (1.15.1 did for four of eight designs that were compared).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from highspy import Highs, SolutionStatus

from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.assumptions import NODE_LIMIT, PARTITION_GAP, SHARE_TOLERANCE
from sttest.compile.spaces.slr_moves import Assignment, within_lines
from sttest.compile.spaces.slr_program import SlrProgram
from sttest.core.errors import DoesNotFitError, InputError, did_you_mean

# --- What a die partition is made of: processes, the FIFOs between them, the die, and what an assignment costs


HANDSHAKE_WIRES = 2


@dataclass(frozen=True)
class ProcessFacts:
    """A process to be placed."""

    name: str  # unique
    resources: Resources  # resources, memories included
    pinned: int | None = None  # its SLR, if it can't be chosen


@dataclass(frozen=True)
class WireFacts:
    """A FIFO between two processes, with the bits of a token."""

    fifo: str
    source: str
    target: str
    bits: int

    @property
    def wires(self) -> int:
        """What a boundary between the two ends carries."""
        return self.bits + HANDSHAKE_WIRES


@dataclass(frozen=True)
class Die:
    """What the SLRs offer, in their order on the die."""

    budgets: tuple[Resources, ...]  # budget of each SLR, the margin already taken off
    sll_per_boundary: int  # super long lines between neighbors that a design may use
    balance_weight: float = 1.0  # weight of the fullest share, against wires over ``sll_per_boundary``
    process: Resources | None = None  # what one process may take; None for as much as an SLR has


@dataclass(frozen=True)
class Partition:
    """An assignment."""

    slr_of: Mapping[str, int]  # SLR of each process
    wires: tuple[int, ...]  # wires over the boundary after each SLR but the last
    shares: tuple[Resources, ...]  # shares of each SLR's budget
    objective: float  # see the module
    proven_gap: float  # relative distance to the best bound; 1 where nothing is proven

    def crossings(self, wire: WireFacts) -> int:
        """Boundaries between the two ends of a FIFO."""
        return abs(self.slr_of[wire.source] - self.slr_of[wire.target])


def assess(
    slr_of: Mapping[str, int],
    processes: Sequence[ProcessFacts],
    wires: Sequence[WireFacts],
    die: Die,
    proven_gap: float = 1.0,
) -> Partition:
    """What an assignment costs; it need not fit."""
    crossing: Counter[int] = Counter()
    for wire in wires:
        ends = sorted((slr_of[wire.source], slr_of[wire.target]))
        for boundary in range(*ends):
            crossing[boundary] += wire.wires
    used = (
        total(process.resources for process in processes if slr_of[process.name] == slr)
        for slr in range(len(die.budgets))
    )
    shares = tuple(each.shares_of(budget) for each, budget in zip(used, die.budgets, strict=True))
    fullest = max(share.largest for share in shares)
    objective = crossing.total() / die.sll_per_boundary + die.balance_weight * fullest
    carried = tuple(crossing[boundary] for boundary in range(len(die.budgets) - 1))
    return Partition(dict(slr_of), carried, shares, objective, proven_gap)


def fits(partition: Partition, die: Die) -> bool:
    """Whether no SLR and no boundary is asked for more than it has."""
    full = any(share.largest > 1 + SHARE_TOLERANCE for share in partition.shares)
    return not full and all(wires <= die.sll_per_boundary for wires in partition.wires)


def partition(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition:
    """The best assignment found: the program's, or the greedy one where that is better.

    The program stops at a proven gap of 2 % or after 2000 nodes, whatever the machine's speed.

    Raises:
        DoesNotFitError: no assignment keeps within all budgets and long lines, or none was found.
        InputError: a FIFO's end, or a pinned SLR, is not there.
    """
    refuse_overfull(processes, wires, die)
    tried = _greedy(processes, wires, die), _solve(processes, wires, die)
    found = [each for each in tried if each is not None]
    if not found:
        return _any_assignment(processes, wires, die)
    return min(found, key=lambda each: (round(each.objective, 9), each.proven_gap))


def any_partition(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition:
    """An assignment that keeps within all budgets and long lines; not the best, which takes most of the time.

    Where neither the greedy pass nor moves from there find an assignment, the program is asked for any.

    Raises:
        DoesNotFitError: see :func:`partition`.
        InputError: see :func:`partition`.
    """
    refuse_overfull(processes, wires, die)
    return _greedy(processes, wires, die) or _any_assignment(processes, wires, die)


def _any_assignment(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition:
    found = _moved(processes, wires, die) or _solve(processes, wires, die, any_will_do=True)
    if found is None:
        raise _none_found(processes, die)
    return found


def _none_found(processes: Sequence[ProcessFacts], die: Die) -> DoesNotFitError:
    """The budgets add up, but the processes are too large to be spread over them, or the long lines too few."""
    shares = {each.name: each.resources.shares_of(die.budgets[0]).largest for each in processes}
    largest = max(shares, key=lambda name: shares[name])
    slrs = f"{len(die.budgets)} SLRs with {die.sll_per_boundary:,} super long lines between them"
    return DoesNotFitError(
        "no-partition",
        f"no assignment to {slrs} was found; the largest process is {largest}",
        where="partition",
        demand=round(100 * shares[largest], 1),
        bound=100,
        unit="% of an SLR",
        hints=["lower --overall-unroll", "lower --vector-bits", "lower --beat-bits", "take a larger board"],
    )


def _greedy(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition | None:
    slr_of = greedy_slrs(processes, wires, die)
    if slr_of is None:
        return None
    found = assess(slr_of, processes, wires, die)
    return found if fits(found, die) else None


def _moved(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition | None:
    """The greedy assignment, with processes moved until the long lines are enough."""
    slr_of = greedy_slrs(processes, wires, die)
    if slr_of is None:
        return None
    ends, carried = _numbered(processes, wires)
    apart = ends[:, 0] != ends[:, 1]
    joined = np.zeros((len(processes), len(processes)))
    for one, other in ((0, 1), (1, 0)):
        np.add.at(joined, (ends[:, one], ends[:, other]), carried * apart)
    place = within_lines(
        Assignment(
            place=np.array([slr_of[process.name] for process in processes]),
            joined=joined,
            taken=np.array([_by_kind(process.resources) for process in processes]),
            budgets=np.array([_by_kind(budget) for budget in die.budgets]),
            lines=die.sll_per_boundary,
            movable=np.array([process.pinned is None for process in processes]),
        )
    )
    if place is None:
        return None
    found = assess({each.name: int(slr) for each, slr in zip(processes, place, strict=True)}, processes, wires, die)
    return found if fits(found, die) else None


def _by_kind(resources: Resources) -> list[float]:
    return [getattr(resources, kind) for kind in KINDS]


def _solve(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, *, any_will_do: bool = False
) -> Partition | None:
    """The program's assignment once it is proven to be nearly as good as any; None if there is none.

    ``below`` of a process is 1 where it lies at or before the boundary's SLR; it rises along the boundaries, so that
    the SLR is one-hot by itself.  Only these columns must be whole: the rest follows.
    """
    model, program = Highs(), _program(processes, wires, die)
    options = {"output_flag": False, "mip_max_nodes": NODE_LIMIT, "mip_rel_gap": PARTITION_GAP}
    for option, value in (options | (_ANY_WILL_DO if any_will_do else {})).items():
        model.setOptionValue(option, value)
    model.passModel(program.as_lp(0.0 if any_will_do else 1.0, die.balance_weight))
    model.run()
    info = model.getInfo()
    if info.primal_solution_status != SolutionStatus.kSolutionStatusFeasible:
        return None
    below = np.array(model.getSolution().col_value)[program.below].round().sum(1)
    slr_of = {each.name: program.boundaries - int(count) for each, count in zip(processes, below.tolist(), strict=True)}
    # Without anything to choose there is no gap to speak of.
    found = assess(slr_of, processes, wires, die, info.mip_gap if program.boundaries else 0.0)
    return found if fits(found, die) else None


def _numbered(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the processes at both ends of every FIFO, int64[W, 2], and its wires, int64[W]."""
    number = {process.name: place for place, process in enumerate(processes)}
    ends = np.array([(number[wire.source], number[wire.target]) for wire in wires], np.int64).reshape(-1, 2)
    return ends, np.array([wire.wires for wire in wires], np.int64)


def _program(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> SlrProgram:
    ends, carried = _numbered(processes, wires)
    taken = [_by_kind(process.resources) for process in processes]
    budgets = [_by_kind(budget) for budget in die.budgets]
    return SlrProgram(
        shares=np.array(
            [
                [[amounts[kind] / bound if bound else 0.0 for amounts in taken] for kind, bound in enumerate(budget)]
                for budget in budgets
            ]
        ),
        ends=ends,
        wires=carried,
        lines=die.sll_per_boundary,
        pinned=np.array([-1 if process.pinned is None else process.pinned for process in processes], np.int64),
    )


# Heuristics that look for a better assignment at the root: half of the time where the first one ends the search.
_ANY_WILL_DO = {"mip_rel_gap": inf, "mip_heuristic_run_rens": False, "mip_heuristic_run_root_reduced_cost": False}


# --- What no assignment can mend: a design, or what is pinned to an SLR, that asks for more than there is


UNITS = {"dsp": "DSP slices", "lut": "LUTs", "ff": "flip-flops", "bram18": "BRAM18 blocks", "uram": "URAM blocks"}
_OF_WHAT = {"process-resources": "one process may take of an SLR"}
_FEWER_LANES = "lower --overall-unroll"
_SMALLER_BUFFERS = ("lower --tile-size", "take a shorter context or prompt")
LEVERS = {
    "dsp": (
        _FEWER_LANES,
        "multiply integers of some tasks in LUTs (--fabric)",
        "take a scheme with narrower weights (--precision w4a8)",
    ),
    "lut": (_FEWER_LANES, "lower --vector-bits"),
    "ff": (_FEWER_LANES, "lower --vector-bits"),
    "bram18": _SMALLER_BUFFERS,
    "uram": _SMALLER_BUFFERS,
}


def refuse_overfull(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    """Checks names, then the design against the die, each process, then what is pinned to an SLR against that SLR.

    Raises:
        InputError: a FIFO's end is no process, or a pinned SLR is not there.
        DoesNotFitError: ``board-resources``, ``process-resources`` or ``slr-resources``, for the resource that is
            short by most.
    """
    _refuse_unknown(processes, wires, die)
    refuse_beyond(total(p.resources for p in processes), total(die.budgets), "board-resources", "all SLRs together")
    if (bound := die.process) is not None:
        largest = max(processes, key=lambda each: each.resources.shares_of(bound).largest)
        refuse_beyond(largest.resources, bound, "process-resources", f"process '{largest.name}'")
    for slr, budget in enumerate(die.budgets):
        pinned = total(process.resources for process in processes if process.pinned == slr)
        refuse_beyond(pinned, budget, "slr-resources", f"SLR{slr}, pinned processes")


def refuse_beyond(demand: Resources, bound: Resources, code: str, where: str) -> None:
    """Refuses a demand of which some resource has too little.

    Raises:
        DoesNotFitError: the resource with the largest share is beyond its bound.
    """
    shares = demand.shares_of(bound)
    if shares.largest <= 1:
        return
    kind = max(KINDS, key=lambda name: getattr(shares, name))
    asked, offered = round(getattr(demand, kind), 1), round(getattr(bound, kind), 1)
    raise DoesNotFitError(
        code,
        f"more {UNITS[kind]} than {_OF_WHAT.get(code, 'the budget')}",
        where=where,
        demand=asked,
        bound=offered,
        unit=UNITS[kind],
        hints=[*LEVERS[kind], "take a larger board"],
    )


def _refuse_unknown(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    names = {process.name for process in processes}
    if len(names) < len(processes):
        raise InputError("duplicate-name", "two processes have one name", where="partition")
    for wire in wires:
        for end in (wire.source, wire.target):
            if end not in names:
                raise InputError(
                    "unknown-process", f"no process '{end}'", where=wire.fifo, hints=[did_you_mean(end, names)]
                )
    for process in processes:
        if process.pinned is not None and not 0 <= process.pinned < len(die.budgets):
            raise InputError("no-such-slr", f"there is no SLR{process.pinned}", where=process.name)


# --- A die partition by one pass over the processes: quick, and enough where there is room


def greedy_slrs(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> dict[str, int] | None:
    """The SLR of every process: pinned ones first, each other one in order where it costs least.

    What it costs are the wires to neighbors that are placed already, and the fullest share
    of the SLR that it joins.  None where one fits nowhere; long lines are not looked at.
    """
    neighbors = _joined_with(processes, wires)
    used = [Resources() for _ in die.budgets]
    slr_of: dict[str, int] = {}
    for process in sorted(processes, key=lambda each: each.pinned is None):
        best = _best(process, neighbors[process.name], slr_of, used, die)
        if best is None:
            return None
        slr_of[process.name] = best
        used[best] = used[best] + process.resources
    return slr_of


def _joined_with(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {process.name: [] for process in processes}
    for wire in wires:
        found[wire.source].append((wire.target, wire.wires))
        found[wire.target].append((wire.source, wire.wires))
    return found


def _best(
    process: ProcessFacts,
    neighbors: Sequence[tuple[str, int]],
    slr_of: Mapping[str, int],
    used: Sequence[Resources],
    die: Die,
) -> int | None:
    costs: dict[int, float] = {}
    for slr in range(len(die.budgets)) if process.pinned is None else (process.pinned,):
        fullest = (used[slr] + process.resources).shares_of(die.budgets[slr]).largest
        if fullest > 1:
            continue
        wires = sum(count * abs(slr - slr_of[name]) for name, count in neighbors if name in slr_of)
        costs[slr] = wires / die.sll_per_boundary + die.balance_weight * fullest
    return min(costs, key=lambda slr: (costs[slr], slr)) if costs else None
