"""Every option of the compiler, stated once.

A field of :class:`CompileOptions` carries its type, default, bounds and description, and in its :class:`Option` the
passes that take it, its spelling on the command line and the values that a search tries.  The arguments of the
passes, the command-line options, the domains of ``sttest explore``, the keys of studies and the table of
docs/reference/options.md come from here (docs/extend/add-an-option.md says how to add one).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from sttest.boards.part import BudgetName
from sttest.core.errors import InputError, note_renamed, todays_keys
from sttest.core.validation import as_input_error
from sttest.models.config import Maximum
from sttest.models.quant import DEFAULT_SCHEME

Value: TypeAlias = int | str
Level: TypeAlias = Literal["tiling", "fusion", "resources"]
Sharing: TypeAlias = Literal["none", "weights", "all", "auto"]
"""Spatial dataflow; one unit for the products with parameters; one unit for whatever is alike; by volume of data."""
ChannelUse: TypeAlias = Literal["auto", "apart", "together"]
"""A channel belongs to one large DMA, or all DMAs share all; by what memory takes, where nothing is said."""
LinkUse: TypeAlias = Literal["streamed", "whole"]
"""Links between cards work beside what computes, or after it."""
Attention: TypeAlias = Literal["three-pass", "one-pass"]
"""The softmax over all keys: maximum, exponentials and their sum, mix; or chunk by chunk under a running maximum."""
Flow: TypeAlias = Literal["hls", "rtl"]
"""C++ through Vitis HLS, or SystemVerilog."""
Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Option:
    """What is known of a field beside its type, bounds and description."""

    # passes that take the option, as ``pass`` or, where the pass has another name for it, ``pass{name}``; ``pass{}``
    # runs or does not by this option, and takes nothing of it
    passes: tuple[str, ...] = ()
    flag: str = ""  # spelling on the command line, of an option that may be repeated; that of the field's name if empty
    formerly: tuple[str, ...] = ()  # names and flags of earlier versions, which still work, with a note
    metavar: str | None = None  # placeholder of the value in help texts
    pairs: bool = False  # whether the command line takes ``NAME=VALUE`` for an entry ``name:value``
    choices: tuple[Value, ...] = ()  # values that the command line accepts, where a field can hold more than these
    on_command_line: bool = True  # whether there is such an option; some fields are set by others
    level: Level = "tiling"  # design space that a search counts the option to
    search: tuple[Value, ...] = ()  # values that a search tries; none if the option is not searched
    unit: str = ""  # unit of the values


if TYPE_CHECKING:
    _Checked = BaseModel
else:

    class _InputErrors(type(BaseModel)):
        """Metaclass of models that, called with a wrong value, raise an InputError that names its key."""

        def __call__(cls, **given: Any) -> BaseModel:
            try:
                return super().__call__(**given)
            except ValidationError as error:
                raise as_input_error(error, cls, given, "options") from error

    class _Checked(BaseModel, metaclass=_InputErrors):
        pass


MOST_LANES = 1 << 20
"""Lanes of a task, and points of a tile's side: a hundred times the DSPs of a U55C, and more than any layer is wide."""
MOST_TOKEN_BITS = 1 << 24
"""Bits of a token, as many as a FIFO of a timed graph may have."""
DEFAULT_TILE = 16
"""Points of a tile's side (streamtensor.md section 2); a shorter dim is a tile itself."""


class CompileOptions(_Checked):
    """What a user may choose; defaults are the documented ones (streamtensor.md section 2) where there are such."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tile_size: Annotated[
        int,
        Field(ge=1, le=MOST_LANES, description="Points per tiled loop."),
        Option(("linalg-to-kernels",), formerly=("--tile",), search=(8, 16, 32, 64), unit="points"),
    ] = DEFAULT_TILE
    tiles: Annotated[
        Names,
        Field(description="Points per loop of a task."),
        Option(("linalg-to-kernels",), "--task-tile", metavar="NAME=64x1x128", pairs=True),
    ] = ()
    orders: Annotated[
        Names,
        Field(description="Order of a task's loops."),
        Option(("linalg-to-kernels",), "--task-order", metavar="NAME=1,0,2", pairs=True),
    ] = ()
    gemv_lanes: Annotated[
        int,
        Field(
            ge=0,
            le=MOST_LANES,
            description="Lanes of each product of few rows with a weight; 0 takes those of --tile-size.",
        ),
        Option(("linalg-to-kernels", "assign-lanes"), search=(0, 512, 1024, 2048, 4096), unit="lanes"),
    ] = 0
    overall_unroll: Annotated[
        int,
        Field(ge=1, le=MOST_LANES, description="Lanes that all kernels share."),
        Option(("assign-lanes",), unit="lanes"),
    ] = 4096
    first_lanes: Annotated[
        int,
        Field(ge=1, le=MOST_LANES, description="Lanes of a task before it is given more."),
        Option(("assign-lanes",), unit="lanes"),
    ] = 16
    most_lanes: Annotated[
        int,
        Field(ge=0, le=MOST_LANES, description="Most lanes of any task that --overall-unroll serves; 0 sets no bound."),
        Option(("assign-lanes",), unit="lanes"),
    ] = 0
    lanes: Annotated[
        Names,
        Field(description="Lanes of every task (name:lanes), chosen at another shape; see --lanes-from."),
        Option(("assign-lanes{fixed}",), on_command_line=False),
    ] = ()
    adapt_lanes: Annotated[
        bool,
        Field(description="Those lanes may be of a design with other tasks; set with --lanes-from."),
        Option(("assign-lanes{adapt}",), on_command_line=False),
    ] = False
    precision: Annotated[
        str,
        Field(
            description="Quantization scheme: w4a8, w4a8-channel, w4a8-static, w4a8-position, w4a8-g64, "
            "w4a8-g32, w8a8, w8a8-static, w4a8kv4, w4a8bfp4, w4a4kv4, w3a8, w2a8, ternary, ternary-3of4, "
            "w4a16, fp16, fp32, or a YAML file; a quantized checkpoint has its own."
        ),
        Option(("quantize{scheme}",), metavar="NAME|FILE"),
    ] = DEFAULT_SCHEME
    ranks: Annotated[
        Names,
        Field(
            description="Rank of a model's linear layers, or a share of the full one (32, mlp.*=25%): two "
            "products with factors in place of one."
        ),
        Option((), "--rank", metavar="[NAME=]RANK"),
    ] = ()
    beat_bits: Annotated[
        int,
        Field(ge=8, le=1024, multiple_of=8, description="Width of memory ports."),
        Option(("materialize-dma",), level="resources", search=(128, 256, 512), choices=(128, 256, 512), unit="bits"),
    ] = 512
    vector_bits: Annotated[
        int,
        Field(ge=1, le=MOST_TOKEN_BITS, description="Widest token, in bits."),
        Option(("vectorize{max-bits}",), search=(1024, 2048, 4096), unit="bits"),
    ] = 4096
    strategy: Annotated[
        Literal["normal", "conservative"],
        Field(description="FIFO sizing."),
        Option(("size-fifos",), level="resources", search=("normal", "conservative")),
    ] = "normal"
    sizing: Annotated[
        Literal["schedule", "paper"],
        Field(description="FIFO sizing by one schedule of all accesses, or by StreamTensor's rates and paths."),
        Option(("size-fifos",), level="resources"),
    ] = "schedule"
    share: Annotated[
        Sharing,
        Field(description="Tasks that take turns on one unit: products with weights, all alike, or by volume of data."),
        Option(("share-engines", "merge-weight-streams{}", "share-streams{}"), search=("none", "weights", "all")),
    ] = "none"
    product_units: Annotated[
        int,
        Field(ge=1, le=64, description="Units side by side that a product with a weight is split into."),
        Option(("assign-channels{units}", "split-products{units}"), unit="units"),
    ] = 1
    own_units: Annotated[
        Names,
        Field(description="Tasks that share functional units with each other only."),
        Option(("share-engines{own}",), "--own-unit", ("own_engines", "--own-engine"), "NAME[+NAME]"),
    ] = ()
    fabric: Annotated[
        Names,
        Field(description="Tasks whose integer products are made of LUTs, not DSPs."),
        Option(("multiply-in-fabric{tasks}",), metavar="NAME"),
    ] = ()
    cascades: Annotated[
        Names,
        Field(description="Products of a task that DSPs sum in a row, down their cascade: 2, 4, 8 or 16."),
        Option(("cascade-products{lengths}",), "--cascade", metavar="NAME=16", pairs=True),
    ] = ()
    kernels: Annotated[
        str | None,
        Field(description="YAML file of own kernels, C++ functions in place of tasks' payloads."),
        Option(("call-own-kernels{file}",), metavar="FILE"),
    ] = None
    flow: Annotated[
        Flow,
        Field(description="What is counted against the board's budget: C++ through Vitis HLS, or SystemVerilog."),
        Option(level="resources"),
    ] = "hls"
    budget: Annotated[
        BudgetName,
        Field(description="How much of the board may be filled: what routes by experience, StreamTensor's, or all."),
        Option((), level="resources"),
    ] = "tight"
    c_max_bytes: Annotated[
        int | None,
        Field(ge=1, description="On-chip memory that fusion may fill; none is what the board leaves."),
        Option(("fuse-kernels",), unit="bytes"),
    ] = None
    prefetch_kib: Annotated[
        int,
        Field(ge=0, description="On-chip room for parameters that are read ahead."),
        Option(("size-fifos",), level="resources", search=(0, 256, 1024, 4096), unit="KiB"),
    ] = 0
    buffer_rereads_kib: Annotated[
        int,
        Field(ge=0, description="Inputs up to this size that are streamed several times are kept on chip."),
        Option(("buffer-rereads{kib}",), formerly=("keep_kib", "--keep-kib"), level="resources", unit="KiB"),
    ] = 0
    flatten_bottleneck_loops: Annotated[
        bool,
        Field(description="The slowest tasks walk all rows of tokens in one loop, without a drain in between."),
        Option(("vectorize{flatten}", "flatten-bottleneck-loops{}"), formerly=("keep_pace", "--keep-pace")),
    ] = False
    layers: Annotated[
        int, Field(ge=1, description="Layers that one launch runs."), Option(("assign-channels", "loop-layers"))
    ] = 1
    cards: Annotated[
        int,
        Field(ge=1, le=8, description="Cards in a ring that share each layer's heads and columns."),
        Option(("share-engines", "assign-lanes", "fuse-kernels", "place-on-cards"), unit="cards"),
    ] = 1
    links: Annotated[
        LinkUse,
        Field(description="Links send what a card computes as it comes, or a whole vector when it is done."),
        Option(("place-on-cards",)),
    ] = "streamed"
    link_credits: Annotated[
        int,
        Field(ge=0, description="Tokens that a stream may have on a link; 0: what its receive buffer holds."),
        Option(("size-fifos",), unit="tokens"),
    ] = 0
    channels: Annotated[
        ChannelUse,
        Field(description="Memory channels apart for large DMAs, or shared by all together."),
        Option(("assign-channels",), level="resources"),
    ] = "auto"
    tiers: Annotated[
        Names,
        Field(description="Arguments (patterns of names) in another memory of the card than its HBM."),
        Option(("assign-channels{tiers}",), "--tier", metavar="NAME=ddr", pairs=True, level="resources"),
    ] = ()
    cache_page: Annotated[
        int,
        Field(ge=0, description="Positions of a page of the caches, which no burst goes beyond; 0: no pages."),
        Option(("assign-channels",), level="resources", unit="positions"),
    ] = 0
    uneven_percent: Annotated[
        int,
        Field(ge=0, le=100, description="More than an even share that one of the channels shared by all may carry."),
        Option(("assign-channels{uneven}",), level="resources", unit="%"),
    ] = 5
    slices_per_channel: Annotated[
        int,
        Field(ge=1, le=16, description="Slices per channel on average, where all share all channels."),
        Option(("assign-channels{slices}",), level="resources", unit="slices"),
    ] = 3
    seldom_bursts: Annotated[
        int,
        Field(ge=0, le=16, description="Bursts in flight of small parameters' DMAs (--flow rtl); 0: the board's."),
        Option(("assign-channels{seldom}",), formerly=("--seldom-port-bursts",), level="resources", unit="bursts"),
    ] = 0
    generate: Annotated[
        int,
        Field(ge=1, description="Tokens that one launch makes, with --head and all --layers."),
        Option(("loop-tokens{tokens}",)),
    ] = 1
    positions: Annotated[
        bool,
        Field(description="The card adds a learned position to a token's embedding; set with --generate."),
        Option(("add-positions{}",), on_command_line=False),
    ] = False
    attention: Annotated[
        Attention,
        Field(description="Softmax over all positions, or by chunks under a running maximum."),
        Option(("online-softmax{}",)),
    ] = "three-pass"
    attention_maximum: Annotated[
        Maximum,
        Field(description="Of attention in one pass: a chunk's weights are under its own maximum, or the running one."),
        Option(("online-softmax{maximum}",)),
    ] = "chunk"
    attention_chunk: Annotated[
        int,
        Field(ge=1, description="Positions at a time of attention in one pass; divides the context."),
        Option(("online-softmax{chunk}",), unit="positions"),
    ] = 64
    passes: Annotated[
        Names,
        Field(
            description="Passes of extensions that run besides; see sttest opt --list.",
            exclude_if=lambda names: not names,
        ),
        Option((), "--pass", metavar="PASS{option=value}"),
    ] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_today(cls, data: Any) -> Any:
        """Old names become those of today, and lists, which JSON and YAML have for tuples, become tuples."""
        if not isinstance(data, dict):
            return data
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        return {_todays_name(cls, name, given): value for name, value in given.items()}

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.own_units and self.share == "none":
            raise InputError(
                "nothing-shared",
                "no tasks share a functional unit, so none can have one of their own",
                where="own_units (--own-unit)",
                hints=["add --share weights or --share all"],
            )
        if self.seldom_bursts and self.flow == "hls":
            # DMAs that share an AXI port of Vitis HLS have one option for all of them.
            raise InputError(
                "ports-shared",
                "ports of Vitis HLS have as many bursts in flight for each DMA behind them",
                where="seldom_bursts (--seldom-bursts)",
                hints=["add --flow rtl"],
            )
        if self.attention == "one-pass" and self.generate > 1:
            # A cache that grows on the card has its free places behind, so its chunks are not those of the golden.
            raise InputError(
                "one-pass-generation",
                "attention in one pass is for launches of one token",
                where="attention (--attention)",
                hints=["take three-pass", "compile without --generate"],
            )
        return self

    def with_(self, **changes: Any) -> Self:
        """These options with other values, which are checked.

        >>> CompileOptions().with_(layers=2).layers
        2
        """
        return type(self)(**{**self.given, **changes})

    def for_pass(self, name: str) -> dict[str, Any]:
        """The arguments of a pass that are options of the compiler."""
        return {argument: getattr(self, field) for field, argument in _arguments(type(self), name)}

    @property
    def given(self) -> dict[str, Any]:
        """The options that were set, be it to their defaults."""
        return {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}

    def over(self, base: "CompileOptions", *, without: Collection[str] = ()) -> "CompileOptions":
        """A base with the options that are set here; what is repeated comes behind that of the base.

        >>> CompileOptions(tiles=("b:2",), layers=3).over(CompileOptions(tiles=("a:1",), first_lanes=8)).given
        {'tiles': ('a:1', 'b:2'), 'first_lanes': 8, 'layers': 3}
        """
        own = {name: value for name, value in self.given.items() if name not in without}
        joined = {name: (*getattr(base, name), *value) for name, value in own.items() if isinstance(value, tuple)}
        return base.with_(**{**own, **joined})

    def command_line(self) -> list[str]:
        """The words of ``sttest compile`` that give these options; those at their defaults are left out.

        >>> CompileOptions(tiles=("scores:1x64",), layers=2).command_line()
        ['--task-tile', 'scores=1x64', '--layers', '2']
        """
        words: list[str] = []
        for name, field, option in options_of(type(self)):
            value = getattr(self, name)
            if value == field.default or not option.on_command_line:
                continue
            flag = flag_of(name, option)
            if isinstance(value, tuple):
                entries = ("=".join(entry.rsplit(":", 1)) if option.pairs else entry for entry in value)
                words += [word for entry in entries for word in (flag, entry)]
            else:
                words += [flag] if value is True else [flag, str(value)]
        return words


def options_of(model: type[CompileOptions] | None = None) -> Iterator[tuple[str, FieldInfo, Option]]:
    """Every option: its name, its field and what else is known of it."""
    for name, field in (model or CompileOptions).model_fields.items():
        known = (each for each in field.metadata if isinstance(each, Option))
        yield name, field, next(known, Option())


def flag_of(name: str, option: Option) -> str:
    """The spelling on the command line."""
    return option.flag or f"--{name.replace('_', '-')}"


def bound_of(field: FieldInfo, which: Literal["ge", "le"]) -> int | None:
    """The lowest (``ge``) or highest (``le``) value of a field; None if there is no such bound."""
    return next((getattr(each, which) for each in field.metadata if hasattr(each, which)), None)


def choices_of(field: FieldInfo, option: Option) -> tuple[Value, ...]:
    """The values that the command line accepts; empty if it accepts any of the field's type."""
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else option.choices


def accepts(name: str, value: Value) -> bool:
    """Whether an option can have a value."""
    try:
        CompileOptions.model_validate({name: value})
    except (ValidationError, InputError):
        return False
    return True


@cache
def renamed(model: type[CompileOptions] | None = None) -> dict[str, str]:
    """Names and flags of earlier versions, and what they are today."""
    return {
        old: flag_of(name, option) if old.startswith("--") else name
        for name, _, option in options_of(model)
        for old in option.formerly
    }


def todays_option_keys(data: Any) -> Any:
    """Data of a file whose options stand under ``knobs``, their key of earlier versions, under that of today."""
    return todays_keys(data, {"knobs": "options", "step_knobs": "step_options"})


def study_keys() -> list[str]:
    """The options that a study sets one value of: not the precision, which it sets by itself, nor names of tasks."""
    return [name for name, field, _ in options_of() if name != "precision" and field.annotation is not Names]


def _todays_name(model: type[CompileOptions], name: str, given: dict[str, Any]) -> str:
    today = renamed(model).get(name, name)
    if today == name or today in given:
        return name
    note_renamed(name, today)
    return today


@cache
def _arguments(model: type[CompileOptions], pass_name: str) -> tuple[tuple[str, str], ...]:
    """Options that a pass takes, with the pass's names for them."""
    found: list[tuple[str, str]] = []
    for name, _, option in options_of(model):
        for taker in option.passes:
            taken_by, _, argument = taker.rstrip("}").partition("{")
            if taken_by == pass_name and not taker.endswith("{}"):
                found.append((name, argument.replace("-", "_") or name))
    return tuple(found)


# --- The table of docs/reference/options.md, which the site inserts


def options_table() -> str:
    """The options as a Markdown table."""
    lines = ["| option | in Python and YAML | values | default | searched | pass | meaning |", "|---" * 7 + "|"]
    for name, field, option in options_of():
        flag = f"`{flag_of(name, option)}`" if option.on_command_line else ""
        default = "" if field.default == () else f"`{field.default}`".lower()
        searched, passes = _listed(option.search), _listed([each.removesuffix("{}") for each in option.passes])
        values = _values(field, option)
        lines.append(
            f"| {flag} | `{name}` | {values} | {default} | {searched} | {passes} | {field.description or ''} |"
        )
    return "\n".join(lines) + "\n"


def _values(field: FieldInfo, option: Option) -> str:
    choices, low, high = choices_of(field, option), bound_of(field, "ge"), bound_of(field, "le")
    if choices:
        return f"{_listed(choices)} {option.unit}".rstrip()
    if field.annotation is Names:
        return f"`{option.metavar}`, repeated" if option.metavar else "`name:lanes`"
    if field.annotation is bool:
        return "a switch"
    bounds = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
    return f"{option.unit or 'count'}, {' and '.join(bounds)}".rstrip(", ")


def _listed(values: Sequence[object]) -> str:
    return ", ".join(f"`{value}`" for value in values)
