"""Packages run on a card: a generation, or one block."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sttest.core.errors import InputError, SttestError
from sttest.package import ModelPackage
from sttest.runtime.design_memory import token_rows
from sttest.targets.csim import build_kernel
from sttest.targets.device import CardOptions, HeldCard, LaunchStep, LaunchTimes, Log, Rehearsal, Timeouts

if TYPE_CHECKING:
    from sttest.models.language_model import LanguageModel

TARGET_OF = {"device": "hw", "hw_emu": "hw_emu"}


@dataclass(frozen=True)
class RunRequest:
    """What the options ask for."""

    # a prefill's and a decode's; one of any phase for a block, a decode's for a generation by it alone
    packages: tuple[Path, ...]
    backend: str = "emulator"  # ``emulator``, ``hw_emu`` or ``device``
    by_decode: bool = False  # generate with a decode's package alone; the prompt goes through it token by token
    prompt_tokens: int | None = None  # tokens of the seeded prompt; None for as many as the prefill was compiled for
    new_tokens: int = 17  # number of tokens to generate
    launches: int = 5  # launches of one block, with one package
    seed: int = 1  # seed of weights, prompt and activations
    weights: Path | None = None  # a checkpoint folder; None for random weights
    card: int | str = 0  # index or place on PCIe
    patience: Timeouts = field(default_factory=Timeouts)  # time limits, and whether a card is reset after a hang
    work: Path = Path("build/run")  # folder of what is compiled for the emulator
    # faults for rehearsals on the emulator: ``hung`` or ``crashed`` by launch number
    faults: tuple[tuple[int, str], ...] = ()


def generation(packages: Mapping[str, ModelPackage], request: RunRequest, log: Log, tell: Callable) -> None:
    """Prompt and decode loop on a card, and the same tokens from the fake-quantized model in PyTorch.

    Args:
        packages: packages by phase; the decode's alone if the prompt goes through it.
        request, log, tell: request, log and progress callback of the run.

    Raises:
        InputError: packages that do not go together, or a generation that they have no room for.
        SttestError: see `sttest.targets.device.Card`.
    """
    count = prompt_tokens(packages, request.prompt_tokens)
    check_generation(packages, count, request.new_tokens)
    from sttest.models.checkpoint import load_model
    from sttest.models.language_model import check_request, generate
    from sttest.models.quant.contraction import DefinedOrder
    from sttest.runtime.block_runner import generate_with
    from sttest.runtime.card_generation import CardGeneration, layer_memories

    config, by_decode = packages["decode"].config, "prefill" not in packages
    prompt = np.random.default_rng(request.seed).integers(0, config.vocab, count).tolist()
    check_request(config, prompt, request.new_tokens)
    steps = {"prefill": 1, "decode": request.new_tokens - 1 + (count if by_decode else 0)}
    log.planned = sum(
        config.layers // package.layers * -(-steps[phase] // package.generates) for phase, package in packages.items()
    )
    cards = {phase: card_opener(package, request, log, tell) for phase, package in packages.items()}
    plain = load_model(config, request.weights, seed=request.seed)
    model = packages["decode"].quantized(plain, lambda: plain.prefill(prompt))
    tell("computing the golden")
    with DefinedOrder():
        golden = generate(model, prompt, request.new_tokens, by_decode=by_decode)
    told = _recorder(log, tell)
    layers = {phase: layer_memories(model, each.reference_graph) for phase, each in packages.items()}
    at_once, made = {phase for phase, each in packages.items() if each.layers > 1}, packages["decode"].generates
    rows = token_rows(model) if made > 1 else None
    runner = CardGeneration(cards, layers, told, at_once, made, rows)
    with runner as blocks, DefinedOrder():
        found = generate_with(model, blocks, prompt, request.new_tokens, by_decode=by_decode)
    pairs = zip(found.tokens, golden.tokens, strict=True)
    log.equal_tokens, log.golden_tokens = sum(a == b for a, b in pairs), len(golden.tokens)
    log.largest_difference = float((found.logits - golden.logits).abs().max())


def block(package: ModelPackage, request: RunRequest, log: Log, tell: Callable) -> None:
    """The first layer with seeded activations, launched several times, against the fake-quantized block.

    Raises:
        InputError: a launch of the package runs more than a block.
    """
    package.require_one_block()
    from sttest.runtime.block_runner import largest_difference
    from sttest.runtime.card_generation import LayersOnCard

    log.planned = request.launches
    opened = card_opener(package, request, log, tell)
    memory, seeded = seeded_block(package, request.weights, request.seed)
    told = _recorder(log, tell)
    with opened() as card:
        blocks = LayersOnCard(card, [memory], told)
        for number in range(request.launches):
            images = blocks.launch(0, dict(seeded.inputs), f"{package.phase} {number}")
            difference = largest_difference(memory.results(images, seeded.tokens), seeded.golden)
            log.largest_difference = max(difference, log.largest_difference or 0.0)


def seeded_block(package: ModelPackage, weights: Path | None, seed: int):  # noqa: ANN201 - types need torch
    """Memory of the first layer, and seeded inputs with their golden."""
    from sttest.models.checkpoint import load_model
    from sttest.runtime.block_runner import seeded_decode, seeded_prefill
    from sttest.runtime.card_generation import layer_memories

    # Random weights need not be made for the layers that nobody looks at; a checkpoint has them all.
    config = package.config if weights else replace(package.config, layers=1)
    plain: LanguageModel = load_model(config, weights, seed=seed)
    model = package.quantized(plain, lambda: plain.prefill(range(min(8, package.config.vocab))))
    memory = layer_memories(model, package.reference_graph)[0]
    first = model.layers[0]
    if package.phase == "prefill":
        return memory, seeded_prefill(memory, first, package.tokens, seed)
    return memory, seeded_decode(memory, first, package.context, seed, tokens=package.tokens)


def card_opener(
    package: ModelPackage, request: RunRequest, log: Log, tell: Callable
) -> Callable[[], AbstractContextManager[HeldCard]]:
    """Opens a card with a package's design and reads its power at rest; checks first that there is a design to open.

    Raises:
        InputError: the package has not been built.
        SttestError: its C++ cannot be compiled for the emulator.
    """
    options = _options(package, request, tell)

    @contextmanager
    def opened() -> Iterator[HeldCard]:
        tell(f"configuring the card for {package.phase}")
        with HeldCard(package.files, options) as card:
            log.platform = card.info["platform"]
            log.idle_w += card.idle_watts()
            tell(f"{package.phase}")
            yield card
        log.left(card, package.phase)

    return opened


def _options(package: ModelPackage, request: RunRequest, tell: Callable) -> CardOptions:
    if request.backend != "emulator":
        xclbin = package.files.xclbin(TARGET_OF[request.backend])
        if not xclbin.is_file():
            raise InputError(
                "not-built",
                f"there is no {xclbin.name}",
                where=str(xclbin.parent),
                hints=[f"build it with 'sttest build {package.folder} --target {TARGET_OF[request.backend]}'"],
            )
        return CardOptions(request.backend, str(xclbin), request.card, request.patience)

    tell(f"compiling the C++ of {package.phase}")
    executable = build_kernel(package.files, request.work).path.resolve()
    rehearsal = Rehearsal(str(executable), package.simulated_us, dict(request.faults))
    return CardOptions("emulator", str(package.files.signature_path), 0, request.patience, rehearsal)


def _recorder(log: Log, tell: Callable) -> Callable[[str, int, LaunchTimes], None]:
    def told(doing: str, layer: int, times: LaunchTimes) -> None:
        log.steps.append(LaunchStep(doing.split()[0], doing, layer, times))
        tell(f"{doing}, layer {layer}, launch {len(log.steps)} of {log.planned}")

    return told


# --- Whether packages can generate together

_BY_DECODE = 8
"""Tokens of a seeded prompt where no prefill says how many."""


def prompt_tokens(packages: Mapping[str, ModelPackage], asked: int | None) -> int:
    """The length of the prompt in tokens: as asked, else what the prefill was compiled for, else 8."""
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
        _check_batch(package)
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
                    "other-package",
                    f"one is of {what} {one}, the other of {its}",
                    where=str(other.folder),
                    hints=["name two packages of one model"],
                )


def _check_steps(decode: ModelPackage, *, by_decode: bool) -> None:
    if decode.generates > 1 and by_decode:
        raise InputError(
            "several-tokens",
            "a launch of the design chooses its own tokens, and cannot be fed a prompt",
            where=str(decode.folder),
            demand=decode.generates,
            bound=1,
            unit="tokens",
            hints=["give a prefill's package, too", "compile the decode without --generate"],
        )
    if decode.tokens > 1:
        raise InputError(
            "several-tokens",
            "a generation decodes one token after the other, the design takes several in a step",
            where=str(decode.folder),
            demand=decode.tokens,
            bound=1,
            unit="tokens",
            hints=["compile the decode without --tokens", "run the package alone: one step with seeded inputs"],
        )


def _check_batch(package: ModelPackage) -> None:
    if package.batch > 1:
        raise InputError(
            "several-sequences",
            "a generation is of one sequence, a step of the design takes several",
            where=str(package.folder),
            demand=package.batch,
            bound=1,
            unit="sequences",
            hints=["compile without --batch", "run the package alone: one step with seeded inputs"],
        )


def _check_room(packages: Mapping[str, ModelPackage], prompt: int, new_tokens: int) -> None:
    # The last token is chosen and never fed back; a launch has places for all that it makes.
    made = packages["decode"].generates
    room = {"decode": (prompt + -(-(new_tokens - 1) // made) * made, _extent(packages["decode"], "k_cache", 1))}
    if "prefill" in packages:
        room["prefill"] = (prompt, _extent(packages["prefill"], "x", 0))
    for phase, (demand, bound) in sorted(room.items(), reverse=True):
        if demand > bound:
            raise InputError(
                "no-room",
                f"the {phase} design has no room for the generation",
                where=str(packages[phase].folder),
                demand=demand,
                bound=bound,
                unit="tokens",
                hints=["generate fewer tokens", "compile it for more"],
            )


def _check_layers(package: ModelPackage) -> None:
    """Refuses a launch over other than all layers, and one whose layers share what is not the same for all."""
    config = package.config
    if package.layers not in (1, config.layers):
        raise InputError(
            "some-layers",
            "a launch of the design runs neither one layer nor all",
            where=str(package.folder),
            demand=package.layers,
            bound=config.layers,
            unit="layers",
            hints=[f"compile with --layers {config.layers}"],
        )
    if package.head and package.layers != config.layers:
        raise InputError(
            "head-inside",
            "a launch of the design runs the head behind one layer of several",
            where=str(package.folder),
            hints=[f"compile with --layers {config.layers}", "compile without --head"],
        )
    own = [load for load in package.reference_graph.loads if load.argument in config.inputs_per_layer]
    for load in own if package.layers > 1 else ():
        if not package.files.is_per_layer(load.name):
            raise InputError(
                "layers-differ",
                f"layers of {config.name} differ in '{load.argument}', of which a launch has one",
                where=str(package.folder),
                hints=["compile it anew, from a text that names it in sttest.inputs_per_layer", "compile one layer"],
            )


def _extent(package: ModelPackage, argument: str, axis: int) -> int:
    found = package.reference_graph.argument.get(argument)
    if found is None:
        raise SttestError("no-argument", f"the design takes no '{argument}'", where=str(package.folder))
    return found.shape[axis]
