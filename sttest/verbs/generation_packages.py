"""Whether packages can generate together: of one model, with room for all tokens, launched as the host can."""

from collections.abc import Mapping

from sttest.core.errors import InputError, SttestError
from sttest.package import ModelPackage

_BY_DECODE = 8
"""Tokens of a seeded prompt where no prefill says how many."""


def prompt_tokens(packages: Mapping[str, ModelPackage], asked: int | None) -> int:
    """Of the prompt: as asked, else what the prefill was compiled for, else 8."""
    if asked is not None:
        return asked
    return packages["prefill"].tokens if "prefill" in packages else _BY_DECODE


def check_generation(packages: Mapping[str, ModelPackage], prompt: int, new_tokens: int) -> None:
    """Refuses what could not come to its end, before anything is begun.

    Args:
        packages: packages by phase; the decode's alone if the prompt goes through it.
        prompt, new_tokens: numbers of prompt tokens and of new tokens.

    Raises:
        InputError: the request cannot be met; the hints say what would help.
    """
    _check_alike(*packages.values())
    _check_steps(packages["decode"], by_decode="prefill" not in packages)
    for package in packages.values():
        _check_layers(package)
    _check_room(packages, prompt, new_tokens)


def _check_alike(first: ModelPackage, *others: ModelPackage) -> None:
    for other in others:
        for what, one, its in (
            ("model", first.config.name, other.config.name),
            ("precision", first.scheme.name, other.scheme.name),
            ("board", first.board, other.board),
        ):
            if one != its:
                raise InputError(
                    "other-package", f"one is of {what} {one}, the other of {its}", where=str(other.folder),
                    hints=["name two packages of one model"],
                )  # fmt: skip


def _check_steps(decode: ModelPackage, *, by_decode: bool) -> None:
    if decode.generates > 1 and by_decode:
        raise InputError(
            "several-tokens", "a launch of the design chooses its own tokens, and cannot be fed a prompt",
            where=str(decode.folder), demand=decode.generates, bound=1, unit="tokens",
            hints=["give a prefill's package, too", "compile the decode without --generate"],
        )  # fmt: skip
    if decode.tokens > 1:
        raise InputError(
            "several-tokens", "a generation decodes one token after the other, the design takes several in a step",
            where=str(decode.folder), demand=decode.tokens, bound=1, unit="tokens",
            hints=["compile the decode without --tokens", "run the package alone: one step with seeded inputs"],
        )  # fmt: skip


def _check_room(packages: Mapping[str, ModelPackage], prompt: int, new_tokens: int) -> None:
    # The last token is chosen and never fed back; a launch has places for all that it makes.
    made = packages["decode"].generates
    room = {"decode": (prompt + -(-(new_tokens - 1) // made) * made, _extent(packages["decode"], "k_cache", 1))}
    if "prefill" in packages:
        room["prefill"] = (prompt, _extent(packages["prefill"], "x", 0))
    for phase, (demand, bound) in sorted(room.items(), reverse=True):
        if demand > bound:
            raise InputError(
                "no-room", f"the {phase} design has no room for the generation", where=str(packages[phase].folder),
                demand=demand, bound=bound, unit="tokens", hints=["generate fewer tokens", "compile it for more"],
            )  # fmt: skip


def _check_layers(package: ModelPackage) -> None:
    """Refuses a launch over other than all layers, and one whose layers share what is not the same for all."""
    config = package.config
    if package.layers not in (1, config.layers):
        raise InputError(
            "some-layers", "a launch of the design runs neither one layer nor all", where=str(package.folder),
            demand=package.layers, bound=config.layers, unit="layers",
            hints=[f"compile with --layers {config.layers}"],
        )  # fmt: skip
    if package.head and package.layers != config.layers:
        raise InputError(
            "head-inside", "a launch of the design runs the head behind one layer of several",
            where=str(package.folder), hints=[f"compile with --layers {config.layers}", "compile without --head"],
        )  # fmt: skip
    own = [load for load in package.reference_graph.loads if load.argument in config.inputs_per_layer]
    for load in own if package.layers > 1 else ():
        if not package.files.is_per_layer(load.name):
            raise InputError(
                "layers-differ", f"layers of {config.name} differ in '{load.argument}', of which a launch has one",
                where=str(package.folder),
                hints=["compile it anew, from a text that names it in sttest.inputs_per_layer", "compile one layer"],
            )  # fmt: skip


def _extent(package: ModelPackage, argument: str, axis: int) -> int:
    found = package.reference_graph.argument.get(argument)
    if found is None:
        raise SttestError("no-argument", f"the design takes no '{argument}'", where=str(package.folder))
    return found.shape[axis]
