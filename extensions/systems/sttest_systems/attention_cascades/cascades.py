"""Attention alone by cascade: passes over the positions, cycles, busy lanes, buffers and energy, at an equal budget.

Every line is the fastest of some scales that fits the budget of the whole board, as in :mod:`sttest.studies.ablation`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sttest.boards.energy import Activity, activity_of
from sttest.boards.load import load_board, require_hbm
from sttest.boards.resources import KINDS, total
from sttest.compile.compiler import CompiledDesign, choose_lanes, compile_text
from sttest.compile.ir.module_walk import functions, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.quantize import Quantize
from sttest.compile.pipeline import tiling_passes
from sttest.compile.reports import activity_table
from sttest.compile.resources.design import design_resources, die_of
from sttest.core.errors import DoesNotFitError
from sttest.frontend.lowering import lower_isolated
from sttest.sim import simulate
from sttest.studies.ablation.measure import attention_bytes
from sttest.studies.whatif.bounds import bounds, moved_bytes
from sttest_systems.attention_cascades.attention_alone import AttentionShape, attention_program
from sttest_systems.attention_cascades.position_passes import position_passes

PRODUCTS = ("attn_scores", "attn_mix")
"""Tasks that multiply queries with keys, and weights with values."""


@dataclass(frozen=True)
class Cascade:
    """A way to compute attention."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    # lanes of every task but the products; None as the compiler chooses
    others_lanes: int | None = None


@dataclass(frozen=True)
class Measured:
    """One design."""

    scale: str
    passes: int
    cycles: int
    clock_mhz: float
    busy: float  # multiply-accumulates over those that all lanes that multiply could do in the time
    memory_cycles: float  # bytes moved over what the HBM sustains
    moved_bytes: int
    attention_bytes: int  # bytes of FIFOs and converters between scores, softmax and mix
    shares: Mapping[str, float]  # shares of the budget of the whole board, by resource
    activity: Mapping[str, float]

    @property
    def fits(self) -> bool:
        """Whether it is within the budget."""
        return max(self.shares.values()) <= 1

    @property
    def done(self) -> Activity:
        """What the run did."""
        return Activity(**self.activity)


def attention_text(shape: AttentionShape) -> str:
    """Linalg text of attention alone.

    Raises:
        ToolMissingError: PyTorch or torch-mlir is not installed.
    """
    return lower_isolated(attention_program, asdict(shape))


def fastest(
    text: str, cascade: Cascade, scales: Sequence[Mapping[str, int]], board: str, engine: str
) -> Measured | None:
    """The fastest design of a cascade that fits, of those that differ in scale; None where none does.

    Args:
        text: linalg text of attention alone.
        cascade: how to compute it.
        scales: compile options of each scale.
        board: name of the board.
        engine: ``maxplus`` or ``simpy``.
    """
    found = [each for each in _measured(text, cascade, scales, board, engine) if each.fits]
    return min(found, key=lambda each: each.cycles, default=None)


def _measured(
    text: str, cascade: Cascade, scales: Sequence[Mapping[str, int]], board: str, engine: str
) -> Iterator[Measured]:
    for scale in scales:
        options = CompileOptions(precision="w4a8", **scale, **cascade.options)
        if cascade.others_lanes is not None:
            options = options.with_(lanes=_narrowed(choose_lanes(text, options), cascade.others_lanes))
        try:
            design = compile_text(text, cascade.name, board, options)
        except DoesNotFitError:  # more on-chip memory than there is
            continue
        yield measured(design, text, ", ".join(f"{name} {value}" for name, value in scale.items()), engine)


def _narrowed(lanes: Sequence[str], most: int) -> tuple[str, ...]:
    """The lanes of every task (``name:lanes``), all but those of products cut to ``most``."""
    pairs = (each.rsplit(":", 1) for each in lanes)
    return tuple(f"{name}:{count if name in PRODUCTS else min(int(count), most)}" for name, count in pairs)


def measured(design: CompiledDesign, text: str, scale: str, engine: str) -> Measured:
    """A design of attention alone, simulated and weighed."""
    run = simulate(design.graph, engine=engine)
    if run.cycles is None:
        raise AssertionError(f"{design.name}: the sized design deadlocks: {run.to_text()}")
    bound, clock_mhz = bounds(design, design.graph, design.board), design.graph.clock_mhz
    shares = design_resources(design).total.shares_of(total(die_of(design.board, "published").budgets))
    busy_cycles = {name: each.busy_cycles for name, each in run.breakdown.items()}
    return Measured(
        scale,
        passes_of(text, design.options, design.board.name),
        run.cycles,
        clock_mhz,
        bound.compute_us * clock_mhz / run.cycles,
        bound.memory_us * clock_mhz,
        moved_bytes(design.graph),
        attention_bytes(design),
        {kind: getattr(shares, kind) for kind in KINDS},
        asdict(activity_of(activity_table(design), busy_cycles, run.cycles, clock_mhz)),
    )


def passes_of(text: str, options: CompileOptions, board: str) -> int:
    """Passes over the positions of what is compiled, integers included."""
    context = new_context()
    module = parse(text, "attention", context)
    set_target(module, require_hbm(load_board(board)))
    for each in tiling_passes(options):
        each.apply(context, module)
        if isinstance(each, Quantize):
            break
    return max(map(position_passes, functions(module)))
