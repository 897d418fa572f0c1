"""Verbs that run designs in simulation and emulation."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.app import app
from sttest.cli.choices import Backend, Board, Engine, Json, Phase, Simulator, SizingMethod, Strategy, takes_options
from sttest.compile.options import CompileOptions


@app.command()
def simulate(
    path: Annotated[Path, typer.Argument(help="A design package, a timed-graph JSON, or an SDF3 XML file.")],
    engine: Annotated[Engine, typer.Option(help="maxplus is compiled, simpy is the oracle; they agree.")] = "maxplus",
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
    unbounded: Annotated[bool, typer.Option("--unbounded", help="No FIFO is ever full.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write a trace for ui.perfetto.dev.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Check all times, or the deadlock, independently.")] = False,
    as_json: Json = False,
) -> None:
    """Simulate a design cycle by cycle; exit code 3 on a deadlock, which is explained.

    Examples:

      sttest simulate build/gpt2-decode-u55c

      sttest simulate graph.json --engine simpy --depth a=4 --depth b=8

      sttest simulate graph.json --all-depths 2 --json

      sttest simulate graph.json --check --trace run.json
    """
    from sttest.verbs.simulate import Depths, Extras, run

    extras = Extras(trace, check)
    depths = Depths(all_depths, depth or (), unbounded)
    raise typer.Exit(run(path, engine, depths, as_json=as_json, extras=extras))


@app.command()
def size(
    path: Annotated[Path, typer.Argument(help="A design package, a timed-graph JSON, or an SDF3 XML file.")],
    method: Annotated[
        SizingMethod, typer.Option(help="The compiler's linear program, or search by simulation.")
    ] = "sim",
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
    from sttest.studies.sizing import SizeRequest
    from sttest.verbs.size import run

    request = SizeRequest(method, strategy, throughput, invocations, target)
    raise typer.Exit(run(path, request, as_json=as_json))


@app.command()
def emulate(
    path: Annotated[Path, typer.Argument(help="A design package, or for rtl a timed-graph JSON.")],
    backend: Annotated[Backend, typer.Option(help="rtl: the twin in clocked hardware; csim: the emitted C++.")] = "rtl",
    simulator: Annotated[Simulator, typer.Option(help="rtl; icarus is for small graphs.")] = "verilator",
    engine: Annotated[Engine, typer.Option(help="rtl: what the hardware is held against.")] = "maxplus",
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
    if backend == "csim":
        from sttest.verbs.emulate_csim import CsimRequest
        from sttest.verbs.emulate_csim import run as run_csim

        raise typer.Exit(run_csim(CsimRequest(path, work_dir, seed, checkpoint, streams), depths, as_json=as_json))
    from sttest.verbs.emulate import Emulation, run

    request = Emulation(path, simulator, engine, work_dir, iterations, max_clocks)
    raise typer.Exit(run(request, depths, as_json=as_json))


@app.command()
@takes_options("precision", "attention", "attention_chunk")
def crosscheck(
    model: Annotated[str, typer.Argument(help="gpt2, qwen, llama, llama-3.2-1b, gemma, small-…")],
    phase: Annotated[Phase, typer.Option(help="Of the block.")],
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [prefill: 32].")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache [decode: 64, small models 32].")] = None,
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
    *,
    options: CompileOptions,
    as_json: Json = False,
) -> None:
    """Run one block through every engine, from PyTorch to the card; exit code 6 where two disagree, 3 on a deadlock.

    Examples:

      sttest crosscheck gpt2 --phase decode

      sttest crosscheck small-qwen --phase prefill --tokens 27 --engines torch,functional,csim,rtl

      sttest crosscheck gpt2 --phase decode --attention one-pass --attention-chunk 16
    """
    from sttest.verbs.compile import Request
    from sttest.verbs.crosscheck import CrosscheckRequest, run

    asked = Request(model, phase, tokens, context, board, options, work_dir=work_dir)
    raise typer.Exit(run(CrosscheckRequest(asked, small, seed, checkpoint, engines), as_json=as_json))


@app.command()
def corpus(
    name: Annotated[str | None, typer.Argument(help="One design; without it, a list of all.")] = None,
    engine: Annotated[Engine, typer.Option(help="Who is to find the deadlock.")] = "maxplus",
) -> None:
    """Small designs that deadlock, each with its diagnosis; exit code 6 where it is another now.

    Examples:

      sttest corpus

      sttest corpus stage_skew
    """
    from sttest.verbs.corpus import run

    raise typer.Exit(run(name, engine))
