"""The GPT-2 reproduction as rows of the long-format table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.published import gpt2_row, gpt2_rows, gpt2_systems
from sttest.core.results import Row

if TYPE_CHECKING:
    from experiments.blocks import BlockTime
    from experiments.generation import Generation
    from experiments.gpt2_result import LaunchCase, PrecisionCase, Reproduction


@dataclass(frozen=True)
class Metric:
    """A column of the published tables."""

    name: str
    label: str
    unit: str
    field: str


METRICS = (
    Metric("latency", "latency", "ms", "latency_ms"),
    Metric("ttft", "TTFT", "ms", "ttft_ms"),
    Metric("speed", "speed", "tokens/s", "speed_tok_per_s"),
)


def generation_value(generation: Generation, metric: Metric) -> float:
    """The simulated value of a published column."""
    return getattr(generation, metric.field)


def compared_systems() -> list[str]:
    """Published systems other than the one that is reproduced."""
    return [system for system in gpt2_systems() if system != "streamtensor"]


def rows(found: Reproduction) -> Iterator[Row]:
    """Every number of the printed tables, with unit, kind and reference."""
    for generation in found.generations:
        yield from _generation_rows(found, generation)
    for tokens, block in found.prefill.items():
        yield from _block_rows(found, "prefill", f"n={tokens}", block)
    for context, block in found.decode.items():
        yield from _block_rows(found, "decode", f"c={context}", block)
    for constant in found.fitted.values():
        yield Row("gpt2", constant.name, constant.value, constant.unit, "fitted", source=constant.row)
    yield Row("gpt2", "launch", found.launch.value, "us", found.launch.kind, source=found.launch.source)
    for case in found.launches:
        yield from _launch_rows(case)
    for case in found.precisions:
        yield from _precision_rows(case)


def _generation_rows(found: Reproduction, generation: Generation) -> Iterator[Row]:
    shape = f"[{generation.input_len}:{generation.output_len}]"
    published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
    note = "the row that the constants are fitted on" if generation.input_len == 32 else "nothing fitted on it"
    for metric in METRICS:
        yield Row(
            "gpt2",
            f"{metric.name} {shape}",
            generation_value(generation, metric),
            metric.unit,
            "simulated",
            model="gpt2",
            board="u55c",
            phase="generation",
            engine=found.engine,
            reference=getattr(published, metric.field),
            source=published.source,
            note=note,
        )
    for item, value in sorted(generation.items_ms.items()):
        yield Row(
            "gpt2",
            f"latency item: {item} {shape}",
            value,
            "ms",
            "simulated",
            model="gpt2",
            board="u55c",
            phase="generation",
            engine=found.engine,
        )
    for system in gpt2_systems():
        yield from _published_rows(system, generation)


def _published_rows(system: str, generation: Generation) -> Iterator[Row]:
    for row in gpt2_rows(system):
        if (row.input_len, row.output_len) != (generation.input_len, generation.output_len):
            continue
        for metric in METRICS:
            yield Row(
                "gpt2",
                f"{metric.name} [{row.input_len}:{row.output_len}]",
                getattr(row, metric.field),
                metric.unit,
                "published",
                model="gpt2",
                board=system,
                phase="generation",
                engine=system,
                source=row.source,
            )


def _launch_rows(case: LaunchCase) -> Iterator[Row]:
    for generation in case.generations:
        shape = f"[{generation.input_len}:{generation.output_len}]"
        published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
        yield Row(
            "gpt2",
            f"speed {shape} with launch {case.name}",
            generation.speed_tok_per_s,
            "tokens/s",
            "simulated",
            model="gpt2",
            board="u55c",
            phase="generation",
            reference=published.speed_tok_per_s,
            source=published.source,
            note=f"host constant refitted on [32:32]: {case.host_ms:.3f} ms",
        )


def _precision_rows(case: PrecisionCase) -> Iterator[Row]:
    constants = ", ".join(f"{each.name} {each.value:g}" for each in case.fitted.values())
    for generation in case.generations:
        shape = f"[{generation.input_len}:{generation.output_len}]"
        published = gpt2_row("streamtensor", generation.input_len, generation.output_len)
        for metric in METRICS:
            yield Row(
                "gpt2",
                f"{metric.name} {shape} with scheme {case.name}",
                generation_value(generation, metric),
                metric.unit,
                "simulated",
                model="gpt2",
                board="u55c",
                phase="generation",
                reference=getattr(published, metric.field),
                source=published.source,
                note=f"constants refitted on [32:32]: {constants}",
            )


def _block_rows(found: Reproduction, phase: str, shape: str, block: BlockTime) -> Iterator[Row]:
    values = (
        ("block cycles", block.cycles, "cycles"),
        ("block cycles, unbounded FIFOs", block.unbounded_cycles, "cycles"),
        ("FIFO bits", block.fifo_bits, "bits"),
        ("intermediates before fusion", block.original_bytes, "bytes"),
        ("intermediates after fusion", block.fused_bytes, "bytes"),
        ("largest FIFO fill", block.max_fill, "ratio"),
        ("fusion groups", block.groups, "count"),
    )
    for metric, value, unit in values:
        yield Row(
            "gpt2",
            f"{metric} {shape}",
            value,
            unit,
            "simulated",
            model="gpt2",
            board="u55c",
            phase=phase,
            engine=found.engine,
        )
    for item, cycles in sorted(block.items.items()):
        yield Row(
            "gpt2",
            f"block item: {item} {shape}",
            cycles,
            "cycles",
            "simulated",
            model="gpt2",
            board="u55c",
            phase=phase,
            engine=found.engine,
        )
