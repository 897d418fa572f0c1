"""Verbs on the way to a card."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.app import app
from sttest.cli.choices import BuildTarget, CardBackend, Json, LaunchPer


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
    from sttest.targets.vitis.steps import Limits
    from sttest.verbs.build import BuildRequest, run

    given = {"compile_s": timeout_compile, "link_s": timeout_link, "emconfig_s": timeout_emconfig}
    request = BuildRequest(package, target, board, jobs, Limits().scaled(given), slr, any_version, dry_run)
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
    backend: Annotated[CardBackend, typer.Option(help="emulator: XRT without a card, over a C simulation.")],
    new_tokens: Annotated[int, typer.Option(min=1, help="To generate, with two packages.")] = 17,
    prompt_tokens: Annotated[
        int | None, typer.Option(min=1, help="Of the seeded prompt [as the prefill was compiled for, else 8].")
    ] = None,
    prompt_by_decode: Annotated[
        bool, typer.Option("--prompt-by-decode", help="Generate with a decode's package alone, prompt included.")
    ] = False,
    launches: Annotated[int, typer.Option(min=1, help="Of one block, with one package.")] = 5,
    launch_per: Annotated[
        LaunchPer | None, typer.Option(help="What the decode package must compute in a launch [as compiled].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of weights, prompt and activations.")] = 1,
    weights: Annotated[Path | None, typer.Option(help="A checkpoint's folder [random weights].")] = None,
    card: Annotated[str, typer.Option(help="Index of the card, or its place on PCIe.")] = "0",
    timeout_launch: Annotated[float, typer.Option(min=0.1, help="Seconds after which a kernel counts as hung.")] = 60.0,
    timeout_open: Annotated[float, typer.Option(min=0.1, help="Seconds to configure the card.")] = 300.0,
    reset: Annotated[bool, typer.Option(help="Reset a card whose kernel hung.")] = True,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Results [results/run-BACKEND-MODEL].")] = None,
    as_json: Json = False,
) -> None:
    """Run a design on a card, in hardware emulation, or on the emulator; exit code 6 where it is not as the golden.

    Examples:

      sttest run build/small-gpt2-prefill-u55c build/small-gpt2-decode-u55c --backend emulator

      sttest run build/gpt2-decode-u55c --backend device --launches 100

      sttest run build/small-gpt2-decode-u55c --backend emulator --prompt-by-decode
    """
    from sttest.targets.device import Timeouts
    from sttest.verbs.card_run import RunRequest
    from sttest.verbs.run import run

    request = RunRequest(
        tuple(packages), backend, prompt_by_decode, prompt_tokens, new_tokens, launches, seed, weights,
        int(card) if card.isdecimal() else card, Timeouts(timeout_launch, timeout_open, reset),
    )  # fmt: skip
    raise typer.Exit(run(request, out, launch_per, as_json=as_json))


@app.command()
def doctor(as_json: Json = False) -> None:
    """Tell which tools and cards are here, and what a missing one disables; exit code 0 whatever is found.

    Examples:

      sttest doctor

      sttest doctor --json
    """
    from sttest.verbs.doctor import run

    run(as_json=as_json)
