"""The command line: names, options and help of the verbs; what they do is in `sttest.verbs`, one file each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sttest import __version__
from sttest.verbs.boundary import Boundary

app = typer.Typer(
    name="sttest",
    cls=Boundary,
    help="A simulation-first testbed for streaming dataflow accelerators that run LLMs.",
    epilog="Start with: sttest compile gpt2 --phase decode --context 64",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


class Phase(StrEnum):
    """The two phases of a generation."""

    prefill = "prefill"
    decode = "decode"


class Precision(StrEnum):
    """Quantisation schemes."""

    w4a8 = "w4a8"
    w4a8_channel = "w4a8-channel"
    w4a8_static = "w4a8-static"
    w8a8 = "w8a8"
    fp32 = "fp32"


class Strategy(StrEnum):
    """FIFO sizing."""

    normal = "normal"
    conservative = "conservative"


class SizingMethod(StrEnum):
    """Where FIFO depths come from."""

    lp = "lp"
    sim = "sim"


class Engine(StrEnum):
    """Engines over timed graphs."""

    maxplus = "maxplus"
    des = "des"


class StageInterval(StrEnum):
    """Choices of offsets that are not known: causal ones write no earlier than they have read."""

    causal = "causal"
    any = "any"


class Backend(StrEnum):
    """What executes a design."""

    rtl = "rtl"
    csim = "csim"


class CardBackend(StrEnum):
    """What stands behind pyxrt."""

    double = "double"
    hw_emu = "hw_emu"
    device = "device"


class BuildTarget(StrEnum):
    """What v++ builds for."""

    hw_emu = "hw_emu"
    hw = "hw"


class LaunchPer(StrEnum):
    """What one launch of a kernel computes."""

    layer = "layer"
    token = "token"


class Simulator(StrEnum):
    """Simulators of SystemVerilog."""

    verilator = "verilator"
    icarus = "icarus"


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Board = Annotated[str, typer.Option(help="A board's name, or a YAML file.")]


def _print_version(asked: bool) -> None:
    if asked:
        print(f"sttest {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of errors (or STTEST_DEBUG=1).")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """A simulation-first testbed for streaming dataflow accelerators that run LLMs.

    Exit codes: 0 done, 1 internal error, 2 bad input or usage, 3 deadlock,
    4 does not fit, 5 a tool is missing, 6 engines disagree.
    """


@app.command("compile")
def compile_verb(
    model: Annotated[str, typer.Argument(help="gpt2, qwen, llama, llama-3.2-1b, gemma, small-…, or a .mlir file.")],
    phase: Annotated[Phase | None, typer.Option(help="prefill needs --tokens, decode needs --context.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block; 1 in decode.")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None,
    board: Board = "u55c",
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None,
    tile: Annotated[int, typer.Option(min=1, help="Points per tiled loop.")] = 16,
    overall_unroll: Annotated[int, typer.Option(min=1, help="Lanes that all kernels share.")] = 4096,
    lanes_from: Annotated[Path | None, typer.Option(help="Take the lanes of this package instead.")] = None,
    precision: Annotated[Precision, typer.Option(help="Quantisation scheme.")] = Precision.w4a8,
    strategy: Annotated[Strategy, typer.Option(help="FIFO sizing.")] = Strategy.normal,
    vector_bits: Annotated[int, typer.Option(min=1, help="Widest token, in bits.")] = 4096,
    check_resources: Annotated[
        bool, typer.Option("--check-resources", help="Refuse what does not fit the board; place the rest on its SLRs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compile one decoder block to a design package.

    Resources are always reported; with --check-resources exit code 4 where a budget is exceeded.

    Examples:

      sttest compile gpt2 --phase decode --context 64

      sttest compile qwen --phase prefill --tokens 128 -o build/qwen-128

      sttest compile block.mlir --board my-board.yaml --tile 32

      sttest compile gpt2 --phase decode --context 64 --overall-unroll 2048 --check-resources
    """
    from sttest.compile.pipeline import Knobs
    from sttest.verbs.compile import Request, run

    knobs = Knobs(
        tile_size=tile, overall_unroll=overall_unroll, precision=precision.value, vector_bits=vector_bits,
        strategy=strategy.value,
    )  # fmt: skip
    asked = phase.value if phase else None
    request = Request(model, asked, tokens, context, board, work_dir, knobs, lanes_from, check_resources)
    run(request, as_json=as_json)


@app.command()
def opt(
    file: Annotated[Path, typer.Argument(help="IR text of any level; - is standard input.")],
    pipeline: Annotated[str, typer.Option("--passes", "-p", help="As in pass,pass{option=value}.")] = "",
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="The IR after every pass, on stderr.")
    ] = False,
    verify_each: Annotated[bool, typer.Option("--verify-each", help="Verify after every pass.")] = False,
    time_passes: Annotated[bool, typer.Option("--time-passes", help="Milliseconds per pass, on stderr.")] = False,
) -> None:
    """Run passes on IR text and print the result; without passes, read, verify and print.

    Examples:

      sttest opt block.mlir -p quantise{scheme=w8a8},linalg-to-kernels{tile-size=32}

      sttest opt build/gpt2-decode-u55c/ir/03_fuse-kernels.mlir -p materialize-converters --time-passes

      sttest opt - -p fold-dma --verify-each < kernels.mlir
    """
    from sttest.verbs.opt import run

    run(file, pipeline, print_after_all=print_after_all, verify_each=verify_each, time_passes=time_passes)


@app.command()
def simulate(
    path: Annotated[Path, typer.Argument(help="A design package, a timed-graph JSON, or an SDF3 XML file.")],
    engine: Annotated[
        Engine, typer.Option(help="maxplus is compiled, des is the oracle; they agree.")
    ] = Engine.maxplus,
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
    unbounded: Annotated[bool, typer.Option("--unbounded", help="No FIFO is ever full.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write a trace for ui.perfetto.dev.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Check all times, or the deadlock, independently.")] = False,
    stage_interval: Annotated[
        StageInterval | None, typer.Option(help="Stages in loops are not known: live for all, or dead for some?")
    ] = None,
    trace_window: Annotated[int, typer.Option(min=0, help="With it: stages by which traces may be off.")] = 0,
    as_json: Json = False,
) -> None:
    """Simulate a design cycle by cycle; exit code 3 on a deadlock, which is explained.

    Examples:

      sttest simulate build/gpt2-decode-u55c

      sttest simulate graph.json --engine des --depth a=4 --depth b=8

      sttest simulate graph.json --all-depths 2 --json

      sttest simulate graph.json --check --trace run.json

      sttest simulate graph.json --stage-interval causal
    """
    from sttest.verbs.simulate import Depths, Extras, run

    extras = Extras(trace, check, stage_interval.value if stage_interval else None, trace_window)
    depths = Depths(all_depths, depth or (), unbounded)
    raise typer.Exit(run(path, engine.value, depths, as_json=as_json, extras=extras))


@app.command()
def dot(
    path: Annotated[Path, typer.Argument(help="A design package, or a timed-graph JSON.")],
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
) -> None:
    """Print a design as Graphviz text; where it deadlocks, the cycle of waits is red.

    Example:

      sttest dot graph.json --all-depths 2 | dot -Tsvg > graph.svg
    """
    from sttest.verbs.dot import run
    from sttest.verbs.simulate import Depths

    raise typer.Exit(run(path, Depths(all_depths, depth or ())))


@app.command()
def corpus(
    name: Annotated[str | None, typer.Argument(help="One design; without it, a list of all.")] = None,
    engine: Annotated[Engine, typer.Option(help="Who is to find the deadlock.")] = Engine.maxplus,
) -> None:
    """Small designs that deadlock, each with its diagnosis; exit code 6 where it is another now.

    Examples:

      sttest corpus

      sttest corpus stage_skew
    """
    from sttest.verbs.corpus import run

    raise typer.Exit(run(name, engine.value))


@app.command()
def emulate(
    path: Annotated[Path, typer.Argument(help="A design package, or for rtl a timed-graph JSON.")],
    backend: Annotated[
        Backend, typer.Option(help="rtl: the twin in clocked hardware; csim: the emitted C++.")
    ] = Backend.rtl,
    simulator: Annotated[Simulator, typer.Option(help="rtl; icarus is for small graphs.")] = Simulator.verilator,
    engine: Annotated[Engine, typer.Option(help="rtl: what the hardware is held against.")] = Engine.maxplus,
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="Its rtl folder [build/rtl-NAME], or its csim folder.")
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="rtl: of graphs whose actors fire for ever.")] = 16,
    max_clocks: Annotated[int, typer.Option(min=1, help="rtl: clock edges after which to give up.")] = 2_000_000_000,
    seed: Annotated[int, typer.Option(min=0, help="csim: of random weights and inputs.")] = 0,
    checkpoint: Annotated[Path | None, typer.Option(help="csim: the weights of this folder's first layer.")] = None,
    streams: Annotated[Path | None, typer.Option(help="csim: a folder for the tokens of every stream.")] = None,
    as_json: Json = False,
) -> None:
    """Run a design outside of the simulator and compare; exit code 3 on a deadlock, 6 where an engine disagrees.

    rtl is clocked hardware, compared in every FIFO access; csim is the emitted C++, compared in every token.

    Examples:

      sttest emulate build/gpt2-decode-u55c

      sttest emulate graph.json --simulator icarus --depth a=4

      sttest emulate build/small-gpt2-decode-u55c --backend csim
    """
    from sttest.verbs.simulate import Depths

    depths = Depths(of_some=depth or ())
    if backend is Backend.csim:
        from sttest.verbs.emulate_csim import CsimRequest
        from sttest.verbs.emulate_csim import run as run_csim

        raise typer.Exit(run_csim(CsimRequest(path, work_dir, seed, checkpoint, streams), depths, as_json=as_json))
    from sttest.verbs.emulate import Emulation, run

    request = Emulation(path, simulator.value, engine.value, work_dir, iterations, max_clocks)
    raise typer.Exit(run(request, depths, as_json=as_json))


@app.command()
def ladder(
    model: Annotated[str, typer.Argument(help="gpt2, qwen, llama, llama-3.2-1b, gemma, small-…")],
    phase: Annotated[Phase, typer.Option(help="Of the block.")],
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [prefill: 32].")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache [decode: 64, small models 32].")] = None,
    precision: Annotated[Precision, typer.Option(help="Quantisation scheme.")] = Precision.w4a8,
    small: Annotated[bool, typer.Option("--small", help="The family at test sizes.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of random weights and inputs.")] = 0,
    checkpoint: Annotated[Path | None, typer.Option(help="Take the weights of this folder's first layer.")] = None,
    engines: Annotated[
        str, typer.Option(help="As in torch,functional,csim; or all [all but rtl, whose build takes minutes].")
    ] = "",
    board: Board = "u55c",
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run one block through every engine, from PyTorch to the card; exit code 6 where two disagree, 3 on a deadlock.

    Examples:

      sttest ladder gpt2 --phase decode

      sttest ladder small-qwen --phase prefill --tokens 27 --engines torch,functional,csim,rtl
    """
    from sttest.compile.pipeline import Knobs
    from sttest.verbs.compile import Request
    from sttest.verbs.ladder import LadderRequest, run

    asked = Request(model, phase.value, tokens, context, board, work_dir, Knobs(precision=precision.value))
    raise typer.Exit(run(LadderRequest(asked, small, seed, checkpoint, engines), as_json=as_json))


@app.command()
def build(
    package: Annotated[Path, typer.Argument(help="A design package.")],
    target: Annotated[BuildTarget, typer.Option(help="Hardware emulation, or a bitstream (hours).")],
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
    as_json: Json = False,
) -> None:
    """Build a design with Vitis; run again, it goes on at the step that failed.

    Examples:

      sttest build build/gpt2-decode-u55c --target hw_emu

      sttest build build/gpt2-decode-u55c --target hw --jobs 8

      sttest build build/gpt2-decode-u55c --target hw --dry-run
    """
    from sttest.boards.vitis.steps import Limits
    from sttest.verbs.build import BuildRequest, run

    given = {"compile_s": timeout_compile, "link_s": timeout_link, "emconfig_s": timeout_emconfig}
    request = BuildRequest(package, target.value, board, jobs, Limits().scaled(given), slr, any_version, dry_run)
    run(request, as_json=as_json)


@app.command()
def pack(
    package: Annotated[Path, typer.Argument(help="A design package of a model's block.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The archive [DESIGN.tar.gz beside it].")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of weights and inputs.")] = 1,
    weights: Annotated[Path | None, typer.Option(help="A checkpoint's folder [random weights].")] = None,
) -> None:
    """Pack a design with parameters, inputs and golden, to be built and run where there is a card.

    Example:

      sttest pack build/gpt2-decode-u55c -o gpt2-decode.tar.gz
    """
    from sttest.verbs.pack import PackRequest, run

    run(PackRequest(package, out, seed, weights))


@app.command("run")
def run_verb(
    packages: Annotated[list[Path], typer.Argument(help="A prefill's and a decode's package, or one of them.")],
    backend: Annotated[CardBackend, typer.Option(help="double: XRT without a card, over a C simulation.")],
    new_tokens: Annotated[int, typer.Option(min=1, help="To generate, with two packages.")] = 17,
    prompt_tokens: Annotated[
        int | None, typer.Option(min=1, help="Of the seeded prompt [as the prefill was compiled for].")
    ] = None,
    launches: Annotated[int, typer.Option(min=1, help="Of one block, with one package.")] = 5,
    launch_per: Annotated[LaunchPer, typer.Option(help="What a launch computes; token is refused.")] = LaunchPer.layer,
    seed: Annotated[int, typer.Option(min=0, help="Of weights, prompt and activations.")] = 1,
    weights: Annotated[Path | None, typer.Option(help="A checkpoint's folder [random weights].")] = None,
    card: Annotated[str, typer.Option(help="Index of the card, or its place on PCIe.")] = "0",
    timeout_launch: Annotated[float, typer.Option(min=0.1, help="Seconds after which a kernel counts as hung.")] = 60.0,
    timeout_open: Annotated[float, typer.Option(min=0.1, help="Seconds to configure the card.")] = 300.0,
    reset: Annotated[bool, typer.Option(help="Reset a card whose kernel hung.")] = True,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Results [results/run-BACKEND-MODEL].")] = None,
    as_json: Json = False,
) -> None:
    """Run a design on a card, in hardware emulation, or on the double; exit code 6 where it is not as the golden.

    Examples:

      sttest run build/small-gpt2-prefill-u55c build/small-gpt2-decode-u55c --backend double

      sttest run build/gpt2-decode-u55c --backend device --launches 100
    """
    from sttest.boards.backends.device import Patience
    from sttest.verbs.card_run import RunRequest
    from sttest.verbs.run import run

    request = RunRequest(
        tuple(packages), backend.value, prompt_tokens, new_tokens, launches, seed, weights,
        int(card) if card.isdecimal() else card, Patience(timeout_launch, timeout_open, reset),
    )  # fmt: skip
    raise typer.Exit(run(request, out, launch_per.value, as_json=as_json))


@app.command()
def size(
    path: Annotated[Path, typer.Argument(help="A design package, a timed-graph JSON, or an SDF3 XML file.")],
    method: Annotated[
        SizingMethod, typer.Option(help="The compiler's linear program, or search by simulation.")
    ] = SizingMethod.sim,
    strategy: Annotated[
        Strategy | None, typer.Option(help="Of the linear program [the depths that the design has].")
    ] = None,
    throughput: Annotated[
        str | None,
        typer.Option(
            metavar="N/M",
            help="Iterations per time unit of endless actors [the highest]; a decimal of six digits, or with an "
            "exponent, is taken as rounded.",
        ),
    ] = None,
    invocations: Annotated[int, typer.Option(min=1, metavar="K", help="Runs that overlap.")] = 1,
    target: Annotated[
        str | None, typer.Option(help="no-loss, no-deadlock, or the cycles that a finite run may take [no-loss].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Size FIFOs: the linear program beside depths found by simulation, and what no sizing can go below.

    Examples:

      sttest size build/gpt2-decode-u55c

      sttest size build/gpt2-decode-u55c --method lp --strategy conservative

      sttest size h263decoder.xml --throughput 1/345055 --json
    """
    from sttest.verbs.size import SizeRequest, run

    request = SizeRequest(method.value, strategy.value if strategy else None, throughput, invocations, target)
    raise typer.Exit(run(path, request, as_json=as_json))


@app.command()
def board(
    name: Annotated[str, typer.Argument(help="A board's name, or a YAML file.")],
    as_json: Json = False,
) -> None:
    """Show a board: each quantity with unit, kind and source, and a check of its memory bandwidth.

    Examples:

      sttest board u55c

      sttest board what-if.yaml --json
    """
    from sttest.verbs.board import run

    run(name, as_json=as_json)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Tell which tools and cards are here, and what a missing one disables; exit code 0 whatever is found.

    Examples:

      sttest doctor

      sttest doctor --json
    """
    from sttest.verbs.doctor import run

    run(as_json=as_json)


@app.command()
def models(as_json: Json = False) -> None:
    """List the models that are known by name.

    Example:

      sttest models
    """
    from sttest.verbs.models import run

    run(as_json=as_json)


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="The experiment, such as gpt2.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/NAME].")] = None,
    engine: Annotated[Engine, typer.Option(help="Who computes the times.")] = Engine.maxplus,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
) -> None:
    """Reproduce a published table: ours beside theirs, with the error.

    Example:

      sttest reproduce gpt2
    """
    from sttest.verbs.reproduce import run

    run(name, out, engine.value, jobs)


@app.command()
def whatif(
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY|FILE.yaml", help="One study; without it, a list of all.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/STUDY].")] = None,
    engine: Annotated[Engine, typer.Option(help="Who computes the times.")] = Engine.maxplus,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a dask cluster, as in tcp://host:8786, instead.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many points and how long; at most one block is simulated.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What if: speed, roofline, knee and binding resource over boards, models, bits, lengths and launches.

    A study that was stopped goes on where it was.

    Examples:

      sttest whatif hbm-bandwidth

      sttest whatif mine.yaml --jobs 8 --dry-run

      sttest whatif context --scheduler tcp://host:8786
    """
    from sttest.verbs.whatif import WhatifRequest, list_studies, run

    if study is None:
        list_studies(as_json=as_json)
        return
    run(WhatifRequest(study, out, engine.value, jobs, scheduler, dry_run), as_json=as_json)


def main() -> None:
    """The console script."""
    app()
