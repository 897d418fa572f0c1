"""Tables and figures of the GPT-2 reproduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.drawing import write_figure
from experiments.gpt2_rows import METRICS, compared_systems, generation_value, rows
from experiments.published import geometric_mean_ratio, gpt2_ratios, gpt2_row
from sttest.core.errors import InputError
from sttest.core.results import ResultFolder
from sttest.core.tables import print_table

if TYPE_CHECKING:
    from experiments.generation import Generation
    from experiments.gpt2_result import Reproduction

# Items below this part of the latency are summed up in one line.
_SMALL_ITEM = 0.005
_RATIO_BASELINES = ("allo", "dfx", "a100", "rtx2080ti")


def print_report(found: Reproduction) -> None:
    """All tables, in the order in which a reader asks."""
    for table in (_against_published, _against_others, _ratios, _items, _blocks, _constants, _launches, _precisions):
        table(found)


def write_report(found: Reproduction, out: Path) -> None:
    """Long-format table, figures and manifest, written whole or not at all."""
    config = {
        "fitted": {name: asdict(constant) for name, constant in found.fitted.items()},
        "launch_us": found.launch.value,
        "precision": found.precision,
        "engine": found.engine,
    }
    with ResultFolder(out, made_by="experiments.gpt2", config=config) as folder:
        folder.add(*rows(found))
        write_figure(folder)


def _against_published(found: Reproduction) -> None:
    rows = list[tuple[str, ...]]()
    for generation in found.generations:
        published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
        shape = _shape(generation) + (" fitted" if generation.input_len == 32 else "")
        for metric in METRICS:
            ours, theirs = generation_value(generation, metric), getattr(published, metric.field)
            what = f"{metric.label} ({metric.unit})"
            rows.append((shape, what, f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs - 1:+.1%}"))
    title = "GPT-2 Medium on U55C, W4A8, 250 MHz, beside StreamTensor Table 4"
    print_table(("[in:out]", "what", "simulated", "published", "error"), rows, title=title)


def _against_others(found: Reproduction) -> None:
    rows = [["simulated U55C"]]
    rows[0] += [_triple(*(generation_value(each, metric) for metric in METRICS)) for each in found.generations]
    rows += [
        [system, *(_published_triple(system, generation) for generation in found.generations)]
        for system in ("streamtensor", *compared_systems())
    ]
    title = "Other published systems: latency (ms) / TTFT (ms) / speed (tokens/s)"
    print_table(("system", *map(_shape, found.generations)), rows, title=title)


def _published_triple(system: str, generation: Generation) -> str:
    try:
        row = gpt2_row(system, generation.input_len, generation.output_len)
    except InputError:
        return "not published"
    return _triple(row.latency_ms, row.ttft_ms, row.speed_tok_per_s)


def _ratios(found: Reproduction) -> None:
    rows = list[list[str]]()
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
        rows.append([baseline, *cells])
    columns = [name for metric in METRICS for name in (metric.label, f"{metric.label}, paper")]
    title = "Geometric means over the four rows, ours / baseline, beside the paper's"
    print_table(("baseline", *columns), rows, title=title)


def _items(found: Reproduction) -> None:
    shown = _large_items(found.generations)
    rows = [
        [name, *(f"{generation.items_ms.get(name, 0.0):.2f}" for generation in found.generations)] for name in shown
    ]
    rest = (
        generation.latency_ms - sum(generation.items_ms.get(name, 0.0) for name in shown)
        for generation in found.generations
    )
    rows.append([f"all items below {_SMALL_ITEM:.1%}", *(f"{value:.2f}" for value in rest)])
    rows.append(["latency", *(f"{generation.latency_ms:.2f}" for generation in found.generations)])
    title = "Where the latency goes (ms, along the critical path; columns add up)"
    print_table(("item", *map(_shape, found.generations)), rows, title=title)


def _large_items(generations: Sequence[Generation]) -> list[str]:
    """Items of at least ``_SMALL_ITEM`` of some row's latency, in the order of the prefill, the decode, the rest."""
    names = dict.fromkeys(name for generation in generations for name in sorted(generation.items_ms))
    large = [
        name
        for name in names
        if any(each.items_ms.get(name, 0.0) >= _SMALL_ITEM * each.latency_ms for each in generations)
    ]
    return sorted(large, key=lambda name: (not name.startswith("prefill"), not name.startswith("decode"), name))


def _blocks(found: Reproduction) -> None:
    rows = list[tuple[str, ...]]()
    named = [(f"prefill n={n}", block) for n, block in found.prefill.items()]
    named += [(f"decode c={c}", block) for c, block in found.decode.items()]
    for name, block in named:
        ratio = block.fused_bytes / block.original_bytes
        cost = block.cycles / block.unbounded_cycles - 1
        rows.append(
            (
                name,
                f"{block.cycles}",
                f"{block.unbounded_cycles}",
                f"{cost:+.2%}",
                f"{block.fifo_bits / 8192:.0f}",
                f"{block.original_bytes / 1024:.0f}",
                f"{block.fused_bytes / 1024:.0f}",
                f"{ratio:.3f}",
            )
        )
    columns = ("block", "cycles", "unbounded", "cost", "FIFO KiB", "original KiB", "fused KiB", "fused/original")
    title = "One decoder block (24 per token): simulated cycles at 250 MHz, FIFOs and intermediates"
    print_table(columns, rows, title=title, shown=("block", "cycles", "unbounded", "cost", "fused/original"))
    print("published fused/original: 0.148-0.168 (StreamTensor Fig. 10a); every block is one group = one FPGA kernel.")
    print("A negative cost: with unbounded FIFOs small DMAs get ahead of others on the channel that they share.")


def _constants(found: Reproduction) -> None:
    rows = [
        (constant.name, f"{constant.value:g} {constant.unit}", "fitted", constant.row)
        for constant in found.fitted.values()
    ]
    launch = found.launch
    rows.append(("launch", f"{launch.value:g} {launch.unit} per block", f"chosen ({launch.kind})", launch.source))
    rows.append(("scheme", found.precision, "chosen (modeling)", "docs/explanation/gpt2.md"))
    print_table(("name", "value", "kind", "from"), rows, title="Constants")


def _launches(found: Reproduction) -> None:
    rows = list[tuple[str, ...]]()
    for case in found.launches:
        errors = []
        for generation in case.generations:
            published = gpt2_row("streamtensor", generation.input_len, generation.output_len).speed_tok_per_s
            errors.append(f"{generation.speed_tok_per_s / published - 1:+.1%}")
        rows.append((f"{case.name} {case.launch.value:g}", f"{case.host_ms:.1f}", *errors))
    title = "Had another published launch figure been chosen (host constant refitted on [32:32], at least 0)"
    shapes = [f"speed error {_shape(each)}" for each in found.generations]
    print_table(("launch (us per block)", "host (ms)", *shapes), rows, title=title)


def _precisions(found: Reproduction) -> None:
    rows = list[tuple[str, ...]]()
    for name, fitted, generations in [
        (found.precision, found.fitted, found.generations),
        *((case.name, case.fitted, case.generations) for case in found.precisions),
    ]:
        constants = f"{fitted['overall_unroll'].value:g}, {fitted['host_ms'].value:.1f}"
        rows.append((name, constants, *(_errors(each) for each in generations)))
    title = "Had another scheme been chosen (both constants fitted anew on [32:32]): errors of latency / TTFT / speed"
    print_table(("scheme", "lanes, host (ms)", *map(_shape, found.generations)), rows, title=title)


def _errors(generation: Generation) -> str:
    published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
    ratios = (generation_value(generation, metric) / getattr(published, metric.field) for metric in METRICS)
    return " / ".join(f"{ratio - 1:+.1%}" for ratio in ratios)


def _shape(generation: Generation) -> str:
    return f"[{generation.input_len}:{generation.output_len}]"


def _triple(*values: float) -> str:
    return " / ".join(f"{value:.1f}" for value in values)
