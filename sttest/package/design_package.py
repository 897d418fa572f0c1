"""The design package: a folder from which every later stage can start again.

This room alone knows the paths inside the folder.  A depth, lane or channel stands in several files, because each
of them is of use by itself; they are checked to agree when they are read.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Self

import pandas as pd

from sttest.boards.energy import read_activity
from sttest.compile import reports
from sttest.compile.compiler import Design, FusionReport, Stage, on_chip
from sttest.compile.hls import emit_design
from sttest.compile.ir.module_walk import target_of
from sttest.compile.opt import new_context, parse
from sttest.compile.reference_graph import value_graph
from sttest.compile.resources.design import DesignResources, SlrPlacement, design_resources
from sttest.compile.spaces.fusion import Fusion, GroupCost
from sttest.core.errors import InputError
from sttest.core.files import (
    MANIFEST,
    check_output_folder,
    read_csv,
    read_model,
    replacing_folder,
    write_json,
    write_text,
)
from sttest.core.kernel_signature import DesignSignature
from sttest.core.program import __version__
from sttest.core.results import config_hash
from sttest.core.validation import validated
from sttest.package.kernel_files import HLS, KernelFiles
from sttest.package.manifest import SCHEMA, Manifest
from sttest.reference import ReferenceGraph, read_reference_graph, write_reference_graph
from sttest.sim import TimedGraph, load, read_timed_graph, write_timed_graph
from sttest.sim.bursts import channel_name
from sttest.sim.graph import MemoryPort

_IR, _REPORTS, _VALUES = "ir", "reports", "values.json"
_GRAPH, _PLACED_GRAPH = "timed_graph.json", "timed_graph_placed.json"
_KERNELS, _FIFOS, _MEMORY, _BANKS, _ACTIVITY = "kernels", "fifos", "memory", "banks", "activity"
_VERSIONED = ("xdsl", "numpy", "scipy", "simpy")
_IR_STREAM = re.compile(r'df\.stream "([^"]+)".*depth: (\d+)>')
_IR_TASK = re.compile(r'df\.task "([^"]+)".*? lanes (\d+)')
_AGAIN = ["compile the package again"]


class DesignPackage:
    """A folder that ``sttest compile`` wrote; its parts are read when they are first asked for.

    Attributes:
        folder: the package.
        manifest: what the package says of itself.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Opens a package and reads its manifest.

        Raises:
            InputError: no package, a package of another version, or a manifest that is not one.
        """
        folder = Path(folder)
        hints = ["name a folder that 'sttest compile' made"]
        if not (folder / MANIFEST).is_file():
            what = f"no design package, {MANIFEST} missing" if folder.is_dir() else "no such folder"
            raise InputError("no-package", what, where=str(folder), hints=hints)
        return cls(folder, read_model(Manifest, folder / MANIFEST, SCHEMA, hints=hints))

    @classmethod
    def write(cls, design: Design, folder: str | Path, placed: SlrPlacement | None = None) -> Self:
        """Writes a compiled design whole: into a temporary folder first, which is then renamed.

        Args:
            design: a compiled design.
            folder: a new or empty folder, or an earlier package, which is replaced.
            placed: its placement on SLRs, where there is one.

        Raises:
            InputError: see :func:`check_target`.
        """
        folder = Path(folder).resolve()
        check_target(folder)
        with replacing_folder(folder) as staging:
            manifest = _fill(design, placed, staging)
        return cls(folder, manifest)

    @property
    def name(self) -> str:
        """Name of the design."""
        return self.manifest.name

    @property
    def board(self) -> str:
        """Name of the board that the design was compiled for."""
        return self.manifest.configuration.board

    @property
    def cycles(self) -> int | None:
        """Simulated cycles of one launch; None where the design deadlocks."""
        return self.manifest.sizing.cycles

    @property
    def simulated_us(self) -> float:
        """Simulated time of one launch in microseconds, 0 where there is none."""
        return (self.cycles or 0) / self.manifest.clock_mhz

    @cached_property
    def ir(self) -> dict[str, str]:
        """MLIR text after every pass in order, by file name without its ending, such as ``04_fuse-kernels``."""
        found = {path.stem: path.read_text(encoding="utf-8") for path in sorted((self.folder / _IR).glob("*.mlir"))}
        if found:
            (last, text), place = list(found.items())[-1], self.folder / _IR
            here = str((place / last).relative_to(self.folder))
            self._agree("depth", {here: _numbers(_IR_STREAM, text), _GRAPH: self._depths})
            self._agree("lanes", {here: _numbers(_IR_TASK, text), _report_name(_KERNELS): self._lanes})
        return found

    @cached_property
    def timed_graph(self) -> TimedGraph:
        """The design as the simulators take it."""
        graph = read_timed_graph(self._part(_GRAPH))
        depths, channels = self._column(_FIFOS, "fifo", "depth_tokens"), self._column(_MEMORY, "dma", "channels")
        clocks = {MANIFEST: {graph.name: self.manifest.clock_mhz}, _GRAPH: {graph.name: graph.clock_mhz}}
        self._agree("clock_mhz", clocks)
        self._agree("depth", {_GRAPH: _depths(graph), _report_name(_FIFOS): self._whole(depths, _FIFOS)})
        self._agree("channels", {_GRAPH: _channels(graph), _report_name(_MEMORY): channels})
        return graph

    @cached_property
    def placed_graph(self) -> TimedGraph | None:
        """The timed graph with registers on what crosses SLRs; None where the design was not placed."""
        path = self.folder / _PLACED_GRAPH
        return read_timed_graph(path) if path.is_file() else None

    @cached_property
    def reference_graph(self) -> ReferenceGraph:
        """What the design computes, token by token.

        Raises:
            InputError: nobody has defined it, or the file is not such a graph.
        """
        if (why := self.manifest.values.missing) is not None:
            raise InputError("no-values", f"the design has no values: {why}", where=str(self.folder))
        graph = read_reference_graph(self._part(_VALUES))
        self._agree("depth", {_VALUES: {each.name: each.depth for each in graph.streams}, _GRAPH: self._depths})
        return graph

    @cached_property
    def files(self) -> KernelFiles:
        """The emitted C++, and what a host must know of it.

        Raises:
            InputError: the design has no C++, or files of the package contradict each other.
        """
        if (why := self.manifest.hls.missing) is not None:
            raise InputError("no-kernel", f"the design has no C++: {why}", where=str(self.folder))
        files = KernelFiles.read(self.folder)
        self._agree("board", {MANIFEST: {self.name: self.board}, files.named(files.signature_path): {
            files.design.design: files.design.board}})  # fmt: skip
        self._agree("depth", {files.named(files.cpp): files.depths, _GRAPH: self._depths})
        self._check_ports(files)
        self._check_banks(files)
        return files

    def design(self) -> Design:
        """The compiled design again: its last IR, timed graph, options and report on fusion.

        Raises:
            InputError: the package holds no IR.
        """
        configuration = self.manifest.configuration
        stages = [
            Stage(name.partition("_")[2], each.name, text, each.seconds)
            for each, (name, text) in zip(self.manifest.passes, self.ir.items(), strict=False)
        ]
        if not stages:
            raise InputError("no-ir", "the package holds no IR", where=str(self.folder), hints=_AGAIN)
        module = parse(stages[-1].text, self.name, new_context())
        return Design(
            self.name, configuration.knobs, target_of(module, str(self.folder)), module, self.timed_graph,
            _fusion(self.report("fusion")), tuple(stages), configuration.workload.model_dump(),
        )  # fmt: skip

    @property
    def lanes(self) -> tuple[str, ...]:
        """Lanes of every kernel, ``name:lanes``."""
        return tuple(f"{name}:{lanes}" for name, lanes in self._lanes.items())

    @cached_property
    def activity(self) -> pd.DataFrame:
        """What one launch does, counted by element: the report from which a board computes energy."""
        return read_activity(self._part(_report_name(_ACTIVITY)))

    def report(self, name: str) -> pd.DataFrame:
        """A table of the package, such as ``kernels``, ``fifos``, ``memory`` or ``resources``.

        Raises:
            InputError: the package has no such table.
        """
        path = self._part(_report_name(name))
        try:
            return pd.read_csv(path)
        except ValueError as error:
            raise InputError("bad-report", f"not a table ({error})", where=str(path), hints=_AGAIN) from error

    def write_build_files(self, link_config: str, makefile: str, design: DesignSignature, banks: str) -> None:
        """Writes what a build by hand needs, too; they agree, so the signature comes last.

        Args:
            link_config, makefile: text for v++ and for make.
            design: the signature with the banks that were chosen.
            banks: text of the report on those banks.
        """
        self.files.write_build_files(link_config, makefile)
        (self.folder / _REPORTS).mkdir(exist_ok=True)
        write_text(self.folder / _report_name(_BANKS), banks)
        self.files.write_signature(design)
        self.__dict__.pop("files")

    @property
    def _depths(self) -> dict[str, int]:
        return _depths(self.timed_graph)

    @cached_property
    def _lanes(self) -> dict[str, int]:
        return self._whole(self._column(_KERNELS, "kernel", "lanes"), _KERNELS)

    def _check_ports(self, files: KernelFiles) -> None:
        ports = _channels(self.timed_graph).keys() ^ files.argument_of.keys()
        for name in sorted(ports):
            here, there = _GRAPH, files.named(files.memory_path)
            raise InputError(
                "files-disagree", f"port '{name}' is not in both {here} and {there}", where=str(self.folder),
                hints=_AGAIN,
            )  # fmt: skip

    def _check_banks(self, files: KernelFiles) -> None:
        """Compares with the banks that a build chose, where there was one, else with those of the timed graph."""
        banks = {each.name: " ".join(map(str, each.banks)) for each in files.kernel.buffers}
        here = files.named(files.signature_path)
        if (self.folder / _report_name(_BANKS)).is_file():
            self._agree("banks", {here: banks, _report_name(_BANKS): self._column(_BANKS, "argument", "banks")})
            return
        names = {argument: dma for dma, argument in files.argument_of.items()}
        channels = {
            names[each.name]: " ".join(map(channel_name, each.banks)) for each in files.kernel.buffers
            if each.name in names
        }  # fmt: skip
        self._agree("channels", {here: channels, _GRAPH: _channels(self.timed_graph)})

    def _agree(self, what: str, places: Mapping[str, Mapping[str, object]]) -> None:
        """Refuses two files that have different values under the same name."""
        (here, ones), (there, others) = places.items()
        for name, value in ones.items():
            if name in others and others[name] != value:
                raise InputError(
                    "files-disagree", f"{what} of '{name}' is {value} in {here} and {others[name]} in {there}",
                    where=str(self.folder), hints=_AGAIN,
                )  # fmt: skip

    def _part(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise InputError(
                "truncated-package", f"not a whole design package, {name} missing", where=str(self.folder),
                hints=_AGAIN,
            )  # fmt: skip
        return path

    def _column(self, report: str, key: str, value: str) -> dict[str, str]:
        return _column(self._part(_report_name(report)), key, value)

    def _whole(self, column: Mapping[str, str], report: str) -> dict[str, int]:
        return _whole(column, self.folder / _report_name(report))


def _fusion(table: pd.DataFrame) -> FusionReport:
    """The decision of its report, which leaves out the edges between groups."""
    groups = table.groupby("group")[["group_converter_bytes", "group_local_buffer_bytes"]].first()
    costs = tuple(GroupCost(int(converters), int(buffers)) for converters, buffers in groups.itertuples(index=False))
    group_of = dict(zip(table.kernel, map(int, table.group), strict=True))
    original = dict(zip(table.kernel, map(int, table.original_result_bytes), strict=True))
    return FusionReport(Fusion(group_of, costs, ()), original)


def check_target(folder: Path) -> None:
    """Refuses, before any work is done, a folder that can't be written or that holds something else.

    Raises:
        InputError: the folder cannot be written; the hints say what would help.
    """
    check_output_folder(folder, SCHEMA, "design package")


def load_graph(path: str | Path) -> TimedGraph:
    """The timed graph of a design package, of a timed-graph JSON file or of an SDF3 XML file.

    Raises:
        InputError: nothing there, a package that is not whole, or not a possible graph.
    """
    return DesignPackage.read(path).timed_graph if Path(path).is_dir() else load(path)


def read_lanes(folder: Path) -> tuple[str, ...]:
    """The lanes of a package, or of a folder that holds its report on kernels alone, ``name:lanes``.

    Raises:
        InputError: no such report.
    """
    path = folder / _report_name(_KERNELS)
    try:
        lanes = _whole(_column(path, "kernel", "lanes"), path)
    except InputError as error:
        raise InputError(
            "no-lanes", f"no readable {_report_name(_KERNELS)}", where=str(folder),
            hints=["name a package that 'sttest compile' made"],
        ) from error  # fmt: skip
    return tuple(f"{name}:{count}" for name, count in lanes.items())


def write_lanes(design: Design, folder: Path) -> None:
    """Writes the report on kernels alone, which :func:`read_lanes` takes."""
    (folder / _REPORTS).mkdir(parents=True)
    reports.kernel_table(design).to_csv(folder / _report_name(_KERNELS), index=False)


def _report_name(name: str) -> str:
    return f"{_REPORTS}/{name}.csv"


def _column(path: Path, key: str, value: str) -> dict[str, str]:
    try:
        return {row[key]: row[value] for row in read_csv(path, hints=_AGAIN)}
    except KeyError as error:
        raise InputError("bad-report", f"has no column {error}", where=str(path), hints=_AGAIN) from error


def _whole(column: Mapping[str, str], path: Path) -> dict[str, int]:
    try:
        return {name: int(value) for name, value in column.items()}
    except (TypeError, ValueError) as error:
        raise InputError("bad-report", f"not a whole number ({error})", where=str(path), hints=_AGAIN) from error


def _numbers(pattern: re.Pattern[str], text: str) -> dict[str, int]:
    return {name: int(number) for name, number in pattern.findall(text)}


def _depths(graph: TimedGraph) -> dict[str, int]:
    return {fifo.name: fifo.depth for fifo in graph.fifos}


def _channels(graph: TimedGraph) -> dict[str, str]:
    return {each.name: " ".join(each.channels) for each in graph.processes if isinstance(each, MemoryPort)}


# --- The content of a new package


def _fill(design: Design, placed: SlrPlacement | None, folder: Path) -> Manifest:
    taken = placed.taken if placed else design_resources(design)
    (folder / _IR).mkdir()
    for number, stage in enumerate(design.stages):
        (folder / _IR / f"{number:02d}_{stage.name}.mlir").write_text(stage.text, encoding="utf-8")
    (folder / _REPORTS).mkdir()
    for name, table in _tables(design, taken, placed).items():
        table.to_csv(folder / _report_name(name), index=False)
    write_timed_graph(design.graph, folder / _GRAPH)
    if placed:
        write_timed_graph(placed.graph, folder / _PLACED_GRAPH)
    parts = {"hls": _write_hls(design, folder), "values": _write_values(design, folder / _VALUES)}
    facts = {**_facts(design, taken, placed), **parts}
    manifest = validated(Manifest, facts, str(folder / MANIFEST))
    write_json(folder / MANIFEST, manifest.to_json(), indent=2)
    return manifest


def _tables(design: Design, taken: DesignResources, placed: SlrPlacement | None) -> dict[str, pd.DataFrame]:
    found = {
        "fusion": design.fusion.table(), _FIFOS: reports.fifo_table(design),
        "converters": reports.converter_table(design), _KERNELS: reports.kernel_table(design),
        _MEMORY: reports.memory_table(design), _ACTIVITY: reports.activity_table(design),
        "resources": reports.resource_table(taken, design.board), "memory_kinds": reports.memory_kind_table(taken),
    }  # fmt: skip
    if placed is None:
        return found
    return found | {"partition": reports.partition_table(placed), "crossings": reports.crossing_table(placed)}


def _write_hls(design: Design, folder: Path) -> dict[str, object]:
    """The C++ of the design, or why there is none: a design may be timed whose values nobody has defined."""
    try:
        emitted = emit_design(design)
    except InputError as error:
        return {"missing": str(error)}
    KernelFiles.write(design, emitted, folder / HLS)
    return {"kernel": emitted.name}


def _write_values(design: Design, path: Path) -> dict[str, object]:
    """What the design computes, or why nobody has defined it."""
    try:
        write_reference_graph(value_graph(design.module, design.name), path)
    except InputError as error:
        return {"missing": str(error)}
    layers = design.knobs.layers
    return {"file": path.name, **({"layers": str(layers)} if layers > 1 else {})}


def _facts(design: Design, taken: DesignResources, placed: SlrPlacement | None) -> dict[str, object]:
    configuration = {"workload": design.workload, "knobs": design.knobs.model_dump(), "board": design.board.name}
    after = on_chip(design.module)
    sizing = reports.sizing_cost(design)
    before = design.fusion.total_original_bytes
    return {
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
        "resources": reports.resource_facts(taken, design.board),
        "partition": reports.partition_facts(placed) if placed else None,
    }
