"""Tables and figures of the GPT-2 reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from experiments.figures import write_figure
from experiments.gpt2_rows import METRICS, compared_systems, generation_value, rows
from experiments.published import geometric_mean_ratio, gpt2_ratios, gpt2_row
from sttest.core.errors import InputError
from sttest.core.results import ResultFolder

if TYPE_CHECKING:
    from experiments.generation import Generation
    from experiments.gpt2_result import Reproduction

# Items below this part of the latency are summed up in one line.
_SMALL_ITEM = 0.005
_RATIO_BASELINES = ("allo", "dfx", "a100", "rtx2080ti")


def print_report(found: Reproduction, console: Console) -> None:
    """All tables, in the order in which a reader asks."""
    console.print(_against_published(found))
    console.print(_against_others(found))
    console.print(_ratios(found))
    console.print(_items(found))
    console.print(_blocks(found))
    console.print(_constants(found))
    console.print(_launches(found))
    console.print(_precisions(found))


def write_report(found: Reproduction, out: Path) -> None:
    """Long-format table, figures and manifest, written whole or not at all."""
    config = {
        "fitted": {name: asdict(constant) for name, constant in found.fitted.items()},
        "launch_us": found.launch.value,
        "precision": found.precision,
        "engine": found.engine,
    }
    with ResultFolder(out, config=config) as folder:
        folder.add(*rows(found))
        write_figure(folder)


def _against_published(found: Reproduction) -> Table:
    table = Table(title="GPT-2 Medium on U55C, W4A8, 250 MHz: simulated / StreamTensor Table 4 / error")
    table.add_column("[in:out]")
    for metric in METRICS:
        table.add_column(f"{metric.label} ({metric.unit})", justify="right")
    for generation in found.generations:
        published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
        cells = []
        for metric in METRICS:
            ours, theirs = generation_value(generation, metric), getattr(published, metric.field)
            cells.append(f"{ours:.2f} / {theirs:.2f} / {ours / theirs - 1:+.1%}")
        table.add_row(_shape(generation) + (" fitted" if generation.input_len == 32 else ""), *cells)
    return table


def _against_others(found: Reproduction) -> Table:
    table = Table(title="Other published systems: latency (ms) / TTFT (ms) / speed (tokens/s)")
    table.add_column("system")
    for generation in found.generations:
        table.add_column(_shape(generation), justify="right")
    ours = (_triple(*(generation_value(each, metric) for metric in METRICS)) for each in found.generations)
    table.add_row("simulated U55C", *ours)
    for system in ("streamtensor", *compared_systems()):
        table.add_row(system, *(_published_triple(system, generation) for generation in found.generations))
    return table


def _published_triple(system: str, generation: Generation) -> str:
    try:
        row = gpt2_row(system, generation.input_len, generation.output_len)
    except InputError:
        return "not published"
    return _triple(row.latency_ms, row.ttft_ms, row.speed_tok_per_s)


def _ratios(found: Reproduction) -> Table:
    table = Table(title="Geometric means over the four rows, ours / baseline, beside the paper's")
    table.add_column("baseline")
    for metric in METRICS:
        table.add_column(metric.label, justify="right")
        table.add_column("paper", justify="right")
    for baseline in _RATIO_BASELINES:
        paper = gpt2_ratios(baseline)
        cells: list[str] = []
        for metric in METRICS:
            ours = [generation_value(generation, metric) for generation in found.generations]
            theirs = [
                getattr(gpt2_row(baseline, generation.input_len, generation.output_len), metric.field)
                for generation in found.generations
            ]
            cells += [f"{geometric_mean_ratio(ours, theirs):.2f}x", f"{getattr(paper, metric.name):.2f}x"]
        table.add_row(baseline, *cells)
    return table


def _items(found: Reproduction) -> Table:
    table = Table(title="Where the latency goes (ms, along the critical path; columns add up)")
    table.add_column("item")
    for generation in found.generations:
        table.add_column(_shape(generation), justify="right")
    shown = _large_items(found.generations)
    for name in shown:
        table.add_row(name, *(f"{generation.items_ms.get(name, 0.0):.2f}" for generation in found.generations))
    rest = (generation.latency_ms - sum(generation.items_ms.get(name, 0.0) for name in shown)
            for generation in found.generations)  # fmt: skip
    table.add_row(f"all items below {_SMALL_ITEM:.1%}", *(f"{value:.2f}" for value in rest))
    table.add_section()
    table.add_row("latency", *(f"{generation.latency_ms:.2f}" for generation in found.generations))
    return table


def _large_items(generations: Sequence[Generation]) -> list[str]:
    """Items of at least ``_SMALL_ITEM`` of some row's latency, in the order of the prefill, the decode, the rest."""
    names = dict.fromkeys(name for generation in generations for name in sorted(generation.items_ms))
    large = [
        name
        for name in names
        if any(each.items_ms.get(name, 0.0) >= _SMALL_ITEM * each.latency_ms for each in generations)
    ]
    return sorted(large, key=lambda name: (not name.startswith("prefill"), not name.startswith("decode"), name))


def _blocks(found: Reproduction) -> Table:
    table = Table(title="One decoder block (24 per token): simulated cycles at 250 MHz, FIFOs and intermediates")
    for column in ("block", "cycles", "unbounded", "cost", "FIFO KiB", "original KiB", "fused KiB", "fused/original"):
        table.add_column(column, justify="right")
    named = [(f"prefill n={n}", block) for n, block in found.prefill.items()]
    named += [(f"decode c={c}", block) for c, block in found.decode.items()]
    for name, block in named:
        ratio = block.fused_bytes / block.original_bytes
        cost = block.cycles / block.unbounded_cycles - 1
        table.add_row(
            name, f"{block.cycles}", f"{block.unbounded_cycles}", f"{cost:+.2%}", f"{block.fifo_bits / 8192:.0f}",
            f"{block.original_bytes / 1024:.0f}", f"{block.fused_bytes / 1024:.0f}", f"{ratio:.3f}",
        )  # fmt: skip
    table.caption = (
        "published fused/original: 0.148-0.168 (StreamTensor Fig. 10a); every block is one group = one FPGA kernel. "
        "A negative cost: with unbounded FIFOs small DMAs get ahead of others on the channel that they share."
    )
    return table


def _constants(found: Reproduction) -> Table:
    table = Table(title="Constants")
    for column in ("name", "value", "kind", "from"):
        table.add_column(column)
    for constant in found.fitted.values():
        table.add_row(constant.name, f"{constant.value:g} {constant.unit}", "fitted", constant.row)
    launch = found.launch
    table.add_row("launch", f"{launch.value:g} {launch.unit} per block", f"chosen ({launch.kind})", launch.source)
    table.add_row("scheme", found.precision, "chosen (modelling)", "docs/explanation/gpt2.md")
    return table


def _launches(found: Reproduction) -> Table:
    table = Table(
        title="Had another published launch figure been chosen (host constant refitted on [32:32], at least 0)"
    )
    table.add_column("launch (us per block)", justify="right")
    table.add_column("host (ms)", justify="right")
    for generation in found.generations:
        table.add_column(f"speed error {_shape(generation)}", justify="right")
    for case in found.launches:
        errors = []
        for generation in case.generations:
            published = gpt2_row("streamtensor", generation.input_len, generation.output_len).speed_tok_per_s
            errors.append(f"{generation.speed_tok_per_s / published - 1:+.1%}")
        table.add_row(f"{case.name} {case.launch.value:g}", f"{case.host_ms:.1f}", *errors)
    return table


def _precisions(found: Reproduction) -> Table:
    table = Table(title="Had another scheme been chosen (both constants fitted anew on [32:32]): errors")
    table.add_column("scheme")
    table.add_column("lanes, host (ms)", justify="right")
    for generation in found.generations:
        table.add_column(f"latency / TTFT / speed {_shape(generation)}", justify="right")
    for name, fitted, generations in [
        (found.precision, found.fitted, found.generations),
        *((case.name, case.fitted, case.generations) for case in found.precisions),
    ]:
        constants = f"{fitted['overall_unroll'].value:g}, {fitted['host_ms'].value:.1f}"
        table.add_row(name, constants, *(_errors(each) for each in generations))
    return table


def _errors(generation: Generation) -> str:
    published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
    ratios = (generation_value(generation, metric) / getattr(published, metric.field) for metric in METRICS)
    return " / ".join(f"{ratio - 1:+.1%}" for ratio in ratios)


def _shape(generation: Generation) -> str:
    return f"[{generation.input_len}:{generation.output_len}]"


def _triple(*values: float) -> str:
    return " / ".join(f"{value:.1f}" for value in values)
