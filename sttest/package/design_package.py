"""The design package: a folder from which every later stage can start again.

This room alone knows the paths inside the folder.  A depth, lane or channel stands in several files, because each
of them is of use by itself; they are checked to agree when they are read.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sttest.boards.energy import read_activity
from sttest.core.errors import InputError
from sttest.core.files import (
    MANIFEST,
    check_output_folder,
    place_of,
    read_bytes,
    read_csv,
    read_model,
    read_text,
    write_text,
)
from sttest.core.kernel_signature import DesignSignature
from sttest.core.numbers import is_disguised
from sttest.core.plain_files import why_no_file
from sttest.core.report_table import ReportTable
from sttest.package.achieved import SCHEMA as ACHIEVED_SCHEMA
from sttest.package.achieved import Achieved
from sttest.package.kernel_files import KernelFiles
from sttest.package.manifest import SCHEMA, Manifest
from sttest.package.ways_in import way_in
from sttest.reference import ReferenceGraph, read_reference_graph
from sttest.sim import TimedGraph, read_timed_graph
from sttest.sim.bursts import HBM, channel_name
from sttest.sim.crossings import kernel_graph
from sttest.sim.graph import MemoryPort

if TYPE_CHECKING:
    import pandas as pd

IR, REPORTS, VALUES = "ir", "reports", "values.json"
ACHIEVED, _JOBS = f"{REPORTS}/achieved.json", "calibrate"
GRAPH, PLACED_GRAPH = "timed_graph.json", "timed_graph_placed.json"
KERNELS, FIFOS, MEMORY, ACTIVITY, _BANKS = "kernels", "fifos", "memory", "activity", "banks"
PARTITION, RELAYS = "partition", "relays"
_IR_STREAM = re.compile(r'df\.stream "([^"]+)".*depth: (\d+)>')
_IR_TASK = re.compile(r'df\.task "([^"]+)".*? lanes (\d+)')
COMPILE_AGAIN = ["compile the package again"]


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
            raise _no_package(folder, hints)
        return cls(folder, read_model(Manifest, folder / MANIFEST, SCHEMA, hints=hints))

    @property
    def name(self) -> str:
        """Name of the design."""
        return self.manifest.name

    @property
    def board(self) -> str:
        """Name of the board that the design was compiled for."""
        return self.manifest.configuration.board

    def require_one_card(self) -> None:
        """Refuses a design over several cards, where the files or the runtime of one are wanted.

        Raises:
            InputError: ``several-cards``.
        """
        cards = self.manifest.configuration.options.cards
        if cards > 1:
            raise InputError(
                "several-cards",
                "a design over several cards is simulated and emulated, not built or run on a card",
                where=str(self.folder),
                demand=cards,
                bound=1,
                unit="cards",
                hints=["compile it without --cards"],
            )

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
        """MLIR text after the passes whose text was kept, by file name without its ending, as in ``00_quantize``."""
        found = {path.stem: read_text(path) for path in sorted((self.folder / IR).glob("*.mlir"))}
        if found:
            (last, text), place = list(found.items())[-1], self.folder / IR
            here = str((place / last).relative_to(self.folder))
            self._agree("depth", {here: _numbers(_IR_STREAM, text), GRAPH: self._depths})
            self._agree("lanes", {here: _numbers(_IR_TASK, text), report_name(KERNELS): self._lanes})
        return found

    @cached_property
    def timed_graph(self) -> TimedGraph:
        """The design as the simulators take it."""
        graph = read_timed_graph(self._part(GRAPH))
        depths, channels = self._column(FIFOS, "fifo", "depth_tokens"), self._column(MEMORY, "dma", "channels")
        clocks = {MANIFEST: {graph.name: self.manifest.clock_mhz}, GRAPH: {graph.name: graph.clock_mhz}}
        self._agree("clock_mhz", clocks)
        self._agree("depth", {GRAPH: _depths(graph), report_name(FIFOS): self._whole(depths, FIFOS)})
        self._agree("channels", {GRAPH: _channels(graph), report_name(MEMORY): channels})
        return graph

    @cached_property
    def placed_graph(self) -> TimedGraph | None:
        """The timed graph with registers on what crosses SLRs; None where the design was not placed."""
        path = self.folder / PLACED_GRAPH
        return read_timed_graph(path) if path.is_file() else None

    @property
    def emitted_graph(self) -> TimedGraph:
        """The timed graph of what is emitted as C++ and SystemVerilog: with relays between SLRs, if it was placed.

        Registers on buses between the kernel and the HBM are not in the kernel.
        """
        return self.timed_graph if self.placed_graph is None else kernel_graph(self.placed_graph)

    @cached_property
    def reference_graph(self) -> ReferenceGraph:
        """What the design computes, token by token.

        Raises:
            InputError: nobody has defined it, or the file is not such a graph.
        """
        if (why := self.manifest.values.missing) is not None:
            raise InputError("no-values", f"the design has no values: {why}", where=str(self.folder))
        graph = read_reference_graph(self._part(VALUES))
        self._agree("depth", {VALUES: {each.name: each.depth for each in graph.streams}, GRAPH: self._depths})
        return graph

    @property
    def rtl_folder(self) -> Path:
        """The folder of an RTL kernel."""
        return self.folder / "rtl"

    @cached_property
    def files(self) -> KernelFiles:
        """The emitted C++, and what a host must know of it.

        Raises:
            InputError: the design has no C++, or files of the package contradict each other.
        """
        if (why := self.manifest.hls.missing) is not None:
            raise InputError("no-kernel", f"the design has no C++: {why}", where=str(self.folder))
        files = KernelFiles.read(self.folder)
        self._agree(
            "board",
            {
                MANIFEST: {self.name: self.board},
                files.named(files.signature_path): {files.design.design: files.design.board},
            },
        )
        self._agree("depth", {files.named(files.cpp): files.depths, GRAPH: self._depths})
        if self.placed_graph is not None:
            self._agree("depth", {files.named(files.cpp): files.depths, PLACED_GRAPH: _depths(self.placed_graph)})
        self._check_ports(files)
        self._check_banks(files)
        return files

    @property
    def lanes(self) -> tuple[str, ...]:
        """Lanes of every task, ``name:lanes``, as the compiler takes them."""
        return _of_tasks(self._lanes)

    @cached_property
    def activity(self) -> ReportTable:
        """What one launch does, counted by element: the report from which a board computes energy."""
        return read_activity(self._part(report_name(ACTIVITY)))

    def report(self, name: str) -> "pd.DataFrame":
        """A table of the package, such as ``kernels``, ``fifos``, ``memory`` or ``resources``.

        Raises:
            InputError: the package has no such table.
        """
        import pandas as pd  # takes a third of a second to import

        path = self._part(report_name(name))
        data = read_bytes(path, hints=COMPILE_AGAIN)
        try:
            table = pd.read_csv(BytesIO(data))
            for title, column in table.items():
                if any(isinstance(each, float | str) and is_disguised(str(each)) for each in column.dropna()):
                    raise ValueError(f"column '{title}' has numbers that are not finite or not in plain digits")
        except ValueError as error:
            raise InputError("bad-report", f"not a table ({error})", where=str(path), hints=COMPILE_AGAIN) from error
        return table

    @property
    def jobs_folder(self) -> Path:
        """Where `sttest calibrate` writes the jobs of the synthesis tool."""
        return self.folder / _JOBS

    @cached_property
    def kernel_sha256(self) -> str:
        """Hash of the emitted C++."""
        return hashlib.sha256(self.files.cpp_text.encode()).hexdigest()

    @cached_property
    def achieved(self) -> Achieved:
        """What a synthesis tool achieved.

        Raises:
            InputError: the package was not calibrated, or its C++ is not what was synthesized.
        """
        path, hints = self.folder / ACHIEVED, [f"run 'sttest calibrate {self.folder}'"]
        if not path.is_file():
            raise InputError(
                "not-calibrated", f"not calibrated, {ACHIEVED} missing", where=str(self.folder), hints=hints
            )
        achieved = read_model(Achieved, path, ACHIEVED_SCHEMA, hints=hints)
        if achieved.kernel_sha256 != self.kernel_sha256:
            what = f"{ACHIEVED} is about other C++ than {self.files.named(self.files.cpp)}"
            raise InputError("files-disagree", what, where=str(self.folder), hints=hints)
        return achieved

    def write_achieved(self, achieved: Achieved) -> Path:
        """Saves what a synthesis tool achieved, and says where."""
        path = self.folder / ACHIEVED
        path.parent.mkdir(exist_ok=True)
        write_text(path, achieved.model_dump_json(by_alias=True, indent=1) + "\n")
        self.__dict__.pop("achieved", None)
        return path

    @property
    def slr_of(self) -> dict[str, int]:
        """The SLR of every process, relays among them, of a package that was placed.

        Raises:
            InputError: a report is missing.
        """
        reports = [self.report(name) for name in (PARTITION, RELAYS)]
        return {str(name): int(slr) for each in reports for name, slr in zip(each["process"], each["slr"], strict=True)}

    @property
    def relays(self) -> tuple[str, ...]:
        """Those of its processes that pass tokens on between SLRs."""
        return tuple(map(str, self.report(RELAYS)["process"]))

    def write_build_files(self, link_config: str, makefile: str, design: DesignSignature, banks: str) -> None:
        """Writes what a build by hand needs, too; they agree, so the signature comes last.

        Args:
            link_config, makefile: text for v++ and for make.
            design: the signature with the banks that were chosen.
            banks: text of the report on those banks.
        """
        self.files.write_build_files(link_config, makefile)
        (self.folder / REPORTS).mkdir(exist_ok=True)
        write_text(self.folder / report_name(_BANKS), banks)
        self.files.write_signature(design)
        self.__dict__.pop("files")

    @property
    def _depths(self) -> dict[str, int]:
        return _depths(self.timed_graph)

    @cached_property
    def _lanes(self) -> dict[str, int]:
        return self._whole(self._column(KERNELS, "kernel", "lanes"), KERNELS)

    def _check_ports(self, files: KernelFiles) -> None:
        ports = _channels(self.timed_graph).keys() ^ files.argument_of.keys()
        for name in sorted(ports):
            here, there = GRAPH, files.named(files.memory_path)
            raise InputError(
                "files-disagree",
                f"port '{name}' is not in both {here} and {there}",
                where=str(self.folder),
                hints=COMPILE_AGAIN,
            )

    def _check_banks(self, files: KernelFiles) -> None:
        """Compares with the banks that a build chose, where there was one, else with those of the timed graph."""
        banks = {each.name: " ".join(map(str, each.banks)) for each in files.kernel.buffers}
        here = files.named(files.signature_path)
        if (self.folder / report_name(_BANKS)).is_file():
            self._agree("banks", {here: banks, report_name(_BANKS): self._column(_BANKS, "argument", "banks")})
            return
        names = {argument: dma for dma, argument in files.argument_of.items()}
        channels = {
            names[each.name]: " ".join(map(channel_name, each.banks))
            for each in files.kernel.buffers
            if each.name in names
        }
        # Banks behind those of the HBM have numbers that only the board's file gives a meaning.
        timed = {dma: names for dma, names in _channels(self.timed_graph).items() if names.startswith(HBM)}
        self._agree("channels", {here: channels, GRAPH: timed})

    def _agree(self, what: str, places: Mapping[str, Mapping[str, object]]) -> None:
        """Refuses two files that have different values under the same name."""
        (here, ones), (there, others) = places.items()
        for name, value in ones.items():
            if name in others and others[name] != value:
                raise InputError(
                    "files-disagree",
                    f"{what} of '{name}' is {value} in {here} and {others[name]} in {there}",
                    where=str(self.folder),
                    hints=COMPILE_AGAIN,
                )

    def _part(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise InputError(
                "truncated-package",
                f"not a whole design package, {name} missing",
                where=str(self.folder),
                hints=COMPILE_AGAIN,
            )
        return path

    def _column(self, report: str, key: str, value: str) -> dict[str, str]:
        return _column(self._part(report_name(report)), key, value)

    def _whole(self, column: Mapping[str, str], report: str) -> dict[str, int]:
        return _whole(column, self.folder / report_name(report))


def check_target(folder: Path) -> None:
    """Refuses, before any work is done, a folder that can't be written or that holds something else.

    Raises:
        InputError: the folder cannot be written; the hints say what would help.
    """
    check_output_folder(folder, SCHEMA, "design package")


def _no_package(folder: Path, hints: Sequence[str]) -> InputError:
    """What stands in place of a package, and the command that makes a package of it, if there is one."""
    found = way_in(folder)
    if found is not None and not found.format:
        hints = found.hints
    there = f"no design package, {MANIFEST} missing" if folder.is_dir() else "a file, not a design package"
    if not folder.is_dir() and not folder.is_file():
        there = why_no_file(folder) if folder.exists() else "no such folder"
    what = f"{there}: {found.what}" if found else there
    return InputError("no-package", what, where=place_of(folder), hints=hints)


def read_lanes(folder: Path) -> tuple[str, ...]:
    """The lanes of a package, or of a folder that holds its report on kernels alone, ``name:lanes``.

    Raises:
        InputError: no such report.
    """
    path = folder / report_name(KERNELS)
    try:
        lanes = _whole(_column(path, "kernel", "lanes"), path)
    except InputError as error:
        raise InputError(
            "no-lanes",
            f"no readable {report_name(KERNELS)}",
            where=str(folder),
            hints=["name a package that 'sttest compile' made"],
        ) from error
    return _of_tasks(lanes)


def _of_tasks(lanes: Mapping[str, int]) -> tuple[str, ...]:
    """Lanes of kernels as those of tasks: of a product that was split into units they add up."""
    found: dict[str, int] = {}
    for name, count in lanes.items():
        whole = _UNIT.sub("", name)
        found[whole] = found.get(whole, 0) + count if whole != name else count
    return tuple(f"{name}:{count}" for name, count in found.items())


_UNIT = re.compile(r"_unit\d+of\d+$")
"""What the names of tasks end in that a product was split into (`split-products`): their lanes are its own."""


def report_name(name: str) -> str:
    """The path of a table inside the package."""
    return f"{REPORTS}/{name}.csv"


def _column(path: Path, key: str, value: str) -> dict[str, str]:
    try:
        return {row[key]: row[value] for row in read_csv(path, hints=COMPILE_AGAIN)}
    except KeyError as error:
        raise InputError("bad-report", f"has no column {error}", where=str(path), hints=COMPILE_AGAIN) from error


def _whole(column: Mapping[str, str], path: Path) -> dict[str, int]:
    try:
        return {name: int(value) for name, value in column.items()}
    except (TypeError, ValueError) as error:
        raise InputError("bad-report", f"not a whole number ({error})", where=str(path), hints=COMPILE_AGAIN) from error


def _numbers(pattern: re.Pattern[str], text: str) -> dict[str, int]:
    return {name: int(number) for name, number in pattern.findall(text)}


def _depths(graph: TimedGraph) -> dict[str, int]:
    return {fifo.name: fifo.depth for fifo in graph.fifos}


def _channels(graph: TimedGraph) -> dict[str, str]:
    return {each.name: " ".join(each.channels) for each in graph.processes if isinstance(each, MemoryPort)}
