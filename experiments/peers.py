"""How much of its memory bandwidth each accelerator turns into tokens at batch 1, and ours beside them.

The roofline is the peak bandwidth over the weight bytes of a token.  Ours are read from the results of
`gpt2`, `emerging` and `best` that lie beside the folder of results, or else from the committed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.drawing import write_figure
from experiments.published import published_table
from sttest.boards.load import load_board, require_hbm
from sttest.boards.part import BudgetName
from sttest.core.errors import InputError
from sttest.core.results import Kind, ResultFolder, Row, table_rows
from sttest.core.tables import print_table
from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config

__depends__ = (
    "experiments/data/peers.csv",
    "results/gpt2/table.csv",
    "results/emerging/table.csv",
    "results/best/table.csv",
)

ROOT = Path(__file__).parents[1]
BOARD = "u55c"
OURS = {
    "gpt2": ("gpt2", "[256:256]"),
    "qwen": ("emerging", "[128:128]"),
    "llama": ("emerging", "[128:128]"),
    "gemma": ("emerging", "[128:128]"),
}
"""Model to the experiment and shape that its decode speed is taken from."""
BUDGET: BudgetName = "tight"
"""Our best designs that stand beside the others are those that could be built."""
_KINDS: dict[str, Kind] = {"measured": "published", "claimed": "published"}
_W4_BYTES = 0.5


def weight_gb_per_token(config: DecoderConfig) -> float:
    """W4 weights of all blocks, scales and LM head left out, as in the published rows of GPT-2."""
    attention = config.hidden * config.head_dim * (2 * config.heads + 2 * config.kv_heads)
    mlp = config.hidden * config.ffn * (3 if config.gated else 2)
    return config.layers * (attention + mlp) * _W4_BYTES / 1e9


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> None:
    """Prints the table and writes ``out``; nothing is simulated here, so neither option matters."""
    best = {model: _best(out.parent, model) for model in OURS}
    rows = [*_our_rows(out.parent), *_best_rows(best), *_peer_rows(best)]
    print_table(
        ("work", "device", "tokens/s", "roofline fraction", "as collected"),
        [
            (
                row.model,
                row.board,
                row.engine,
                "not published" if row.value is None else f"{row.value:.3f}",
                "" if row.reference is None else row.reference,
            )
            for row in rows
            if row.metric == "roofline fraction"
        ],
        title="fraction of the weight-bandwidth roofline at batch 1",
    )
    with ResultFolder(out, made_by=__name__, config={"board": BOARD, "ours": OURS}) as folder:
        folder.add(*rows)
        write_figure(folder)


def _our_rows(results: Path) -> Iterator[Row]:
    peak_gb_per_s = require_hbm(load_board(BOARD)).peak_bandwidth_gb_per_s
    for model, (experiment, shape) in OURS.items():
        speed = _our_speed(results, experiment, model, shape)
        roofline = peak_gb_per_s / weight_gb_per_token(get_config(model))
        note = f"{shape} of results/{experiment}; W4 weights of the blocks, LM head not timed"
        yield _row(
            "roofline fraction",
            speed / roofline,
            "ratio",
            "derived",
            f"ours: {model}",
            BOARD,
            f"{speed:.1f}",
            note=note,
        )
        yield _row("decode speed", speed, "tokens/s", "simulated", f"ours: {model}", BOARD, "maxplus", note=note)


@dataclass(frozen=True)
class BestDecode:
    """The best decode design of one of our models: a generation as its user sees it, LM head included."""

    tokens_per_s: float
    roofline_fraction: float  # fraction of the peak bandwidth


def _best(results: Path, model: str) -> BestDecode:
    metrics = (f"{each} [{BUDGET}]" for each in ("speed", "fraction of roofline, peak bandwidth"))
    return BestDecode(*(_our_value(results, "best", model, metric, phase="decode") for metric in metrics))


def _our_speed(results: Path, experiment: str, model: str, shape: str) -> float:
    return _our_value(results, experiment, model, f"speed {shape}", kind="simulated")


def _our_value(results: Path, experiment: str, model: str, metric: str, **where: str) -> float:
    for folder in (results, ROOT / "results"):
        path = folder / experiment / "table.csv"
        if not path.is_file():
            continue
        wanted = {"model": model, "metric": metric, **where}
        found = [row["value"] for row in table_rows(path) if wanted.items() <= row.items()]
        if len(found) == 1 and found[0]:
            return float(found[0])
    raise InputError(
        "no-results",
        f"no '{metric}' of '{model}'",
        where=str(results / experiment),
        hints=[f"run sttest reproduce {experiment} first"],
    )


def _best_rows(best: Mapping[str, BestDecode]) -> Iterator[Row]:
    seen = "a generation as its user sees it, weights of the LM head included"
    note = f"decode design of results/best, budget {BUDGET}; {seen}"
    for model, found in best.items():
        common = (f"ours, best: {model}", BOARD)
        yield _row(
            "roofline fraction",
            found.roofline_fraction,
            "ratio",
            "derived",
            *common,
            f"{found.tokens_per_s:.1f}",
            note=note,
        )
        yield _row("decode speed", found.tokens_per_s, "tokens/s", "simulated", *common, "maxplus", note=note)


def _peer_rows(best: Mapping[str, BestDecode]) -> Iterator[Row]:
    for record in published_table("peers").to_dict("records"):
        peer = {str(key): value for key, value in record.items()}
        yield from _rows_of(peer)
        if peer["platform"] == "fpga":
            yield from _beside(peer, best[peer["beside"]])


def _beside(peer: dict[str, Any], ours: BestDecode) -> Iterator[Row]:
    """Our best decode design over an FPGA peer: by speed where the model is the same, else by use of the memory."""
    common = (f"{peer['work']}", f"{peer['device']}")
    speed, fraction = _number(peer["decode_tok_s"]), _fraction(peer)
    note = f"ours: {peer['beside']}, {BOARD}, W4A8, simulated; theirs: {peer['differs']}"
    yield _row(
        "our best design over it, roofline fraction",
        fraction and ours.roofline_fraction / fraction,
        "ratio",
        "derived",
        *common,
        "",
        source=peer["source"],
        note=note,
    )
    if peer["same_model"]:
        yield _row(
            "our best design over it, decode speed",
            speed and ours.tokens_per_s / speed,
            "ratio",
            "derived",
            *common,
            "",
            source=peer["source"],
            note=note,
        )


def _rows_of(peer: dict[str, Any]) -> Iterator[Row]:
    speed, fraction = _number(peer["decode_tok_s"]), _fraction(peer)
    notes = [f"{peer['model']}, {peer['precision']}", f"{peer['kind']}, confidence {peer['confidence']}", peer["note"]]
    if fraction is None:
        notes.insert(0, "speed, weight bytes or bandwidth not published")
    note = "; ".join(part for part in notes if part)
    common = (f"{peer['work']}", f"{peer['device']}")
    yield _row(
        "roofline fraction",
        fraction,
        "ratio",
        "derived",
        *common,
        str(peer["decode_tok_s"]),
        reference=_number(peer["roofline_fraction"]),
        source=peer["source"],
        note=note,
    )
    for metric, value, unit in (("decode speed", speed, "tokens/s"), ("power", _number(peer["power_W"]), "W")):
        if value is not None:
            yield _row(metric, value, unit, _KINDS[peer["kind"]], *common, "", source=peer["source"], note=note)


def _fraction(peer: dict[str, Any]) -> float | None:
    """Of the roofline; None where something that it is made of is not published."""
    speed, weights, bandwidth = (
        _number(peer[name]) for name in ("decode_tok_s", "weight_GB_per_token", "hbm_peak_GBps_total")
    )
    return None if speed is None or weights is None or bandwidth is None else speed * weights / bandwidth


def _row(
    metric: str,
    value: float | None,
    unit: str,
    kind: Kind,
    work: str,
    board: str,
    engine: str,
    *,
    reference: float | None = None,
    source: str = "",
    note: str = "",
) -> Row:
    return Row(
        "peers",
        metric,
        value,
        unit,
        kind,
        model=work,
        board=board,
        phase="decode",
        engine=engine,
        reference=reference,
        source=source,
        note=note,
    )


def _number(cell: object) -> float | None:
    return None if cell == "" else float(str(cell))
