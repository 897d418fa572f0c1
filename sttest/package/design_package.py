"""The design package: a folder from which any later stage can start again (architecture section 2)."""

from __future__ import annotations

import json
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from sttest.compile.compiler import Design, on_chip
from sttest.compile.hls import emit_design, write_hls
from sttest.compile.reference_graph import value_graph
from sttest.compile.reports import (
    activity_table,
    converter_table,
    crossing_table,
    fifo_table,
    kernel_table,
    memory_kind_table,
    memory_table,
    partition_facts,
    partition_table,
    resource_facts,
    resource_table,
    sizing_cost,
)
from sttest.compile.resources.design import DesignResources, SlrPlacement, design_resources
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, check_output_folder
from sttest.core.program import __version__
from sttest.core.results import config_hash
from sttest.reference import write_reference_graph
from sttest.sim import write_timed_graph

SCHEMA = "sttest.package/1"
VALUES = "values.json"
PLACED_GRAPH = "timed_graph_placed.json"
"""The timed graph with registers on what crosses SLRs, in packages whose resources were checked."""
_VERSIONED = ("xdsl", "numpy", "scipy", "simpy")


def check_target(folder: Path) -> None:
    """Refuses, before any work is done, a folder that can't be written or that holds something else.

    Raises:
        InputError: the request cannot be met; the hints say what would help.
    """
    check_output_folder(folder, SCHEMA, "design package")


def write_package(design: Design, folder: Path, placed: SlrPlacement | None = None) -> Path:
    """Writes the package whole: into a temporary folder first, then renamed.

    Args:
        design: compiled.
        folder: folder of the package.
        placed: its SLRs, where they were asked for.

    Raises:
        InputError: see :func:`check_target`.
    """
    check_target(folder)
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".sttest-"))
    try:
        _fill(design, placed, staging)
        staging.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        staging.rename(folder)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return folder


def _fill(design: Design, placed: SlrPlacement | None, folder: Path) -> None:
    (folder / "ir").mkdir()
    for number, stage in enumerate(design.stages):
        (folder / "ir" / f"{number:02d}_{stage.name}.mlir").write_text(stage.text, encoding="utf-8")
    (folder / "reports").mkdir()
    taken = placed.taken if placed else design_resources(design)
    tables = {
        "fusion": design.fusion.table(), "fifos": fifo_table(design), "converters": converter_table(design),
        "kernels": kernel_table(design), "memory": memory_table(design),
        "activity": activity_table(design), "resources": resource_table(taken, design.board),
        "memory_kinds": memory_kind_table(taken),
    }  # fmt: skip
    if placed:
        tables |= {"partition": partition_table(placed), "crossings": crossing_table(placed)}
        write_timed_graph(placed.graph, folder / PLACED_GRAPH)
    for name, table in tables.items():
        table.to_csv(folder / "reports" / f"{name}.csv", index=False)
    write_timed_graph(design.graph, folder / "timed_graph.json")
    hls = _write_hls(design, folder / "hls")
    manifest = {
        **_manifest(design),
        **_resources(design, taken, placed),
        "values": _write_values(design, folder / VALUES),
        "hls": hls,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _resources(design: Design, taken: DesignResources, placed: SlrPlacement | None) -> dict[str, object]:
    facts: dict[str, object] = {"resources": resource_facts(taken, design.board)}
    return facts | {"partition": partition_facts(placed)} if placed else facts


def _write_hls(design: Design, folder: Path) -> dict[str, object]:
    """The C++ of the design, or why there is none: a design may be timed whose values nobody has defined."""
    try:
        emitted = emit_design(design)
    except InputError as error:
        return {"missing": str(error)}
    write_hls(design, emitted, folder)
    return {"kernel": emitted.name}


def _write_values(design: Design, path: Path) -> dict[str, str]:
    """What the design computes, or why nobody has defined it."""
    try:
        write_reference_graph(value_graph(design.module, design.name), path)
    except InputError as error:
        return {"missing": str(error)}
    layers = design.knobs.layers
    return {"file": path.name, **({"layers": str(layers)} if layers > 1 else {})}


def _manifest(design: Design) -> dict[str, object]:
    configuration = {"workload": design.workload, "knobs": design.knobs.model_dump(), "board": design.board.name}
    after = on_chip(design.module)
    sizing = sizing_cost(design)
    before = design.fusion.total_original_bytes
    return {
        "schema": SCHEMA,
        "name": design.name,
        "configuration": configuration,
        "configuration_hash": config_hash(configuration),
        "clock_mhz": design.board.clock_mhz.value,
        "groups": len(design.fusion.fusion.costs),
        "passes": [{"pass": stage.spec, "seconds": round(stage.seconds, 4)} for stage in design.stages],
        "intermediates": {
            "original_bytes": before,
            "converter_bytes": after.converter_bytes,
            "fifo_bytes": after.fifo_bytes,
            "dma_tile_bytes": after.dma_tile_bytes,
            "fused_bytes": after.total_bytes,
            "fused_over_original": after.total_bytes / before if before else None,
        },
        "sizing": {
            "strategy": design.knobs.strategy,
            "cycles": sizing.cycles,
            "unbounded_cycles": sizing.unbounded_cycles,
            "lost_cycles": sizing.lost_cycles,
            "waits_for_space_cycles": sizing.waits,
            "fifos_below_their_unbounded_peak": sizing.short,
        },
        "versions": {"sttest": __version__, **{name: version(name) for name in _VERSIONED}},
    }
