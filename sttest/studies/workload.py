"""What a user asks to be compiled, a model with a shape or a file, and the design that comes of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from sttest.boards.board import FpgaBoard
from sttest.boards.load import target_board
from sttest.compile.compiler import CompiledDesign, KeptIr, StagedCompiler, compile_text
from sttest.compile.groups import GroupedDesign, compile_groups
from sttest.compile.opt import new_context, parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.quantization.coverage import with_parameters
from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import read_text
from sttest.explore.choice import Choice, Chosen, chosen_design
from sttest.explore.recipes import Block
from sttest.frontend.lowering import BlockRequest, linalg_texts, require_frontend
from sttest.frontend.module_source import ModuleSource, is_module_reference
from sttest.frontend.shipped import SHIPPED_MODELS, SHIPPED_SHAPES, lowered_text
from sttest.models.cards import check_cards
from sttest.models.config import DecoderConfig
from sttest.models.config_file import is_config_path
from sttest.models.program import Phase, check_head, check_shape, size_of
from sttest.models.quant.scheme import load_scheme
from sttest.models.ranks import with_ranks
from sttest.models.registry import SMALL, description, is_repository, model_config, told_precision
from sttest.models.tables import head_columns

# --- From a model and a shape, or a file, to linalg text


@dataclass(frozen=True)
class Workload:
    """What is compiled: a name for the package, and facts for its manifest.

    ``facts`` holds the asked tokens and context of a model's block, which padding may have made fewer than the
    compiled ones.
    """

    name: str
    facts: dict[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class WorkloadShape:
    """Tokens of a sequence that enter a block, tokens in its cache, whether the head follows, sequences and cards."""

    phase: Phase
    tokens: int
    context: int
    head: bool = False
    batch: int = 1
    cards: int = 1

    def padded(self, tile_size: int) -> "WorkloadShape":
        """The shape whose sequence length is a whole number of tiles, or even in one tile; the mask hides the rest.

        >>> WorkloadShape("prefill", 40, 0).padded(16)
        WorkloadShape(phase='prefill', tokens=48, context=0, head=False, batch=1, cards=1)
        >>> WorkloadShape("prefill", 7, 0).padded(16)
        WorkloadShape(phase='prefill', tokens=8, context=0, head=False, batch=1, cards=1)
        >>> WorkloadShape("decode", 1, 12).padded(16)
        WorkloadShape(phase='decode', tokens=1, context=12, head=False, batch=1, cards=1)
        """
        if self.phase == "prefill":
            tokens = _even(self.tokens) if self.tokens < tile_size else _pad(self.tokens, tile_size)
            return replace(self, tokens=tokens)
        return replace(self, context=_pad(self.context, tile_size))

    @classmethod
    def asked(
        cls,
        model: str,
        phase: Phase | None,
        tokens: int | None,
        context: int | None,
        *,
        head: bool = False,
        batch: int | None = None,
        cards: int = 1,
    ) -> "WorkloadShape":
        """The shape that options give: a decode takes one token, a prefill starts from nothing.

        Raises:
            InputError: an option that the phase needs is missing.
        """
        if phase is None:
            raise _missing("--phase", model, "give --phase prefill --tokens N", "give --phase decode --context N")
        if phase == "prefill" and tokens is None:
            raise _missing("--tokens", f"{model} prefill", "say how long the prompt is, as in --tokens 64")
        if phase == "decode" and context is None:
            raise _missing("--context", f"{model} decode", "say how many tokens are cached, as in --context 64")
        return cls(phase, 1 if tokens is None else tokens, context or 0, head, 1 if batch is None else batch, cards)


def _missing(option: str, where: str, *hints: str) -> InputError:
    return InputError("missing-option", f"{option} is missing", where=where, hints=hints)


def _pad(length: int, tile_size: int) -> int:
    return length if length <= tile_size else -(-length // tile_size) * tile_size


def _even(tokens: int) -> int:
    """One more where the number is odd, which no two lanes share: 7 tokens take twice the cycles of 8."""
    return tokens + tokens % 2 if tokens > 1 else tokens


def is_file(model: str) -> bool:
    """Whether the argument means a file, of linalg text or a module, rather than a model's name or configuration."""
    if is_module_reference(model):
        return True
    if model.endswith(".mlir"):
        return True
    return "/" in model and not is_config_path(model.removeprefix(SMALL)) and not is_repository(model)


TEXT_PHASE: Phase = "prefill"
"""What rows of results call the phase of a text, which has none: nothing is cached."""


def file_workload(
    path: str | Path, shape_options: Mapping[str, object], parameters: Sequence[str] = ()
) -> tuple[Workload, str]:
    """The text of a file, or of the module that a function of it makes (``FILE.py:FUNCTION``).

    Args:
        path: a file, or a reference to a function.
        shape_options: options of a shape, by name; None where not given.
        parameters: arguments that are weights, where the text does not say so.

    Raises:
        InputError: it can't be read or lowered, or a shape was asked for, which only the text itself decides.
    """
    if is_module_reference(str(path)):
        refuse_parameters(str(path), parameters)
        return module_workload(_module_of(str(path)), shape_options)
    _refuse_shape(shape_options, str(path))
    text = read_text(Path(path), hints=["name a .mlir file, or a config.json", "name a model, see 'sttest models'"])
    return Workload(Path(path).stem), _told(text, parameters, str(path)) if parameters else text


def _told(text: str, parameters: Sequence[str], where: str) -> str:
    """The text with what its parameters are."""
    module = parse(text, where, new_context())
    with_parameters(module, parameters)
    return printed(module)


def refuse_parameters(model: str, parameters: Sequence[str]) -> None:
    """Refuses to be told the parameters of what knows them.

    Raises:
        InputError: some are given.
    """
    if parameters:
        hints = ["leave out the parameters"]
        raise InputError("parameters-of-a-model", "a model knows its weights", where=model, hints=hints)


def _module_of(reference: str) -> ModuleSource:
    path = Path(reference.rpartition(":")[0])
    return _loaded(reference, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=4)
def _loaded(reference: str, changed_ns: int) -> ModuleSource:
    """The module of a reference, made once for all points of a study as long as its file is the same."""
    return ModuleSource.load(reference)


def module_workload(source: ModuleSource, shape_options: Mapping[str, object]) -> tuple[Workload, str]:
    """The text of a module.

    Raises:
        InputError: it can't be lowered, or a shape was asked for, which its example inputs decide.
    """
    _refuse_shape(shape_options, source.where)
    return Workload(source.name), source.text()


def _refuse_shape(shape_options: Mapping[str, object], where: str) -> None:
    given = [name for name, value in shape_options.items() if value is not None]
    if given:
        raise InputError(
            "shape-of-a-file",
            f"{', '.join(given)} given, but the text has its shape already",
            where=where,
            hints=[f"leave out {' and '.join(given)}", "name a model of the registry"],
        )


def model_workload(config: DecoderConfig, asked: WorkloadShape, tile_size: int) -> tuple[Workload, WorkloadShape]:
    """Name and facts of a model's block, and the shape that is compiled for it.

    Raises:
        InputError: a shape that the model does not have.
    """
    check_shape(config, asked.phase, asked.tokens, asked.context, asked.batch)
    check_cards(config, asked.cards, head=asked.head)
    if asked.head:
        check_head(asked.phase)
    facts: dict[str, str | int] = {"asked_tokens": asked.tokens, "asked_context": asked.context}
    if asked.head:
        facts["head_columns"] = head_columns(config)
    if (described := description(config)) is not None:
        facts["config"] = described
    size = size_of(asked.phase, asked.tokens, asked.context, asked.batch, asked.cards)
    return Workload(f"{config.name}-{asked.phase}-{size}{'-head' if asked.head else ''}", facts), asked.padded(
        tile_size
    )


def model_text(config: DecoderConfig, shape: WorkloadShape) -> str:
    """The block's linalg text: lowered by the front end, or the shipped text of the same shape where there is none.

    Raises:
        ToolMissingError: no front end and no such text.
        InputError: the lowering failed.
    """
    try:
        require_frontend()
    except ToolMissingError as error:
        is_small = config.name.startswith(SMALL)
        shapes = SHIPPED_SHAPES[is_small]
        if config.name.removeprefix(SMALL) not in SHIPPED_MODELS or description(config) is not None:
            hints = [error.hints[0], f"take a model that is shipped ready-made: {', '.join(SHIPPED_MODELS)}"]
            raise ToolMissingError(error.code, error.what, where=error.where, hints=hints) from error
        if shapes[shape.phase] == (shape.tokens, shape.context) and shape.batch == shape.cards == 1:
            return lowered_text(config.name.removeprefix(SMALL), shape.phase, small=is_small, head=shape.head)
        raise _no_text(error, shapes[shape.phase], shape.phase) from error
    return linalg_texts([_request(config, shape)])[0]


def keep_texts(asked: Sequence[tuple[DecoderConfig, WorkloadShape]]) -> None:
    """Lowers what :func:`model_text` will be asked for, all in one process, so that it finds them.

    Raises:
        SttestError: as there.
    """
    linalg_texts([_request(config, shape) for config, shape in asked])


def _request(config: DecoderConfig, shape: WorkloadShape) -> BlockRequest:
    # Padding may reach past the last position of the model; the mask hides it, so it needs none.
    reach = replace(config, max_context=max(config.max_context, shape.tokens + shape.context))
    return BlockRequest(reach, shape.phase, shape.tokens, shape.context, shape.head, shape.batch, shape.cards)


def _no_text(error: ToolMissingError, shipped: tuple[int, int], phase: str) -> ToolMissingError:
    tokens, context = shipped
    instead = f"--tokens {tokens}" if phase == "prefill" else f"--context {context}"
    hints = [error.hints[0], f"take the shape that is shipped ready-made, {instead}"]
    return ToolMissingError(error.code, error.what, where=error.where, hints=hints)


# --- From a request to a design


Step = Callable[[str], None]
"""Called with the name of each step before it runs."""


@dataclass(frozen=True)
class CompileRequest:
    """What is compiled, for which board, and how."""

    model: str  # name of a model, path of a ``.mlir`` file, or ``FILE.py:FUNCTION`` that makes a module
    # phase, tokens, context: shape of a model's block; None where not given
    phase: Phase | None = None
    tokens: int | None = None
    context: int | None = None
    board: str | FpgaBoard = "u55c"  # name, path, or the board itself
    options: CompileOptions = field(default_factory=CompileOptions)  # options of the compiler
    head: bool = False  # compile what follows the last layer, too
    batch: int | None = field(default=None, kw_only=True)  # sequences, each with its cache; None for one
    keep_ir: KeptIr = field(default="ends", kw_only=True)  # the passes whose IR the design keeps
    parameters: tuple[str, ...] = field(default=(), kw_only=True)  # arguments of a text that are weights
    require_quantized: bool = field(default=False, kw_only=True)  # refuse what a scheme leaves in floating point
    module: ModuleSource | None = field(
        default=None, kw_only=True
    )  # the module itself, where `model` is not its reference
    choice: Choice = field(default="default", kw_only=True)  # choice of the block's design

    def __post_init__(self) -> None:
        """Take the precision of a checkpoint whose weights are quantized.

        Raises:
            InputError: another is asked for, which would make other integers.
        """
        asked = self.options.given.get("precision")
        precision = told_precision(self.model, asked)
        if precision is not None and precision != asked:
            object.__setattr__(self, "options", self.options.with_(precision=precision))

    @property
    def board_name(self) -> str:
        """Name of the board, or of its file without the suffix."""
        if not isinstance(self.board, str):
            return self.board.name
        return Path(self.board).stem if self.board.endswith((".yaml", ".yml")) else self.board

    def design(self, step: Step = lambda step: None) -> CompiledDesign:
        """Checks everything, then compiles.

        Raises:
            SttestError: bad input, a design that does not fit, or no front end.
        """
        return self.chosen(step).design

    def chosen(self, step: Step = lambda step: None) -> Chosen:
        """The design that is chosen, where it comes from, and whether it fits.

        Raises:
            SttestError: see :meth:`design`.
        """
        options = self._checked_options()
        workload, text = self._text(step)
        name = f"{workload.name}-{self.board_name}"
        compiler = StagedCompiler(text, name, self.board, workload.facts, self.parameters, self.model, step)
        found = chosen_design(compiler, options, self.choice, self._block(), step)
        if self.keep_ir == "all":
            design = compile_text(
                text,
                name,
                self.board,
                found.design.options,
                keep_ir="all",
                progress=step,
                workload=workload.facts,
                parameters=self.parameters,
                where=self.model,
            )
            found = replace(found, design=design)
        if self.require_quantized:
            refuse_floats(found.design)
        return found

    def facts(self, step: Step = lambda step: None) -> dict[str, Any]:
        """All that the design follows from besides this program, for a hash of it; files by what they hold.

        Raises:
            SttestError: see :meth:`design`.
        """
        options = self._checked_options()
        return {
            "text": self._text(step),
            "model": self.model,
            "block": self._block(),
            "named_board": self.board_name,
            "board": target_board(self.board),
            "options": options,
            "given": sorted(options.given),
            "scheme": load_scheme(options.precision),
            "keep_ir": self.keep_ir,
            "parameters": self.parameters,
            "require_quantized": self.require_quantized,
            "choice": self.choice,
        }

    def _block(self) -> Block | None:
        """What recipes know the text as; None for a file."""
        if self.module is not None or is_file(self.model):
            return None
        config = model_config(self.model)
        shape = self._shape().padded(self.options.tile_size)
        return Block(config, shape.phase, shape.tokens, shape.context)

    def grouped(self, step: Step = lambda step: None) -> GroupedDesign:
        """A design for each group, where they do not fuse into one.

        Raises:
            SttestError: see :meth:`design`, and options that take one kernel.
        """
        options = self._checked_options()
        workload, text = self._text(step)
        return compile_groups(text, f"{workload.name}-{self.board_name}", self.board, options, self.model)

    def _text(self, step: Step) -> tuple[Workload, str]:
        shape_options = {
            "--phase": self.phase,
            "--tokens": self.tokens,
            "--context": self.context,
            "--head": self.head or None,
            "--batch": self.batch,
        }
        if self.options.ranks and (self.module is not None or is_file(self.model)):
            hints = ["name a model of the registry", "write the product with two factors into the file"]
            raise InputError("ranks-of-a-file", "--rank is for models", where=self.model, hints=hints)
        if self.module is not None:
            step("lowering")
            return module_workload(self.module, shape_options)
        if is_file(self.model):
            step("lowering")
            return file_workload(self.model, shape_options)
        refuse_parameters(self.model, self.parameters)
        config = with_ranks(model_config(self.model), self.options.ranks)
        if self.head:
            _check_head_scheme(self.options.precision)
        workload, shape = model_workload(config, self._shape(), self.options.tile_size)
        step("lowering")
        return workload, model_text(config, shape)

    def _shape(self) -> WorkloadShape:
        return WorkloadShape.asked(
            self.model,
            self.phase,
            self.tokens,
            self.context,
            head=self.head,
            batch=self.batch,
            cards=self.options.cards,
        )

    def _checked_options(self) -> CompileOptions:
        """The options, if they fit each other, the model and the board.

        Raises:
            InputError: they don't.
        """
        options = self.options
        load_scheme(options.precision)
        target_board(self.board)
        return self._generating() if options.generate > 1 else options

    def _generating(self) -> CompileOptions:
        """A launch that makes several tokens adds the position itself, where the model has learned ones.

        Raises:
            InputError: a file, no head, or other than all layers: nothing would lead from one token to the next.
        """
        if self.module is not None or is_file(self.model):
            hints = ["name a model of the registry"]
            raise InputError("shape-of-a-file", "--generate is for models", where=self.model, hints=hints)
        config = model_config(self.model)
        if not self.head or self.options.layers != config.layers:
            raise InputError(
                "no-loop",
                "a launch makes several tokens only with all layers and the head",
                where="generate (--generate)",
                hints=[f"add --layers {config.layers} --head"],
            )
        if (self.batch or 1) > 1:
            raise InputError(
                "no-loop",
                "a launch makes several tokens of one sequence only",
                where="generate (--generate)",
                hints=["leave out --batch", "make a launch per token"],
            )
        return self.options.with_(positions=config.rope_theta is None)


def refuse_floats(design: CompiledDesign) -> None:
    """
    Raises:
        InputError: a scheme has left contractions or weights in floating point, or none was asked for.
    """
    if design.coverage is None:
        what = f"precision {design.options.precision} makes no integers"
        raise InputError("not-quantized", what, where=design.name, hints=["compile with --precision w8a8"])
    design.coverage.refuse_floats(design.name)


def _check_head_scheme(precision: str) -> None:
    """All products of a design are of one scheme.

    Raises:
        InputError: a scheme that leaves the head in floating point.
    """
    scheme = load_scheme(precision)
    if scheme.quantizes and scheme.lm_head == "none":
        raise InputError(
            "head-not-quantized",
            "the scheme keeps the head in floating point, a design has one scheme for all",
            where=f"scheme '{scheme.name}'",
            hints=["set lm_head to weights", "compile without --head"],
        )
