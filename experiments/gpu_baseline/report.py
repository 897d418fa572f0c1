"""Committed runs of the GPU baseline as measured rows, and the tables that a page shows of them.

``python -m experiments.gpu_baseline.report`` writes ``results/gpu_baseline`` anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.gpu_baseline.campaign import ENVIRONMENT, ROWS, SCHEMA
from experiments.gpu_baseline.points import CACHE_LEN, LENGTHS, MODELS, MODES
from experiments.gpu_baseline.table import COLUMNS
from sttest.core.errors import InputError
from sttest.core.files import read_csv, read_object
from sttest.core.results import ResultFolder, Row

__depends__ = ("experiments/data/gpu_baseline/",)

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "gpu_baseline"
RUNS = ROOT / "experiments" / "data" / "gpu_baseline"
NO_RUNS = "No run is committed yet.\n"


@dataclass(frozen=True)
class Run:
    """One call of the measuring program: where, and what it wrote."""

    name: str
    environment: dict[str, Any]
    rows: list[dict[str, str]]

    @property
    def gpu(self) -> str:
        """The GPU's name as NVML gives it."""
        return str(self.environment["gpu"].get("name") or "unknown GPU")


def load_runs(folder: Path = RUNS) -> list[Run]:
    """All committed runs, by name of their folder; none where there is no such folder.

    Raises:
        InputError: a folder does not hold a measurement by the protocol.
    """
    return [load_run(path) for path in sorted(folder.glob("*")) if path.is_dir()]


def load_run(folder: Path) -> Run:
    """One run.

    Raises:
        InputError: a file is missing or foreign, or the run was a trial run.
    """
    environment, rows = _environment(folder / ENVIRONMENT), _rows(folder / ROWS)
    if not environment.get("protocol"):
        raise _bad(folder, "is a trial run, not a measurement", "measure without --smoke")
    return Run(folder.name, environment, rows)


def measured_rows(runs: Iterable[Run]) -> list[Row]:
    """Every figure of the runs as a row of the house's tables; points that failed have none.

    Lengths are in the metric: ``speed c=512`` of a decode step, ``time n=128`` of a
    prefill, ``latency [64:64]`` of a generation.
    """
    return [_row(run, line) for run in runs for line in run.rows if line["value"]]


def tables(runs: Sequence[Run]) -> str:
    """What the page shows of the runs, as Markdown."""
    if not runs:
        return NO_RUNS
    parts = [_devices(runs)]
    for gpu in sorted({run.gpu for run in runs}):
        of_gpu = [run for run in runs if run.gpu == gpu]
        parts += [
            f"### {gpu}\n",
            _headline(of_gpu),
            _shapes(of_gpu, "latency", "Latency (ms)"),
            _shapes(of_gpu, "ttft", "TTFT (ms)"),
            _missing(of_gpu),
        ]
    return "\n".join(parts)


def _row(run: Run, line: dict[str, str]) -> Row:
    spread = f"{line['low']} to {line['high']} in {line['repeats']} repeats"
    window = f", windows of {line['window_s']} s or more" if float(line["window_s"]) else ""
    return Row(
        experiment="gpu_baseline",
        metric=f"{line['metric']}{_length(line)}",
        value=float(line["value"]),
        unit=line["unit"],
        kind="measured",
        model=line["model"],
        board=run.gpu,
        phase=line["phase"],
        engine=line["mode"],
        source=f"experiments/data/gpu_baseline/{run.name}",
        note="; ".join(part for part in (spread + window, line["note"]) if part),
    )


def _length(line: dict[str, str]) -> str:
    length = line["length"]
    shown = {"prefill": f" n={length}", "decode": f" c={length}", "generation": f" [{length}:{length}]"}
    return shown.get(line["phase"], f" {line['point'].partition('/')[2]}" if line["phase"] == "idle" else "")


def _devices(runs: Sequence[Run]) -> str:
    lines = _header(
        "run", "GPU", "power limit (W)", "driver", "torch", "transformers", "idle (W)", "idle with context (W)"
    )
    for run in runs:
        gpu, versions = run.environment["gpu"], run.environment["versions"]
        idle = [_number(_find([run], "", "", name, "idle_power")) for name in ("idle/no-context", "idle/context")]
        cells = (run.name, run.gpu, gpu.get("power_limit_w"), gpu.get("driver"))
        lines.append(_line(*cells, versions["torch"], versions["transformers"], *idle))
    return "\n".join(lines) + "\n"


def _headline(runs: Sequence[Run]) -> str:
    columns = ("model", "mode", "tokens/s", "lowest", "highest", "J/token", "net of idle", "W", "SM MHz", "windows")
    lines = [f"One decode step at {CACHE_LEN} positions, again and again:", "", *_header(*columns)]
    for model in MODELS:
        for mode in MODES:
            point = f"{model}/{mode}/decode-{CACHE_LEN}/energy"
            energy = _find(runs, model, mode, point, "energy_gross")
            speed = _find(runs, model, mode, point, "speed")
            speed = speed or _find(runs, model, mode, f"{model}/{mode}/decode-{CACHE_LEN}/time", "speed")
            if speed is None:
                continue
            others = [_find(runs, model, mode, point, metric) for metric in ("energy_net", "power", "sm_clock")]
            bounds = (f"{float(speed[name]):.1f}" for name in ("value", "low", "high"))
            windows = f"{speed['repeats']} x {float(speed['window_s']):.1f} s"
            lines.append(_line(model, mode, *bounds, _number(energy), *map(_number, others), windows))
    return "\n".join(lines) + "\n"


def _shapes(runs: Sequence[Run], metric: str, title: str) -> str:
    shapes = [f"[{length}:{length}]" for length in LENGTHS]
    lines = [f"{title} of a generation [in:out] over a static cache of {CACHE_LEN} positions, median of 3:", ""]
    lines += _header("model", "mode", *shapes)
    for model in MODELS:
        for mode in MODES:
            points = [f"{model}/{mode}/generation-{length}/time" for length in LENGTHS]
            found = [_find(runs, model, mode, point, metric) for point in points]
            if any(found):
                lines.append(_line(model, mode, *map(_number, found)))
    return "\n".join(lines) + "\n"


def _missing(runs: Sequence[Run]) -> str:
    """How many points have no figures, and why those that failed have none."""
    lines = [row for run in runs for row in run.rows]
    errors = [f"- `{row['point']}`: {row['note']}" for row in lines if row["metric"] == "error"]
    dropped_count = sum(row["metric"] == "dropped" for row in lines)
    said = f"Dropped for want of time: {dropped_count}; failed: {len(errors)}"
    return "\n".join([said + (":" if errors else "."), *([""] if errors else []), *errors]) + "\n"


def _find(runs: Iterable[Run], model: str, mode: str, point: str, metric: str) -> dict[str, str] | None:
    """The line of a metric, of the last run that has it."""
    key = {"model": model, "mode": mode, "point": point, "metric": metric}
    lines = [row for run in runs for row in run.rows if row["value"] and key.items() <= row.items()]
    return lines[-1] if lines else None


def _number(line: dict[str, str] | None) -> str:
    return "-" if line is None else f"{float(line['value']):.4g}"


def _header(*columns: str) -> list[str]:
    return [_line(*columns), "|---" * len(columns) + "|"]


def _line(*cells: object) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _environment(path: Path) -> dict[str, Any]:
    return read_object(path, SCHEMA, hints=["commit both files of a run"])


def _rows(path: Path) -> list[dict[str, str]]:
    return read_csv(path, COLUMNS, hints=["measure with python -m experiments.gpu_baseline"])


def _bad(path: Path, what: str, hint: str) -> InputError:
    return InputError("bad-gpu-run", what, where=str(path), hints=[hint])


def main() -> None:
    """Writes the results folder from the committed runs."""
    runs = load_runs()
    if runs:
        config = {run.name: run.environment for run in runs}
        with ResultFolder(RESULTS, made_by="experiments.gpu_baseline.report", config=config) as folder:
            folder.add(*measured_rows(runs))


if __name__ == "__main__":
    main()
