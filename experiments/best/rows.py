"""The designs as rows of the long-format table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from experiments.best.cases import BOARD, LENGTH
from experiments.best.design import Made
from experiments.best.efficiency import PRODUCTS_PER_SLICE, dsp_use, rivals
from experiments.published import published_text
from sttest.boards.energy import CASES, EnergyCosts, energy
from sttest.boards.part import BudgetName
from sttest.boards.resources import KINDS, total
from sttest.compile.resources.design import die_under
from sttest.compile.resources.placement import placed_relays
from sttest.core.results import Kind, Row

_UNITS = {"dsp": "DSPs", "lut": "LUTs", "ff": "flip-flops", "bram18": "BRAM18 blocks", "uram": "URAM blocks"}


@dataclass(frozen=True)
class _Figure:
    """A number of a design: as a :class:`Row` without what all of a design share."""

    metric: str
    value: float | None
    unit: str
    kind: Kind
    note: str = ""
    reference: float | None = None
    source: str = ""


def of_budget(metric: str, budget: BudgetName) -> str:
    """A metric of the design that was found under a budget, as the table calls it."""
    return f"{metric} [{budget}]"


def rows(made: Made) -> Iterator[Row]:
    """Every number of a design."""
    case = made.found.case
    parts = (_times(made), _roofline(made), _clocks(made), _energy(made), _dsps(made), _binding(made), _space(made))
    for part in parts:
        for each in part:
            engine = "maxplus" if each.kind == "simulated" else ""
            yield Row(
                "best",
                of_budget(each.metric, case.budget),
                each.value,
                each.unit,
                each.kind,
                case.model,
                BOARD,
                case.phase,
                engine,
                each.reference,
                each.source,
                each.note,
            )


def _times(made: Made) -> Iterator[_Figure]:
    case, board = made.found.case, made.design.board
    holds = f"{made.found.layers} of {case.config.layers} layers" + (
        ", LM head and choice of the token" if case.head else ""
    )
    yield _Figure("cycles per launch", made.cycles, "cycles", "simulated", f"{holds}; registers between SLRs included")
    yield _Figure("cycles per launch, before placement", made.unplaced_cycles, "cycles", "simulated", holds)
    yield _Figure("launch", made.launch_ms, "ms", "simulated", f"{board.clock_mhz.value:g} MHz, card only")
    yield _Figure("launches", made.found.launches, "count", "derived", "of all layers")
    yield _Figure("tokens per launch", made.found.makes, "count", "derived", "made by the card without the host")
    queue = f"{made.found.launches} x {board.launch.queued_us.value} us, launches in a queue"
    yield _Figure("launch overhead", made.queue_ms, "ms", "derived", queue)
    left_out = "LM head included" if case.head else "LM head left out"
    if case.phase == "prefill":
        note = f"a prompt of {case.tokens} tokens, launches included, {left_out}"
        yield _Figure("time to first token", made.ms, "ms", "simulated", note)
        yield _Figure("speed", made.tokens_per_s, "tokens/s", "simulated", note)
        return
    waits = board.launch.token_gap_us
    gap = f"{waits.value:g} us between two launches that make tokens ({waits.kind})"
    yield _Figure("host between launches", made.host_ms, "ms", "derived", f"{gap}, less what a queued launch costs")
    note = f"headline: a token of a generation as its user sees it, {gap}, {left_out}"
    yield _Figure("latency", made.ms, "ms", "simulated", note)
    yield _Figure("speed", made.tokens_per_s, "tokens/s", "simulated", note)
    note = f"launches in a queue, nothing else of the host, {left_out}" + (
        "; a launch per token can't be queued, --generate comes near" if made.found.makes == 1 else ""
    )
    yield _Figure("latency, host left out", made.card_ms, "ms", "simulated", note)
    yield _Figure("speed, host left out", made.card_tokens_per_s, "tokens/s", "simulated", note)
    if made.found.makes == 1:
        note = f"one design for both phases: a prompt of {LENGTH} tokens in {LENGTH} decode steps, {gap}, {left_out}"
        yield _Figure("time to first token, by decode steps", LENGTH * made.ms, "ms", "simulated", note)


def _roofline(made: Made) -> Iterator[_Figure]:
    board, case = made.design.board, made.found.case
    with_head = "of all layers and the LM head" if case.head else "of all layers, LM head left out"
    yield _Figure("weight bytes", made.weight_bytes, "bytes", "derived", f"int4 weights and their scales {with_head}")
    for name, rate in (("peak", board.peak_bandwidth_gb_per_s), ("sustained", board.sustained_bandwidth_gb_per_s)):
        most = made.roofline_tokens_per_s(rate)
        note = f"{rate:g} GB/s, weights read once" + (" per prompt" if case.phase == "prefill" else " per token")
        yield _Figure(f"roofline, {name} bandwidth", most, "tokens/s", "derived", note)
        yield _Figure(
            f"fraction of roofline, {name} bandwidth",
            made.tokens_per_s / most,
            "ratio",
            "derived",
            "speed over roofline, launches included",
        )
        if case.phase == "decode":
            yield _Figure(
                f"fraction of roofline, {name} bandwidth, host left out",
                made.card_tokens_per_s / most,
                "ratio",
                "derived",
                "speed over roofline, launches in a queue",
            )


def _clocks(made: Made) -> Iterator[_Figure]:
    """The card alone at the clocks of the frequency model."""
    board, case = made.design.board, made.found.case
    remarks = "; ".join(made.band.remarks)
    for time in made.times:
        at = "board's clock" if time.case == "compiled" else f"{time.case} clock"
        note = f"{time.clock_mhz:g} MHz, launches in a queue"
        if time.case != "compiled":
            yield _Figure(f"clock, {time.case}", time.clock_mhz, "MHz", "derived", remarks)
            yield _Figure(f"cycles per launch, {at}", time.cycles, "cycles", "simulated", f"{time.clock_mhz:g} MHz")
        ms = made.card_ms_at(time)
        if case.phase == "prefill":
            yield _Figure(f"time to first token, {at}", ms, "ms", "simulated", note)
            continue
        speed = case.tokens / ms * 1e3
        yield _Figure(f"speed of the card, {at}", speed, "tokens/s", "simulated", note)
        most = made.roofline_tokens_per_s(board.sustained_bandwidth_gb_per_s)
        yield _Figure(f"fraction of roofline, sustained bandwidth, {at}", speed / most, "ratio", "derived", note)


def _energy(made: Made) -> Iterator[_Figure]:
    """By the energy model of the board, in its three cases, waiting for the host included."""
    costs, tokens = made.design.board.energy_costs, made.found.case.tokens
    for case in CASES:
        used = energy(made.activity, costs, case)
        of = {name: each for name in EnergyCosts.model_fields if (each := getattr(costs, name)) is not None}
        note = ", ".join(
            f"{name} {getattr(each, case).value:g} {getattr(each, case).unit} {getattr(each, case).kind}"
            for name, each in of.items()
        )
        yield _Figure(f"energy per token, {case} case", 1e3 * used.total_j / tokens, "mJ", "derived", note)
        yield _Figure(f"tokens per joule, {case} case", tokens / used.total_j, "tokens/J", "derived")
        yield _Figure(f"power, {case} case", used.power_w, "W", "derived", "mean")
    used = energy(made.activity, costs)
    for name in ("static", "clocked", "hbm", "dsp", "onchip"):
        part = getattr(used, f"{name}_j")
        yield _Figure(f"energy per token, {name}", 1e3 * part / tokens, "mJ", "derived", "central case")


def _dsps(made: Made) -> Iterator[_Figure]:
    case, used = made.found.case, dsp_use(made)
    of = "token" if case.phase == "decode" else "prompt"
    note = f"products of integers that the model asks for per {of}, masked attention left out"
    yield _Figure("multiplications", used.products, "count", "derived", note)
    note = f"multiplications over {PRODUCTS_PER_SLICE} per slice and cycle of all slices, while the card is at work"
    yield _Figure("DSP efficiency", used.efficiency, "ratio", "derived", note)
    if case.model != "gpt2":
        return
    what = (
        f"TTFT at {LENGTH} tokens"
        if case.phase == "prefill"
        else f"decode speeds, theirs of [{LENGTH}:{LENGTH}], ours after {LENGTH} tokens"
    )
    for rival in rivals(LENGTH):
        name = rival.system.upper() if rival.system == "dfx" else rival.system.title()
        speeds, slices = (published_text(f"intar_{each}_over_allo_and_dfx", "gpt2") for each in ("speed", "dsp"))
        note = f"quotient of {what}; InTAR publishes {speeds} over Allo and DFX"
        yield _Figure(f"speed-up over {name}", rival.speed_up(made), "ratio", "derived", note, source=rival.source)
        note = f"quotient of 1 / (time x DSPs), theirs {rival.dsps:g}; InTAR publishes {slices} over Allo and DFX"
        yield _Figure(
            f"DSP efficiency over {name}", rival.dsp_efficiency(made), "ratio", "derived", note, source=rival.source
        )


def _binding(made: Made) -> Iterator[_Figure]:
    cycles = made.itemized.cycles or 1
    layers = f"{made.itemized_layers} of {made.found.case.config.layers} layers"
    of_layers = "" if made.itemized_layers == made.found.layers else f"; of a launch of {layers}"
    yield _Figure("critical path", cycles, "cycles", "simulated", f"what items.csv adds up to: a launch of {layers}")
    (category, kind), most = max(made.items.by_kind.items(), key=lambda item: (item[1], item[0]))
    note = f"the largest item of the critical path: {category} {kind}{of_layers}"
    yield _Figure("critical path, largest item", most / cycles, "ratio", "simulated", note)
    process, longest = max(made.items.by_process.items(), key=lambda item: (item[1], item[0]))
    yield _Figure("critical path, longest process", longest / cycles, "ratio", "simulated", process + of_layers)
    full = made.fullest
    note = f"{full.what}, {full.where}: what the design runs out of first"
    yield _Figure("fullest share", full.share, "ratio", "derived", note)


def _space(made: Made) -> Iterator[_Figure]:
    parts, budget = made.placed.partition, total(die_under(made.design, made.placed.taken).budgets)
    shares = made.placed.taken.total.shares_of(budget)
    note = "predicted; margin of the board's file taken off the budget"
    for kind in KINDS:
        yield _Figure(kind, round(getattr(made.placed.taken.total, kind), 2), _UNITS[kind], "derived", "predicted")
        yield _Figure(f"{kind} share of budget", getattr(shares, kind), "ratio", "derived", note)
        for slr, share in enumerate(parts.shares):
            yield _Figure(f"{kind} share of SLR{slr}", getattr(share, kind), "ratio", "derived", note)
    relays, budgets = placed_relays(made.placed, made.design), die_under(made.design, made.placed.taken).budgets
    note = "predicted; relays are put in once SLRs are chosen, and no budget was held against them"
    for slr, (share, offered) in enumerate(zip(parts.shares, budgets, strict=True)):
        more = total(each.resources for each in relays if each.slr == slr).shares_of(offered)
        for kind in ("lut", "ff"):
            with_relays = getattr(share, kind) + getattr(more, kind)
            yield _Figure(f"{kind} share of SLR{slr}, relays included", with_relays, "ratio", "derived", note)
    for wires, line in zip(parts.wires, made.lines, strict=True):
        yield _Figure(f"wires {line.where}", wires, "count", "derived", line.what)
        yield _Figure(f"wires {line.where}, share of budget", line.share, "ratio", "derived", line.what)
