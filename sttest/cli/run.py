"""`sttest run`: a design on a card, in hardware emulation, or on the emulator, compared with the golden."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import CardBackend, Json, LaunchPer, print_json, progress
from sttest.core.errors import EnginesDisagreeError, InputError, SttestError
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.package import ModelPackage
from sttest.runtime.card_run import RunRequest, block, generation
from sttest.targets.device import Log, Timeouts, rows
from sttest.targets.doctor import require_tools


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
    request = RunRequest(
        tuple(packages),
        backend,
        prompt_by_decode,
        prompt_tokens,
        new_tokens,
        launches,
        seed,
        weights,
        int(card) if card.isdecimal() else card,
        Timeouts(timeout_launch, timeout_open, reset),
    )
    raise typer.Exit(run(request, out, launch_per, as_json=as_json))


SCHEMA = "sttest.run/1"
_SHOWN = ("phase", "metric", "value", "unit", "kind", "reference", "note")


def run(request: RunRequest, out: Path | None, per: str | None, *, as_json: bool) -> int:
    """Runs, compares, writes the results' folder and prints its table.

    Args:
        request: the options.
        out: folder of results; None for ``results/run-<backend>-<model>``.
        per: work of one launch that is asked for: ``layer``, ``token`` or ``generation``; None for the package's own.
        as_json: print JSON.

    Returns:
        The exit code: 0 as the golden, 6 not.

    Raises:
        ToolMissingError: the backend's tools or card are not there.
        SttestError: the error that ended the run; results of earlier launches are kept.
    """
    require_tools(f"run --backend {request.backend}")
    packages = [ModelPackage.read(path) for path in request.packages]
    for each in packages:
        each.require_one_card()
    _check_launches(packages, per)
    named = f"run-{request.backend}-{packages[0].config.name}"
    folder = out or Path("results") / named
    log, ended = Log(), None
    with ResultFolder(folder, made_by="sttest.runtime.card_run", config=_config(request), seed=request.seed) as results:
        with progress(f"running {packages[0].config.name} on {request.backend}") as tell:
            try:
                _run(packages, request, log, tell)
            except (SttestError, KeyboardInterrupt) as error:
                if not log.steps:
                    raise
                ended = error
        results.add(*rows(folder.name, request.backend, packages[0].config.name, packages[0].board, log))
        log.write_steps(results.file("steps.csv"), request.backend)
    if ended is not None:
        raise ended
    _print(results.rows, folder, log, as_json=as_json)
    return 0 if log.agrees else EnginesDisagreeError.exit_code


def _check_launches(packages: Sequence[ModelPackage], per: str | None) -> None:
    """Refuses packages that were compiled for another kind of launch than is asked for."""
    for package in packages:
        found = "layer" if package.layers == 1 else "token" if package.generates == 1 else "generation"
        if per is not None and package.phase == "decode" and found != per:
            raise InputError(
                "other-launches",
                f"the package was compiled for one launch per {found}",
                where=str(package.folder),
                hints=[f"compile it with {_options(package, per)}"],
            )


def _options(package: ModelPackage, per: str) -> str:
    """The options that compile a package whose launches compute that."""
    layers = 1 if per == "layer" else package.config.layers
    return f"--layers {layers}{' --head --generate 16' if per == 'generation' else ''}"


def _run(packages: list[ModelPackage], request: RunRequest, log: Log, tell: Any) -> None:
    by_phase = {package.phase: package for package in packages}
    phases = {"decode"} if request.by_decode else {"prefill", "decode"}
    if len(packages) == 1 and not request.by_decode:
        block(packages[0], request, log, tell)
    elif len(packages) == len(phases) and by_phase.keys() == phases:
        generation(by_phase, request, log, tell)
    else:
        wanted = "a decode's package alone" if request.by_decode else "one package, or one of each phase"
        raise InputError("bad-packages", wanted, where=" ".join(str(p) for p in request.packages))


def _config(request: RunRequest) -> dict[str, Any]:
    return {**asdict(request), "packages": [str(path) for path in request.packages], "weights": str(request.weights)}


def _print(found: list[Row], folder: Path, log: Log, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {"schema": SCHEMA, "results": str(folder), "agrees": log.agrees, "rows": [asdict(row) for row in found]}
        )
        return
    cells = ([getattr(row, name) if getattr(row, name) is not None else "" for name in _SHOWN] for row in found)
    print_table(
        _SHOWN, cells, title=f"{found[0].model} on {found[0].engine}: {'as' if log.agrees else 'not as'} the golden"
    )
    print(f"results in {folder}")
