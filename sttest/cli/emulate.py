"""`sttest emulate`: a design as clocked hardware or as emitted C++, compared with an engine token by token."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import ApTypes, Backend, Engine, Json, Simulator, print_json, progress
from sttest.cli.objects import takes_objects
from sttest.cli.simulate import DepthOptions
from sttest.compile.own_kernels import define_values
from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError, SttestError
from sttest.core.files import STANDARD_INPUT
from sttest.core.plain_files import check_replaceable
from sttest.core.tables import print_table
from sttest.crosscheck.case import WeightSource, has_torch
from sttest.crosscheck.emulation import CsimEmulation, WaitCycle, emulate_csim
from sttest.crosscheck.rtl_kernel import AxiEmulation, emulate_kernel
from sttest.crosscheck.rtl_values import valued_design
from sttest.crosscheck.text_case import drawn_case, package_case
from sttest.package import DesignPackage, load_graph
from sttest.sim import TimedGraph
from sttest.targets.csim import ap_types_folder, find_compiler
from sttest.targets.rtl import Comparison, compare, with_iterations
from sttest.targets.rtl.design import ValuedDesign, build_designs
from sttest.targets.rtl.drive import TRACE_OPTIONS, RtlRun, Window, find_simulator
from sttest.targets.rtl.emit import build_all


@dataclass(frozen=True)
class EmulatedHardware:
    """How the design is run, and against what it is held."""

    backend: Annotated[Backend, typer.Option(help="rtl: clocked hardware; csim: the emitted C++.")] = "rtl"
    simulator: Annotated[Simulator, typer.Option(help="rtl; icarus is for small graphs.")] = "verilator"
    engine: Annotated[Engine, typer.Option(help="rtl: what the hardware is held against.")] = "maxplus"
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="Its rtl folder [build/rtl-NAME], or its csim folder.")
    ] = None
    iterations: Annotated[int, typer.Option(min=1, help="rtl: of graphs whose actors fire for ever.")] = 16
    max_clocks: Annotated[int, typer.Option(min=1, help="rtl: clock edges after which to give up.")] = 2_000_000_000
    seed: Annotated[int, typer.Option(min=0, help="Of random weights and inputs.")] = 0


@dataclass(frozen=True)
class AskedWaveform:
    """A waveform of some cycles."""

    wave: Annotated[Path | None, typer.Option(help="rtl: a waveform of some cycles, a .fst or .vcd file.")] = None
    around: Annotated[int | None, typer.Option(min=0, help="--wave: the cycle [of the first difference].")] = None
    window: Annotated[int, typer.Option(min=1, help="--wave: cycles before and behind it.")] = 100


@dataclass(frozen=True)
class EmulatedValues:
    """What values the design has, and where they go."""

    axi: Annotated[bool, typer.Option("--axi", help="rtl: with AXI4 ports; memory, not cycles, is compared.")] = False
    checkpoint: Annotated[Path | None, typer.Option(help="csim: the weights of this folder's first layer.")] = None
    streams: Annotated[Path | None, typer.Option(help="csim: a folder for the tokens of every stream.")] = None
    ap_types: ApTypes = None
    kernels: Annotated[
        Path | None, typer.Option(help="The YAML file of own kernels, whose Python functions give values.")
    ] = None


@takes_objects
def emulate_verb(
    path: Annotated[Path, typer.Argument(help="A design package, or for rtl a timed-graph JSON; - is standard input.")],
    hardware: EmulatedHardware,
    waveform: AskedWaveform,
    values: EmulatedValues,
    as_json: Json = False,
) -> None:
    """Run a design outside of the simulator and compare; exit code 3 on a deadlock, 6 where an engine disagrees.

    rtl is clocked hardware, compared in every FIFO access and, for a package, in every token; csim is the emitted C++,
    compared in every token.

    Examples:

      sttest emulate build/gpt2-decode-u55c

      sttest emulate graph.json --simulator icarus --depth a=4

      sttest emulate build/small-gpt2-decode-u55c --wave first.fst --around 500

      sttest emulate build/small-gpt2-decode-u55c --axi

      sttest emulate build/small-gpt2-decode-u55c --backend csim

      sttest emulate build/small-gpt2-decode-u55c --backend csim --ap-types HLS_arbitrary_Precision_Types
    """
    depths = DepthOptions(of_some=hardware.depth or ())
    if values.kernels is not None:
        define_values(values.kernels)
    if hardware.backend == "csim":
        weights = WeightSource(hardware.seed, values.checkpoint)
        raise typer.Exit(
            _run_csim(path, depths, hardware.work_dir, weights, values.streams, values.ap_types, as_json=as_json)
        )
    if values.axi:
        raise typer.Exit(_run_axi(path, hardware, as_json=as_json))
    raise typer.Exit(_run_rtl(path, depths, hardware, waveform, as_json=as_json))


def _run_rtl(
    path: Path, depths: DepthOptions, hardware: EmulatedHardware, waveform: AskedWaveform, *, as_json: bool
) -> int:
    wave = waveform.wave
    suffix = _waveform_suffix(wave, hardware.simulator)
    graph = with_iterations(depths.applied(_graph(path)), hardware.iterations)
    find_simulator(hardware.simulator)
    folder = hardware.work_dir or Path("build") / f"rtl-{'graph' if path == STANDARD_INPUT else path.stem or 'graph'}"
    _check_folder(folder)
    with progress(f"emulating {graph.name}") as step:
        design, why = _with_values(path, graph, hardware.simulator, hardware.seed, step)
        step(f"building and running under {hardware.simulator}")
        if design is None:
            built = build_all([graph], hardware.simulator, folder, waveform=suffix)
        else:
            built = build_designs([design], folder, waveform=suffix)
        (ran,) = built.run(hardware.max_clocks)
        if ran.verdict == "limit":
            raise SttestError(
                "clock-limit",
                "not finished when the clock was stopped",
                where=graph.name,
                bound=hardware.max_clocks,
                unit="clock edges",
                hints=["raise --max-clocks"],
            )
        step(f"comparing with {hardware.engine}")
        found = compare(graph, ran, hardware.engine)
        center = _first_cycle(ran, found) if waveform.around is None else waveform.around
        if wave is not None:
            step(f"writing {wave}")
            wave.parent.mkdir(parents=True, exist_ok=True)
            # An edge of reset comes first.
            built.run(
                hardware.max_clocks, Window(wave, max(center + 1 - waveform.window, 0), center + 1 + waveform.window)
            )
    if as_json:
        print_json({**_summary(graph, ran, found, why), "wave": None if wave is None else str(wave)})
    else:
        print(_text(ran, found, why))
        if wave is not None:
            print(
                f"  {wave}: {waveform.window} cycles before and behind cycle {center}, cycle n from {_UNIT}(n + 1) on"
            )
    return _exit_code(ran.verdict, agrees=found.is_exact)


_UNIT = 10
"""Units of time per clock edge of a waveform."""


def _waveform_suffix(wave: Path | None, simulator: str) -> str:
    if wave is None:
        return ""
    if simulator != "verilator":
        raise InputError("no-waveform", f"waveforms need Verilator, not {simulator}", where="--wave")
    if wave.suffix not in TRACE_OPTIONS:
        raise InputError(
            "no-waveform",
            f"a waveform is a {' or '.join(TRACE_OPTIONS)} file",
            where=str(wave),
            hints=[f"name it {wave.with_suffix('.fst').name}"],
        )
    check_replaceable(wave)
    return wave.suffix


def _first_cycle(ran: RtlRun, found: Comparison) -> int:
    """The cycle of the first difference, else of the end."""
    if found.first is not None and found.first.cycle is not None:
        return found.first.cycle
    return max((int(times.max()) for times in (*ran.writes.values(), *ran.reads.values()) if times.size), default=0)


def _exit_code(verdict: str, *, agrees: bool) -> int:
    """The same in every cycle or value, a deadlock that both see, or a difference."""
    if not agrees:
        return EnginesDisagreeError.exit_code
    return 0 if verdict == "done" else DeadlockError.exit_code


# --- Clocked hardware


def _graph(path: Path) -> TimedGraph:
    """The timed graph of a file or a package; of one that was placed, that with registers on what crosses SLRs."""
    placed = DesignPackage.read(path).placed_graph if path.is_dir() else None
    return load_graph(path) if placed is None else placed


def _with_values(
    path: Path, graph: TimedGraph, simulator: str, seed: int, step: Callable[[str], None]
) -> tuple[ValuedDesign | None, str]:
    """The hardware of a package with its values; none, and why, where there are only times."""
    if not path.is_dir():
        return None, "a timed graph has no values"
    if simulator != "verilator":
        return None, f"they need Verilator, not {simulator}"
    step("computing values with the reference engine")
    try:
        return valued_design(DesignPackage.read(path), graph, seed), ""
    except InputError as error:
        return None, f"{error.where}: {error.what}" if error.where else error.what


SCHEMA = "sttest.emulation/1"


def _check_folder(folder: Path) -> None:
    """Refuses a work folder that is no folder, or whose ``rtl``, which is made anew, is not of this verb's making."""
    if folder.exists() and not folder.is_dir():
        raise InputError("not-a-folder", "a file stands in the way", where=str(folder), hints=["name a folder"])
    made = folder / "rtl"
    if made.is_dir() and any(made.iterdir()) and not (made / "twin.json").is_file():
        raise InputError(
            "foreign-folder",
            "the folder holds something that is no RTL twin",
            where=str(made),
            hints=["name another --work-dir"],
        )


def _summary(graph: TimedGraph, ran: RtlRun, found: Comparison, why: str) -> dict[str, Any]:
    values = {"compared": not why, "why_not": why, "wrong": [vars(each) for each in ran.wrong]}
    return {
        "schema": SCHEMA,
        "name": graph.name,
        "backend": "rtl",
        "simulator": ran.simulator,
        "verdict": ran.verdict,
        "cycles": ran.cycles,
        "fifo_events": ran.fifo_events,
        "build_s": round(ran.build_s, 3),
        "run_s": round(ran.run_s, 3),
        "comparison": found.to_json(),
        "values": values,
        "blocked": [vars(blocked) for blocked in ran.blocked],
    }


def _text(ran: RtlRun, found: Comparison, why: str) -> str:
    cycles = "deadlock" if ran.cycles is None else f"{ran.cycles:,} cycles"
    same = f"the same as {found.engine} in all {found.events:,} FIFO accesses"
    lines = [
        f"{ran.name}: {cycles}, {ran.fifo_events:,} FIFO accesses in hardware",
        f"  {ran.simulator}: built in {ran.build_s:.1f} s, run in {ran.run_s:.1f} s",
        f"  {same}" if found.first is None else f"  first difference from {found.engine}: {found.first}",
    ]
    if why:
        lines.append(f"  times only, no values: {why}")
    elif ran.wrong:
        lines.append(f"  values differ from the reference in {len(ran.wrong)} FIFOs, first in {ran.wrong[0]}")
    else:
        lines.append("  values are those of the reference, in every token, to the bit")
    waits = [f"  '{b.process}' waits to {b.waits_to} '{b.fifo}': needs {b.need}, has {b.have}" for b in ran.blocked]
    return "\n".join([*lines, *waits])


# --- A kernel with ports to memory


def _run_axi(path: Path, hardware: EmulatedHardware, *, as_json: bool) -> int:
    """Builds, runs, compares and prints."""
    package = DesignPackage.read(path)
    find_simulator(hardware.simulator)
    folder = hardware.work_dir or Path("build") / f"axi-{path.stem}"
    with progress(f"emulating {package.name}") as step:
        found = emulate_kernel(package, folder / "axi", hardware.seed, step)
    if as_json:
        print_json(found.to_json())
    else:
        print(_axi_text(found))
    return _exit_code("done" if found.done else "deadlock", agrees=found.agrees)


def _axi_text(found: AxiEmulation) -> str:
    state = f"{found.launches} launches" if found.done else "stands still"
    lines = [f"{found.name}: {state}, {found.cycles:,} cycles with stalls, {found.ports} AXI4 ports"]
    if not found.differing:
        lines.append(f"  memory is that of the reference, in all {found.stored_bytes:,} bytes that are written")
    lines += [f"  memory differs: {each}" for each in found.differing]
    return "\n".join([*lines, *(f"  {each}" for each in found.complaints)])


# --- The emitted C++

_TIGHTEST = 8
"""FIFOs that the text lists; JSON has all of them."""


def _run_csim(
    path: Path,
    depths: DepthOptions,
    work_dir: Path | None,
    source: WeightSource,
    streams: Path | None,
    ap_types: Path | None,
    *,
    as_json: bool,
) -> int:
    """Builds, runs, compares and prints; the tokens of the streams stay in a folder that is asked for."""
    find_compiler()
    types = None if ap_types is None else ap_types_folder(ap_types)
    package = DesignPackage.read(path)
    times = depths.applied(package.emitted_graph)
    with _streams_folder(streams) as folder, progress(f"emulating {package.reference_graph.name}") as step:
        step("computing the golden")
        is_drawn = source.checkpoint is None and not has_torch()
        case = drawn_case(package, source.seed) if is_drawn else package_case(package, source)
        work = (work_dir or Path("build")) / "csim"
        found = emulate_csim(package, case, times, work, folder, step, types)
    if as_json:
        print_json({**found.to_json(), "values": "random" if is_drawn else "quantized"})
    else:
        _print(found)
        if is_drawn:
            print("  values are random ones: no PyTorch here to quantize a model's; pip install 'sttest[frontend]'")
    return _exit_code(found.run.verdict, agrees=found.agrees)


@contextmanager
def _streams_folder(asked: Path | None) -> Iterator[Path]:
    if asked is None:
        with tempfile.TemporaryDirectory(prefix="sttest-streams-") as name:
            yield Path(name)
        return
    if asked.exists() and (not asked.is_dir() or any(asked.iterdir())):
        hints = ["name a folder that is empty or not there yet"]
        raise InputError("foreign-folder", "there is something in it", where=str(asked), hints=hints)
    yield asked


def _print(found: CsimEmulation) -> None:
    built = f"built in {found.kernel.build_s:.1f} s" if found.kernel.build_s else "built before"
    built += "" if found.kernel.ap_types is None else f" with the integer types of {found.kernel.ap_types}"
    print(f"{found.name}: {found.run.verdict}, {built}, run in {found.run.seconds:.2f} s")
    if found.results is not None:
        print(f"  {found.results}")
    print(f"  {found.streams}")
    if found.waits is not None:
        _print_deadlock(found.waits, found)
    elif found.simulation.deadlock is not None:
        print("  the simulator (maxplus) deadlocks: hardware reads all streams of a stage at once, C++ one by one")
    above = sum(use.peak > use.depth for use in found.fifos)
    print(f"  {len(found.fifos)} FIFOs, {above} of them ever above their depth; the tightest:")
    rows = [(use.name, use.peak, use.depth, use.written) for use in found.fifos[:_TIGHTEST]]
    print_table(["FIFO", "peak", "depth", "tokens"], rows)


def _print_deadlock(waits: WaitCycle, found: CsimEmulation) -> None:
    kind = "cycle of waits" if waits.is_closed else "chain of waits, the last for a process that has ended"
    print(f"  {kind}:")
    for wait in waits.waits:
        print(f"    {wait}")
    theirs = found.simulation.deadlock
    if theirs is None:
        print("  the simulator (maxplus) finishes")
    elif found.names_the_same_cycle:
        print("  the simulator (maxplus) names the same cycle")
    else:
        print("  the simulator (maxplus) names another cycle:")
        for wait in theirs.cycle:
            print(f"    '{wait.process}' waits to {wait.waits_to} '{wait.fifo}' (depth {wait.depth}) for '{wait.peer}'")
