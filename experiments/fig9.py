"""StreamTensor Fig. 9 with designs that fit: lanes, C_max, launches and the LM head, and which of them explains it.

The reproduced designs (`sttest reproduce emerging`) have the lanes that GPT-2's TTFT was fitted with, whether or not
they fit the board.  Here lanes are swept, each design is held against the board's budget, and the best ratio over
the paper's A100 is set beside the published one.  No constant is added: launches are figures of the board's file, the
head is one more product of 256 lanes, and lanes are the only thing that is turned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import exp, log
from pathlib import Path

from experiments.blocks import BlockRun, lanes_for
from experiments.designs import BOARD, ModelBlocks, card, fitted_overheads, reproduced_options, simulate_models
from experiments.emerging import CONTEXTS, LENGTHS, MODELS, SHAPES
from experiments.emerging_rows import FIG9, FIG9_QUANTITY, published_ratio
from experiments.emerging_what_ifs import best_ratio
from experiments.gpu_opponents import Opponent, a100_opponents
from experiments.published import published_text
from sttest.boards.board import FpgaBoard
from sttest.boards.resources import total
from sttest.compile.compiler import compile_text, fusion_report
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.compile.resources.design import design_resources, die_under
from sttest.core.processes import process_pool
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.studies.steps import step_counter

EXPERIMENT = "fig9"
FEWER_LANES = (1536, 2048, 3072, 4096)
LAUNCHES = ("queued_us", "back_to_back_us", "single_high_us")
C_MAX_SHARES = (1, 4, 16, 64, 256)
"""Parts of the on-chip memory that the paper calls C_max."""
FLOWS = {"hls": "C++", "rtl": "RTL"}
"""Ways to count a design's resources, see ``--flow``."""
_BUDGET = "published"


@dataclass(frozen=True)
class Case:
    """What may explain the figure."""

    lanes: int  # lanes over all kernels of a block
    launch: str  # field of the board's launch costs
    with_head: bool  # whether the LM head is timed

    def __str__(self) -> str:
        head = "LM head on the card" if self.with_head else "LM head not timed"
        return f"{self.lanes} lanes, launch {self.launch.removesuffix('_us')}, {head}"


@dataclass(frozen=True)
class Explained:
    """A case with its best ratios over the paper's A100."""

    case: Case
    ratios: Mapping[str, float]  # ratios by model
    fits: tuple[str, ...]  # flows in which the designs of both phases of all models do

    @property
    def error_factor(self) -> float:
        """The error as a factor."""
        return exp(self.error)

    @property
    def error(self) -> float:
        """The largest distance of a ratio from the published one, in logarithms; from a bound, what is beyond it."""
        quotients = []
        for model, ratio in self.ratios.items():
            published = published_ratio(model)
            quotients.append(max(0.0, log(ratio)) if published is None else abs(log(ratio / published)))
        return max(quotients)


@dataclass(frozen=True)
class Fit:
    """What a design asks for, in shares of the budget of all SLRs."""

    shape: BlockRun
    shares: Mapping[str, Mapping[str, float]]  # shares by flow and resource

    def fullest(self, flow: str) -> tuple[str, float]:
        """The resource that runs out first."""
        return max(self.shares[flow].items(), key=lambda item: item[1])


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Explained]:
    """Prints the tables and writes ``out``."""
    lanes = [*FEWER_LANES, reproduced_options().overall_unroll]
    say = step_counter(len(lanes) * (1 + len(MODELS) * (len(LENGTHS) + len(CONTEXTS) + 2)) + len(MODELS))
    fits, blocks = dict[int, list[Fit]](), dict[int, dict[str, ModelBlocks]]()
    largest = [BlockRun(model, "prefill", LENGTHS[-1]) for model in MODELS]
    largest += [BlockRun(model, "decode", 1, CONTEXTS[-1]) for model in MODELS]
    for each in lanes:
        options = reproduced_options().with_(overall_unroll=each)
        blocks[each] = simulate_models(MODELS, LENGTHS, CONTEXTS, engine, jobs, say, options)
        with process_pool(jobs) as pool:
            found = pool.map(_fit, largest, [options] * len(largest))
            fits[each] = [_told(fit, say) for fit in found]
    groups = {model: _groups(BlockRun(model, "prefill", LENGTHS[-1])) for model in MODELS}
    explained = explain(blocks, fits, a100_opponents()[0])
    _print(explained, fits, groups)
    with ResultFolder(out, made_by=__name__, config={"engine": engine, "lanes": lanes, "budget": _BUDGET}) as folder:
        folder.add(*rows(explained, fits, groups, engine))
    return explained


def explain(
    blocks: Mapping[int, Mapping[str, ModelBlocks]], fits: Mapping[int, Sequence[Fit]], opponent: Opponent
) -> list[Explained]:
    """All cases, the one that is nearest to the published figure first.

    Args:
        blocks: by lanes and model.
        fits: by lanes.
        opponent: has every model.
    """
    found = []
    for lanes, launch, with_head in product(blocks, LAUNCHES, (False, True)):
        paid = replace(fitted_overheads(), launch_us=getattr(card().launch, launch).value)
        ratios = {
            model: best_ratio(own, model, SHAPES, opponent, paid, with_head=with_head)
            for model, own in blocks[lanes].items()
        }
        flows = tuple(flow for flow in FLOWS if all(fit.fullest(flow)[1] <= 1 for fit in fits[lanes]))
        found.append(Explained(Case(lanes, launch, with_head), ratios, flows))
    return sorted(found, key=lambda each: each.error)


def _fit(shape: BlockRun, options: CompileOptions) -> Fit:
    """The design's demand, under the budget of the paper's documentation."""
    chosen = lanes_for(shape, options).with_(budget=_BUDGET)
    made = compile_text(shape.text(), str(shape), BOARD, chosen)
    shares: dict[str, dict[str, float]] = {}
    for flow in FLOWS:
        design = replace(made, options=chosen.with_(flow=flow))
        taken = design_resources(design)
        shares[flow] = vars(taken.total.shares_of(total(die_under(design, taken).budgets)))
    return Fit(shape, shares)


def _told(fit: Fit, say: Callable[[str], None]) -> Fit:
    say(f"placed {fit.shape}")
    return fit


def _groups(shape: BlockRun) -> dict[int, int]:
    """Groups of kernels by C_max in bytes: parts of the on-chip memory that kernels may use."""
    module = parse(shape.text(), str(shape), new_context())
    for each in tiling_passes(reproduced_options()):
        each.apply(new_context(), module)
    bounds = [_onchip_bytes(card()) // share for share in C_MAX_SHARES]
    return {bound: len(fusion_report(module, bound).fusion.costs) for bound in bounds}


def _onchip_bytes(board: FpgaBoard) -> int:
    return int(board.fabric.usable_onchip_bytes)


def rows(
    explained: Sequence[Explained],
    fits: Mapping[int, Sequence[Fit]],
    groups: Mapping[str, Mapping[int, int]],
    engine: str,
) -> Iterator[Row]:
    """Every number of the tables."""
    for each in explained:
        fitting = f"designs that fit: {_fitting(each)}"
        for model, ratio in each.ratios.items():
            yield Row(
                EXPERIMENT,
                f"best tokens/J over A100 per layer, rule tdp, {each.case}",
                ratio,
                "ratio",
                "derived",
                model=model,
                board=BOARD,
                phase="generation",
                engine=engine,
                reference=published_ratio(model),
                source=FIG9,
                note=f"published {published_text(FIG9_QUANTITY, model)}; {fitting}",
            )
        yield Row(
            EXPERIMENT,
            f"largest factor off the published ratios, {each.case}",
            each.error_factor,
            "ratio",
            "derived",
            board=BOARD,
            phase="generation",
            note=f"of Llama what is above 1; {fitting}",
        )
    for lanes, found in fits.items():
        for fit in found:
            for flow, said in FLOWS.items():
                name, share = fit.fullest(flow)
                yield Row(
                    EXPERIMENT,
                    f"fullest share of budget, {lanes} lanes, {said}",
                    share,
                    "ratio",
                    "derived",
                    model=fit.shape.model,
                    board=BOARD,
                    phase=fit.shape.phase,
                    note=f"{name}; {fit.shape}; budget {_BUDGET}",
                )
    for model, counts in groups.items():
        for bound, count in counts.items():
            yield Row(
                EXPERIMENT,
                f"groups of kernels, C_max {bound / 2**20:.3g} MiB",
                count,
                "count",
                "derived",
                model=model,
                board=BOARD,
                phase="prefill",
                note=f"{LENGTHS[-1]} tokens, fitted lanes",
            )


def _fitting(each: Explained) -> str:
    return " and ".join(FLOWS[flow] for flow in each.fits) or "none"


def _shares(fit: Fit) -> str:
    return " / ".join(f"{fit.fullest(flow)[1]:.0%}" for flow in FLOWS)


def _print(
    explained: Sequence[Explained], fits: Mapping[int, Sequence[Fit]], groups: Mapping[str, Mapping[int, int]]
) -> None:
    headings = [f"{model} ({published_text(FIG9_QUANTITY, model)})" for model in MODELS]
    shown = [each for each in explained if each.fits][:5] + [each for each in explained if not each.fits][:5]
    print_table(
        ("case", *headings, "factor off", "fits"),
        [
            (
                str(each.case),
                *(f"{each.ratios[model]:.2f}" for model in MODELS),
                f"{each.error_factor:.2f}",
                _fitting(each),
            )
            for each in shown
        ],
        title="best tokens/J over A100 per layer, rule tdp: nearest to the published figure, of designs that fit first",
    )
    print()
    print_table(
        ("lanes", *(str(fit.shape) for fit in next(iter(fits.values())))),
        [(lanes, *(_shares(fit) for fit in found)) for lanes, found in fits.items()],
        title=f"the fullest share of the budget '{_BUDGET}', as {' / as '.join(FLOWS.values())}",
    )
    print()
    bounds = list(next(iter(groups.values())))
    print_table(
        ("C_max MiB", *MODELS),
        [(f"{bound / 2**20:.3g}", *(groups[model][bound] for model in MODELS)) for bound in bounds],
        title=f"groups of kernels, prefill of {LENGTHS[-1]} tokens",
    )
