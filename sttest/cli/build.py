"""`sttest build`: a design package to a linked design, by Vitis; or what would be run."""

import importlib.util
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.cli.common import BuildTarget, Json, print_json, progress
from sttest.compile.rtl.cells import Cells
from sttest.core.errors import InputError, ToolMissingError, note
from sttest.core.program import __version__
from sttest.core.tables import print_table
from sttest.crosscheck.rtl_kernel import package_kernel
from sttest.package import DesignPackage
from sttest.targets.rtl.kernel_files import KERNEL_XML, SCRIPT, write_kernel_files
from sttest.targets.vitis.floorplan import floorplan
from sttest.targets.vitis.linking import Linking, choose_banks
from sttest.targets.vitis.runner import StepResult, run_steps
from sttest.targets.vitis.steps import Plan, StepLimits, Target, link_config_text, makefile_text, vitis_version


def build_verb(
    package: Annotated[Path, typer.Argument(help="A design package.")],
    target: Annotated[
        BuildTarget | None, typer.Option(help="Hardware emulation, or a bitstream (hours).", show_default=False)
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="A variant, in YAML, of the board that it was compiled for.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that Vitis may run at a time.")] = 2,
    slr: Annotated[int | None, typer.Option(min=0, help="Bind the kernel to a super logic region.")] = None,
    any_version: Annotated[bool, typer.Option("--any-version", help="Take another Vitis than the board's.")] = False,
    timeout_compile: Annotated[float | None, typer.Option(min=0.1, help="Seconds for v++ --compile [4 h].")] = None,
    timeout_link: Annotated[float | None, typer.Option(min=0.1, help="Seconds for v++ --link [24 h].")] = None,
    timeout_emconfig: Annotated[float | None, typer.Option(min=0.1, help="Seconds for emconfigutil [600].")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write the files, print the commands, run nothing.")
    ] = False,
    check_intervals: Annotated[
        bool, typer.Option("--check-intervals", help="Only compare the loops of the C++ with the timed graph.")
    ] = False,
    flow: Annotated[
        Literal["hls", "rtl"] | None,
        typer.Option(
            help="hls: the C++; rtl: SystemVerilog for Vivado and v++ [hls with --target, else the package's]."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Build a design with Vitis; run again, it goes on at the step that failed.

    Examples:

      sttest build build/gpt2-decode-u55c --target hw_emu

      sttest build build/gpt2-decode-u55c --target hw --jobs 8

      sttest build build/gpt2-decode-u55c --target hw --dry-run

      sttest build build/gpt2-decode-u55c --check-intervals

      sttest build build/small-gpt2-decode-u55c --flow rtl
    """
    counted = DesignPackage.read(package).manifest.configuration.options.flow
    if flow == "rtl" or (flow is None and counted == "rtl" and target is None and not check_intervals):
        _write_rtl(package, board, as_json=as_json)
        return
    if target == "hw" and counted == "rtl":
        note("the design was held against its board as SystemVerilog, C++ takes more; see --flow rtl")
    if check_intervals:
        print_intervals(package, as_json=as_json)
        return
    if target is None:
        raise InputError(
            "no-target",
            "nothing says what is built for",
            where="--target",
            hints=["give --target hw_emu", "give --target hw"],
        )
    given = {"compile_s": timeout_compile, "link_s": timeout_link, "emconfig_s": timeout_emconfig}
    request = BuildRequest(package, target, board, jobs, StepLimits().scaled(given), slr, any_version, dry_run)
    version = "" if dry_run else _installed(request)  # where there is no Vitis, nothing is written
    broken = broken_rules(package)
    results: list[StepResult] = []
    with progress(f"building {package} for {target}") as tell:
        tell("choosing banks")
        plan, linking = prepare(request)
        if not dry_run:
            results = run_steps(plan.steps(), plan.folder, version, tell)
    if as_json:
        print_json(_document(request, plan, linking, results, broken))
    else:
        print(_text(request, plan, linking, results, broken))


def _write_rtl(path: Path, board: str | None, *, as_json: bool) -> None:
    """Writes the kernel of a package as SystemVerilog; packing and linking are Vivado's and v++'s."""
    package = DesignPackage.read(path)
    package.require_one_card()
    part, folder = require_hbm(load_board(board or package.board)).toolchain.part, package.rtl_folder
    with progress(f"writing {package.name}") as tell:
        tell("making pipelines with XLS")
        kinds: dict[str, Any] = dict(package.report("memory_kinds")[["memory", "kind"]].to_numpy())
        kernel = package_kernel(package, Cells(kinds=kinds))
        sources = write_kernel_files(kernel, folder, part, kinds, f"{package.name}, made by sttest {__version__}")
    command = f"cd {folder} && vivado -mode batch -source {SCRIPT}"
    if as_json:
        ports = [each.bus for each in kernel.arguments]
        print_json(
            {
                "schema": SCHEMA,
                "package": str(path),
                "flow": "rtl",
                "kernel": kernel.name,
                "ports": ports,
                "sources": [str(each) for each in sources],
                "commands": [command],
            }
        )
        return
    print(f"{len(sources)} sources, {len(kernel.arguments)} AXI4 ports, {KERNEL_XML} and {SCRIPT} in {folder}")
    print(f"next       {command}")


SCHEMA = "sttest.build/1"


@dataclass(frozen=True)
class BuildRequest:
    """What the options ask for."""

    package: Path  # the folder
    target: Target  # ``hw_emu`` or ``hw``
    board: str | None = None  # name or file; None for that of the package
    jobs: int = 2  # number of jobs that the tools may run at a time
    limits: StepLimits = field(default_factory=StepLimits)  # time limits
    slr: int | None = None  # region that the kernel is bound to; None leaves it to the tool
    any_version: bool = False  # whether another Vitis version is accepted
    dry_run: bool = False  # write the files and print the commands, run nothing


def prepare(request: BuildRequest) -> tuple[Plan, Linking]:
    """All that comes before the steps: the files that they, and a build by hand, start from.

    Raises:
        InputError: no package.
        DoesNotFitError: its buffers have no room.
    """
    package = DesignPackage.read(request.package)
    package.require_one_card()
    board, files = _board(request, package), package.files
    placed = package.manifest.partition is not None and request.slr is None
    plan = Plan(
        files.kernel.name,
        request.target,
        board.platform,
        board.toolchain.vitis,
        board.clock_mhz.value,
        files.build_folder(request.target).resolve(),
        request.jobs,
        request.limits,
        placed,
    )
    linking = choose_banks(package, board)
    write_sources(package, linking, plan, slr=request.slr)
    return plan, linking


def _installed(request: BuildRequest) -> str:
    """The version of Vitis."""
    board = _board(request, DesignPackage.read(request.package))
    return vitis_version(board.toolchain.vitis, any_version=request.any_version)


def write_sources(package: DesignPackage, linking: Linking, plan: Plan, *, slr: int | None) -> None:
    """Writes what a build by hand needs, too."""
    title = f"{package.name}, made by sttest {__version__}"
    link_config = link_config_text(
        linking.design, plan.clock_mhz, slr=slr, title=title, placed=plan.floorplan, hbm_banks=linking.hbm_banks
    )
    if plan.floorplan:
        found = floorplan(package.files.cpp_text, package.slr_of, package.relays)
        package.files.write_floorplan(found.tcl(linking.design.kernels[0].compute_units[0], title), found.json())
    package.write_build_files(link_config, makefile_text(plan, title), linking.design, linking.table())


def _board(request: BuildRequest, package: DesignPackage) -> FpgaBoard:
    board = require_hbm(load_board(request.board or package.board))
    if board.name != package.board:
        raise InputError(
            "other-board",
            f"the package was compiled for '{package.board}'",
            where=f"--board {request.board}",
            hints=[f"compile it with --board {request.board}"],
        )
    if request.slr is not None and request.slr >= len(board.fabric.slrs):
        raise InputError(
            "no-such-slr",
            f"'{board.name}' has no SLR{request.slr}",
            where="--slr",
            demand=request.slr,
            bound=len(board.fabric.slrs) - 1,
            unit="",
            hints=["leave it out"],
        )
    return board


def broken_rules(package: Path) -> list[str]:
    """The documented rules of Vitis HLS that the package's C++ breaks, each with its line.

    Raises:
        ToolMissingError: tree-sitter is not installed.
        InputError: no emitted C++.
    """
    _require_tree_sitter()
    from sttest.targets.vitis.rules import check_kernel

    files = DesignPackage.read(package).files
    return [f"{each.rule}, {files.cpp_place(each.line)}: {each.message}" for each in check_kernel(files.cpp_text)]


def _require_tree_sitter() -> None:
    if importlib.util.find_spec("tree_sitter_cpp") is None:
        raise ToolMissingError(
            "no-tree-sitter",
            "emitted C++ is checked with tree-sitter, which is not installed",
            where="build",
            hints=["pip install 'sttest[build]'"],
        )


def print_intervals(package: Path, *, as_json: bool) -> None:
    """Prints the processes whose loops in C++ take other intervals than in the timed graph, worst first.

    Raises:
        ToolMissingError: tree-sitter is not installed.
        InputError: no package, or no emitted C++.
    """
    _require_tree_sitter()
    from sttest.targets.vitis import interval_check, intervals

    design = DesignPackage.read(package)
    text, library = design.files.cpp_text, operators(require_hbm(load_board(design.board)))
    compared = interval_check.compare_intervals(text, design.emitted_graph, library)
    wide = intervals.wide_aggregates(text)
    if as_json:
        print_json(interval_check.document(compared, wide))
        return
    different = interval_check.worst_first(compared)
    if different:
        print_table(interval_check.COLUMNS, interval_check.table_rows(different))
    above = [f"above {intervals.MAX_AGGREGATE_BITS:,} bits: {each}" for each in wide]
    print("\n".join([*interval_check.summary(compared), *above]))


def _document(
    request: BuildRequest, plan: Plan, linking: Linking, results: list[StepResult], broken: Sequence[str]
) -> dict[str, Any]:
    placement = linking.placement
    return {
        "schema": SCHEMA,
        "package": str(request.package),
        "target": request.target,
        "folder": str(plan.folder),
        "most_bank_bytes": max(placement.resident_bytes.values()),
        "platform": plan.platform,
        "commands": [list(step.command) for step in plan.steps()],
        "steps": [{"name": r.name, "seconds": round(r.seconds, 3), "was_done": r.was_done} for r in results],
        "xclbin": str(plan.xclbin) if results else None,
        "rules_broken": list(broken),
        "ports": len(placement.banks),
        "banks": len(placement.run_bytes),
        "busiest_over_mean": placement.busiest_over_mean,
        "remark": linking.remark,
        "crossing": linking.crossing,
        "cycles": linking.cycles,
        "compiled_cycles": linking.compiled_cycles,
        "balanced_cycles": linking.balanced_cycles,
        "layers": linking.layers,
    }


def _text(request: BuildRequest, plan: Plan, linking: Linking, results: list[StepResult], broken: Sequence[str]) -> str:
    placement = linking.placement
    is_crowded = sum(banks[0] < linking.hbm_banks for banks in placement.banks.values()) > linking.axi_ports
    crowded = f"; the HBM has {linking.axi_ports} AXI ports, so v++ must join some" if is_crowded else ""
    largest = max(placement.resident_bytes.values())
    buffers = len(linking.design.kernels[0].buffers)
    below = sum(bank >= linking.hbm_banks for bank in placement.run_bytes)
    banks = f"{len(placement.run_bytes) - below} HBM banks" + (f" and {below} of the DDR" if below else "")
    built = f"built {plan.xclbin}" if results else "nothing was run"
    lines = [
        f"{linking.design.kernels[0].name} for {request.target}: {built}",
        f"platform   {plan.platform}, Vitis {plan.vitis}, {plan.clock_mhz:g} MHz",
        f"ports      {len(placement.banks)} of {buffers} arguments in {banks}{crowded}",
        f"balance    the busiest bank moves {placement.busiest_over_mean:.2f} x the mean{linking.remark}",
        *([f"crossing   {linking.crossing}"] if linking.crossing else []),
        f"memory     at most {largest:,} bytes in a bank, {linking.layers} layer{'s' if linking.layers != 1 else ''}",
        f"cycles     {linking.cycles:,} simulated with these banks, {linking.compiled_cycles:,} as compiled"
        if linking.cycles is not None and linking.compiled_cycles is not None
        else "cycles     none, the design deadlocks",
        f"C++ rules  {f'{len(broken)} broken, the first: {broken[0]}' if broken else 'none broken'}",
    ]
    if request.dry_run:
        lines += [f"run in     {plan.folder}", *(f"  {shlex.join(step.command)}" for step in plan.steps())]
        return "\n".join([*lines, "hls/Makefile does the same by hand"])
    for result in results:
        took = "done before" if result.was_done else f"{result.seconds:.1f} s"
        lines.append(f"{result.name:<10} {took}, {result.log}")
    return "\n".join([*lines, f"next       sttest run {request.package} --backend {_BACKEND[request.target]}"])


_BACKEND: dict[Target, str] = {"hw": "device", "hw_emu": "hw_emu"}
