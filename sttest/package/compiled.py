"""A compiled design as a package, and back: what of this room needs the compiler."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sttest.compile import reports
from sttest.compile.compiler import CompiledDesign, FusionReport, PassStage, on_chip
from sttest.compile.groups import GroupedDesign
from sttest.compile.hls.files import design_memory, design_signature, emit_design
from sttest.compile.ir.module_walk import target_of
from sttest.compile.opt import new_context, parse
from sttest.compile.resources.design import DesignResources, design_resources
from sttest.compile.resources.fit import Fit
from sttest.compile.resources.placement import SlrPlacement
from sttest.compile.spaces.fusion import Fusion, GroupCost
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, check_output_folder, replacing_folder, write_json
from sttest.core.kernel_signature import write_signature
from sttest.core.program import __version__
from sttest.core.report_table import ReportTable
from sttest.core.results import config_hash
from sttest.core.validation import validated
from sttest.models.quant.scheme import load_scheme, schemes
from sttest.package.design_package import (
    ACTIVITY,
    COMPILE_AGAIN,
    FIFOS,
    GRAPH,
    IR,
    KERNELS,
    MEMORY,
    PARTITION,
    PLACED_GRAPH,
    RELAYS,
    REPORTS,
    VALUES,
    DesignPackage,
    check_target,
    report_name,
)
from sttest.package.group_package import SCHEMA as GROUPS_SCHEMA
from sttest.package.group_package import GroupPackage
from sttest.package.kernel_files import CPP, HLS, MEMORY_SCHEMA, MEMORY_TABLE, SIGNATURE
from sttest.package.manifest import Manifest
from sttest.reference import write_reference_graph
from sttest.sim import write_timed_graph
from sttest.sim.sizing_cost import SizingCost, kept_sizing_cost

_VERSIONED = ("xdsl", "numpy", "scipy", "simpy")


def write_package(
    design: CompiledDesign,
    folder: str | Path,
    placed: SlrPlacement | None = None,
    *,
    fit: Fit | None = None,
    which: Mapping[str, object] | None = None,
) -> DesignPackage:
    """Writes a compiled design whole: into a temporary folder first, which is then renamed.

    Args:
        design: a compiled design.
        folder: a new or empty folder, or an earlier package, which is replaced.
        placed: its placement on SLRs, where there is one.
        fit: whether it fits, where that is known.
        which: fields of :class:`~sttest.package.manifest.ChoiceEntry`, where that is known.

    Raises:
        InputError: see :func:`check_target`.
    """
    folder = Path(folder).resolve()
    check_target(folder)
    with replacing_folder(folder) as staging:
        known = {"fit": fit and {"fits": fit.fits, **fit.to_dict()}, "design": which}
        manifest = _fill(design, placed, staging, {name: fact for name, fact in known.items() if fact})
    return DesignPackage(folder, manifest)


def write_groups(grouped: GroupedDesign, folder: str | Path) -> GroupPackage:
    """Writes a package of several groups, as :func:`write_package` does one of them.

    Raises:
        InputError: something else stands in the folder.
    """
    folder = Path(folder).resolve()
    check_output_folder(folder, GROUPS_SCHEMA, "package of groups")
    names = [f"group{number}" for number in range(len(grouped.designs))]
    with replacing_folder(folder) as staging:
        for name, design in zip(names, grouped.designs, strict=True):
            write_package(design, staging / name)
        tensors = [asdict(each) for each in grouped.tensors]
        content = {"schema": GROUPS_SCHEMA, "name": grouped.name, "groups": names, "tensors": tensors}
        write_json(staging / MANIFEST, content, indent=2)
    return GroupPackage.read(folder)


def read_design(package: DesignPackage) -> CompiledDesign:
    """The compiled design of a package again: its last IR, timed graph, options and report on fusion.

    Raises:
        InputError: the package holds no IR.
    """
    configuration, where = package.manifest.configuration, str(package.folder)
    texts = {int(name.partition("_")[0]): text for name, text in package.ir.items()}
    if not texts:
        raise InputError("no-ir", "the package holds no IR", where=where, hints=COMPILE_AGAIN)
    stages = [
        PassStage(each.name.partition("{")[0], each.name, texts.get(number), each.seconds or 0.0)
        for number, each in enumerate(package.manifest.passes)
    ]
    module = parse(texts[max(texts)], package.name, new_context())
    return CompiledDesign(
        package.name,
        configuration.options,
        target_of(module, where),
        module,
        package.timed_graph,
        _fusion(package.report("fusion").to_dict("records")),
        tuple(stages),
        configuration.workload.model_dump(),
    )


def write_lanes(design: CompiledDesign, folder: Path) -> None:
    """Writes the report on kernels alone, which :func:`read_lanes` takes."""
    (folder / REPORTS).mkdir(parents=True)
    reports.kernel_table(design).write(folder / report_name(KERNELS))


def _fusion(rows: Sequence[Mapping[Hashable, Any]]) -> FusionReport:
    """The decision of its report, which leaves out the edges between groups."""
    costs = {row["group"]: (row["group_converter_bytes"], row["group_local_buffer_bytes"]) for row in rows}
    group_of = {row["kernel"]: int(row["group"]) for row in rows}
    original = {row["kernel"]: int(row["original_result_bytes"]) for row in rows}
    each = tuple(GroupCost(int(converters), int(buffers)) for _, (converters, buffers) in sorted(costs.items()))
    return FusionReport(Fusion(group_of, each, ()), original)


def _fill(design: CompiledDesign, placed: SlrPlacement | None, folder: Path, known: Mapping[str, object]) -> Manifest:
    taken = placed.taken if placed else design_resources(design)
    (folder / IR).mkdir()
    for number, stage in enumerate(design.stages):
        if stage.text is not None:
            (folder / IR / f"{number:02d}_{stage.name}.mlir").write_text(stage.text, encoding="utf-8")
    (folder / REPORTS).mkdir()
    for name, table in _tables(design, taken, placed).items():
        table.write(folder / report_name(name))
    write_timed_graph(design.graph, folder / GRAPH)
    if placed:
        write_timed_graph(placed.graph, folder / PLACED_GRAPH)
    parts = {"hls": _write_hls(design, taken, placed, folder), "values": _write_values(design, folder / VALUES)}
    sizing = kept_sizing_cost(design.graph, folder / GRAPH)
    facts = {**_facts(design, taken, placed, sizing), **known, **parts}
    manifest = validated(Manifest, facts, str(folder / MANIFEST))
    write_json(folder / MANIFEST, manifest.to_json(), indent=2)
    return manifest


def _tables(design: CompiledDesign, taken: DesignResources, placed: SlrPlacement | None) -> dict[str, ReportTable]:
    found = {
        "fusion": design.fusion.table(),
        FIFOS: reports.fifo_table(design),
        "converters": reports.converter_table(design),
        KERNELS: reports.kernel_table(design),
        MEMORY: reports.memory_table(design),
        ACTIVITY: reports.activity_table(design),
        "resources": reports.resource_table(taken, design),
        "memory_kinds": reports.memory_kind_table(taken),
    }
    if taken.card_of:
        found["cards"] = reports.card_table(taken, design)
    if placed is None:
        return found
    return found | {
        PARTITION: reports.partition_table(placed),
        "crossings": reports.crossing_table(placed),
        RELAYS: reports.relay_table(placed, design),
    }


def _write_hls(
    design: CompiledDesign, taken: DesignResources, placed: SlrPlacement | None, folder: Path
) -> dict[str, object]:
    """The C++ of the design, or why there is none: a design may be timed whose values nobody has defined."""
    try:
        emitted = emit_design(design, taken, placed)
    except InputError as error:
        return {"missing": str(error)}
    hls = folder / HLS
    hls.mkdir(parents=True)
    for name, text in {**emitted.headers, CPP: emitted.top}.items():
        (hls / name).write_text(text, encoding="utf-8")
    write_signature(design_signature(design, emitted, taken), hls / SIGNATURE)
    write_json(hls / MEMORY_TABLE, {"schema": MEMORY_SCHEMA, **design_memory(design, emitted)})
    return {"kernel": emitted.name}


def _write_values(design: CompiledDesign, path: Path) -> dict[str, object]:
    """What the design computes, or why nobody has defined it."""
    try:
        write_reference_graph(design.values, path)
    except InputError as error:
        return {"missing": str(error)}
    layers = design.options.layers
    return {"file": path.name, **({"layers": str(layers)} if layers > 1 else {})}


def _facts(
    design: CompiledDesign, taken: DesignResources, placed: SlrPlacement | None, sizing: SizingCost
) -> dict[str, object]:
    configuration = {"workload": design.workload, "options": design.options.model_dump(), "board": design.board.name}
    if (precision := design.options.precision) not in schemes():
        configuration["scheme"] = asdict(load_scheme(precision))
    after = on_chip(design.module)
    before = design.fusion.total_original_bytes
    return {
        "name": design.name,
        "configuration": configuration,
        "configuration_hash": config_hash(configuration),
        "clock_mhz": design.board.clock_mhz.value,
        "groups": len(design.fusion.fusion.costs),
        "passes": [{"pass": stage.spec} for stage in design.stages],
        "intermediates": {
            "original_bytes": before,
            "converter_bytes": after.converter_bytes,
            "fifo_bytes": after.fifo_bytes,
            "dma_tile_bytes": after.dma_tile_bytes,
            "fused_bytes": after.total_bytes,
            "fused_over_original": after.total_bytes / before if before else None,
        },
        "sizing": {
            "strategy": design.options.strategy,
            "cycles": sizing.cycles,
            "unbounded_cycles": sizing.unbounded_cycles,
            "lost_cycles": sizing.lost_cycles,
            "waits_for_space_cycles": sizing.waits,
            "fifos_below_their_unbounded_peak": sizing.short,
        },
        "versions": {"sttest": __version__, **{name: version(name) for name in _VERSIONED}},
        "resources": reports.resource_facts(taken, design),
        "partition": reports.partition_facts(placed, design) if placed else None,
        "contractions": design.coverage.to_json() if design.coverage else None,
    }
