"""The front page: the published figures beside ours, the best designs, the fidelity of the timing, and one picture."""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from sttest.core.results import Row
from sttest.studies.figures import Bar, Bars, draw, in_words
from sttest.studies.report.hypotheses import is_rejected
from sttest.studies.report.ledger import Column, Ledger, Table, TableLine, beside_references, cells, error_text
from sttest.studies.report.read import ResultSet
from sttest.studies.report.svg import figure_markup

PAPER = (
    ("gpt2", "GPT-2 Medium, Tables 4 and 5", r"(latency|ttft|speed) \[\d+:\d+\]"),
    (
        "emerging",
        "Best tokens per joule over an A100, Fig. 9",
        r"best tokens/J over (A100 per layer|A100 graphs), rule tdp",
    ),
    ("onchip", "Bytes between kernels, fused over unfused, Fig. 10(a)", r"fused over original, all kernels n=128"),
)
"""Experiment, title and metrics of the first tables, which are those of StreamTensor's paper."""
WORDS = {
    "best tokens/J over A100 per layer, rule tdp": "A100 as in the paper's own GPT-2 rows, both at TDP",
    "best tokens/J over A100 graphs, rule tdp": "A100 that replays CUDA graphs, both at TDP",
    "fused over original, all kernels n=128": "128 tokens",
}
BEST: dict[str, tuple[str, ...]] = {
    "decode": (
        "speed",
        "speed, host left out",
        "fraction of roofline, sustained bandwidth, host left out",
        "speed of the card, middle clock",
        "energy per token, central case",
        "fullest share",
    ),
    "prefill": (
        "time to first token",
        "time to first token, middle clock",
        "energy per token, central case",
        "fullest share",
    ),
}
_LABELS: dict[str, str] = {
    "speed": "speed, with the host",
    "speed, host left out": "speed of the card",
    "fraction of roofline, sustained bandwidth, host left out": "share of its roofline",
    "speed of the card, middle clock": "speed at the predicted clock",
    "energy per token, central case": "energy per token",
    "fullest share": "fullest resource",
    "time to first token, middle clock": "the same at the predicted clock",
}
_SYSTEMS = ("rtx2080ti", "a100", "dfx", "allo", "streamtensor")


@dataclass(frozen=True)
class Headline:
    """A part of the front page: a sentence that says what is shown, and tables."""

    anchor: str
    title: str
    says: str
    tables: Sequence[Table]


def headlines(found: Mapping[str, ResultSet], ledger: Ledger) -> Iterator[Headline]:
    """The parts for which there are results."""
    tables, misses = [], []
    for name, title, pattern in PAPER:
        rows = [row for row in found[name].rows if re.fullmatch(pattern, row.metric)] if name in found else []
        rows = [row for row in rows if row.error is not None]
        if rows:
            tables.append(_of(title, found[name], ledger, rows, by_error=False))
            misses.append(f"{title}: {_miss(rows)}.")
    if tables:
        yield Headline(
            "paper", "The paper beside ours", f"StreamTensor, and simulated here. {' '.join(misses)}", tables
        )
    if "best" in found:
        tables = [table for phase in BEST for table in _best(found["best"], phase, ledger)]
        says = (
            "The fastest designs found for a U55C. Those within “tight” leave the room that routing needs; “all” takes"
            " the whole board and is a bound. Cycles are simulated, resources predicted, and none was built."
        )
        yield Headline("best-designs", "The best designs", says, tables)
    if "fidelity" in found:
        rows = [row for row in found["fidelity"].rows if row.error is not None]
        says = (
            f"Cycles of {len(rows)} published designs by the timing model, beside published C/RTL co-simulation, which"
            f" nothing was fitted to: {_miss(rows)}."
        )
        table = _of("Stream-HLS designs", found["fidelity"], ledger, rows)
        yield Headline("fidelity", "How far the timing can be trusted", says, [table])


def worst(rows: Iterable[Row]) -> Row | None:
    """The largest miss, rejected hypotheses left out."""
    compared = [row for row in rows if row.error is not None and not is_rejected(row)]
    return max(compared, key=lambda row: abs(row.error or 0), default=None)


def _miss(rows: Sequence[Row]) -> str:
    off = worst(rows)
    return f"largest miss {error_text(off.error)}" if off else "no miss"


def _of(title: str, found: ResultSet, ledger: Ledger, rows: Sequence[Row], *, by_error: bool = True) -> Table:
    ledger.begin(found.name, found.config_hash)
    return beside_references(title, rows, ledger, by_error=by_error, words=WORDS)


def _best(found: ResultSet, phase: str, ledger: Ledger) -> Iterator[Table]:
    """One line per model and budget."""
    ledger.begin(found.name, found.config_hash)
    known: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found.rows:
        metric, _, budget = row.metric.rpartition(" [")
        if row.phase == phase and metric in BEST[phase]:
            known.setdefault((row.model, budget.removesuffix("]")), {})[metric] = row
    if not known:
        return
    shown = [cells([rows.get(metric) for rows in known.values()], ledger) for metric in BEST[phase]]
    first = next(iter(known.values()))
    columns = [Column(_LABELS.get(metric, metric), first[metric].unit) for metric in BEST[phase] if metric in first]
    notes = [rows["fullest share"].note.partition(":")[0] if "fullest share" in rows else "" for rows in known.values()]
    full = [", ".join(map(in_words, note.split(", "))) for note in notes]
    lines = [
        TableLine([in_words(model), budget], "", own) for (model, budget), *own in zip(known, *shown, full, strict=True)
    ]
    about = "one token after 256" if phase == "decode" else "256 tokens"
    yield Table(
        phase,
        [about, "Alveo U55C", "W4A8", "250 MHz"],
        ["model", "budget"],
        [*columns, Column("which one", "", is_text=True)],
        lines,
    )


def picture(found: Mapping[str, ResultSet]) -> Markup | None:
    """Decode speeds of GPT-2 Medium: published systems, the reproduced design, and the best that fits."""
    if not {"gpt2", "best"} <= found.keys():
        return None
    speeds = {row.board: row for row in found["gpt2"].rows if row.metric == "speed [256:256]"}
    best = {row.metric: row for row in found["best"].rows if (row.model, row.phase) == ("gpt2", "decode")}
    bars = [Bar(f"{in_words(name)}, published", speeds[name].value, "published") for name in _SYSTEMS if name in speeds]
    ours = (
        ("StreamTensor, simulated", speeds.get("u55c")),
        ("our best, with the host", best.get("speed [tight]")),
        ("our best, card alone", best.get("speed, host left out [tight]")),
    )
    roofline = best.get("roofline, sustained bandwidth [tight]")
    bars += [Bar(label, row.value, bound=roofline.value if roofline else None) for label, row in ours if row]
    panel = Bars("", "Decode speed (tokens/s); gray: roofline of the U55C", bars)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.svg"
        draw([panel], path, "GPT-2 Medium, one token at a time, after 256", width_in=6)
        return figure_markup(path, "picture", "Decode speeds of GPT-2 Medium, published and ours")
