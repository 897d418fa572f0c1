"""The manifest of a design package: what was compiled, for which board, with which options, and what came out."""

from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sttest.boards.part import BudgetName
from sttest.compile.options import CompileOptions, todays_option_keys
from sttest.models.quant.scheme import QuantScheme, load_scheme

SCHEMA = "sttest.package/1"
_Value = TypeVar("_Value")
_Maybe = Annotated[_Value | None, Field(default=None, exclude_if=lambda value: value is None)]
"""A key that is left out where there is no value."""
_Count = Annotated[int, Field(ge=0, lt=1 << 63)]
"""How many bytes, cycles or things there are; a file may hold any integer."""


def _tuples(value: Any) -> Any:
    """Lists as tuples: a model that looks at a file's data first gets Python's, of which no list is a tuple."""
    if isinstance(value, dict):
        return {name: _tuples(each) for name, each in cast(dict[Any, Any], value).items()}
    return tuple(map(_tuples, cast(list[Any], value))) if isinstance(value, list) else value


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


class WorkloadEntry(_Section):
    """What the design computes; empty for a text that does not say so."""

    model: _Maybe[str] = None  # name in the registry, or of a configuration
    config: _Maybe[str] = None  # JSON of a model that the registry does not have
    phase: _Maybe[str] = None  # ``prefill`` or ``decode``
    # tokens, context: tokens per launch and in the cache, padding included
    tokens: _Maybe[_Count] = None
    context: _Maybe[_Count] = None
    # asked_tokens, asked_context: the same without padding
    asked_tokens: _Maybe[_Count] = None
    asked_context: _Maybe[_Count] = None
    cards: _Maybe[_Count] = None  # cards that share the block, where there are several
    batch: _Maybe[_Count] = None  # sequences, where there are several, each with so many tokens and its own cache
    head_columns: _Maybe[_Count] = None  # columns of the LM head, where a launch runs it, too


class ConfigurationEntry(_Section):
    """Everything that decides the design."""

    workload: WorkloadEntry
    options: CompileOptions
    board: str
    # fields of a scheme that is none of the shipped ones
    scheme: Annotated[_Maybe[dict[str, str | int | tuple[tuple[str, str], ...] | None]], BeforeValidator(_tuples)] = (
        None
    )

    _todays = model_validator(mode="before")(todays_option_keys)

    @property
    def quant_scheme(self) -> QuantScheme:
        """The scheme that `options.precision` names, or the one that its file held when the design was compiled."""
        return load_scheme(self.options.precision) if self.scheme is None else QuantScheme(**cast(Any, self.scheme))


class PassEntry(_Section):
    """A pass as ``sttest opt -p`` takes it.

    Packages of before say how long it took, too; that differs from run to run, and two packages of one command don't.
    """

    name: str = Field(alias="pass")
    seconds: _Maybe[float] = None


class Intermediates(_Section):
    """Bytes of intermediate results: in memory before fusion, on chip after it."""

    original_bytes: _Count
    converter_bytes: _Count
    fifo_bytes: _Count
    dma_tile_bytes: _Count
    fused_bytes: _Count
    fused_over_original: float | None
    published_fused_over_original: _Maybe[str] = None


class SizingEntry(_Section):
    """Simulated cycles with the depths of the FIFOs, and what those cost; None where the design deadlocks."""

    strategy: str
    cycles: _Count | None
    unbounded_cycles: _Count | None
    lost_cycles: int | None  # below 0 where unbounded FIFOs let some DMAs get ahead on a shared channel
    waits_for_space_cycles: dict[str, _Count]
    fifos_below_their_unbounded_peak: list[str]


class ResourcesEntry(_Section):
    """Resources of the whole design by kind, and as shares of the board's budget."""

    total: dict[str, _Count | float]
    share_of_budget: dict[str, float]
    budget: BudgetName = "published"  # packages of before there was a choice were held to this one
    over_budget: list[str]
    held_bytes: _Count | None = None  # what all memories hold, and what their cells could; packages of before lack them
    cell_bytes: _Count | None = None
    memory_ports: _Count
    hbm_ports: _Count
    cards: _Maybe[_Count] = None  # number of cards, of whose fullest the shares are; none for one


class ClockTime(_Section):
    """A launch of a placed design at a clock of its kernel."""

    case: str
    clock_mhz: float
    cycles: _Count | None
    us: float | None


class Clock(_Section):
    """The clocks that a placed design may reach, a launch at each, and what no routed design has shown to work."""

    times: list[ClockTime]
    remarks: list[str]


class Relays(_Section):
    """Processes of the emitted code at SLR boundaries, and what they take, which no total includes."""

    processes: _Count
    lut: _Count
    ff: _Count


class PartitionEntry(_Section):
    """A design placed on SLRs: fullest share per SLR, wires per boundary, cycles without and with registers there."""

    fullest_share_per_slr: list[float]
    wires_per_boundary: list[_Count]
    hbm_slr: _Count = 0  # SLR beside the HBM
    objective: float
    proven_gap: float
    cycles: _Count | None
    cycles_with_crossing_registers: _Count | None
    relays: Relays | None = None
    clock: Clock | None = None


class InFloatEntry(_Section):
    """A contraction, or an argument, that is not in integers, and why."""

    name: str
    reason: str


class Contractions(_Section):
    """What a scheme of integers has made integers (`sttest.compile.quantization.coverage`)."""

    integers: _Count
    floating: list[InFloatEntry]
    stored: list[InFloatEntry]


class ChoiceEntry(_Section):
    """Which design it is (`sttest.explore.choice`)."""

    choice: str  # what was asked for: ``best``, ``default``, or a file of options
    origin: str
    name: str = ""  # name of the known design, the recipe, or the file
    tried: _Count = 1  # designs that were compiled to find it


class FitPart(_Section):
    """Whether the design fits its board's budget by the resource model (`sttest.compile.resources.fit`)."""

    fits: bool
    budget: BudgetName
    flow: str
    shares: dict[str, float | None]
    short: str = ""  # the first thing that it has too little of
    short_share: float | None = None
    code: str = ""
    why: str = ""
    slrs: list[dict[str, float]] = Field(default_factory=list[dict[str, float]])  # shares of each SLR's budget


class ValuesPart(_Section):
    """The file of the reference graph and the layers of a launch, or why there is none."""

    file: _Maybe[str] = None
    layers: _Maybe[str] = None
    missing: _Maybe[str] = None


class HlsPart(_Section):
    """The name of the kernel in C++, or why there is none; rules of Vitis HLS where a package was checked for them."""

    kernel: _Maybe[str] = None
    missing: _Maybe[str] = None
    rules_checked: _Maybe[_Count] = None
    rules_broken: _Maybe[list[str]] = None


class Manifest(_Section):
    """The content of the file; unknown keys are refused."""

    schema_: str = Field(SCHEMA, alias="schema")
    name: str
    configuration: ConfigurationEntry
    configuration_hash: str
    clock_mhz: Annotated[float, Field(gt=0)]
    groups: _Count
    passes: list[PassEntry]
    intermediates: Intermediates
    sizing: SizingEntry
    versions: dict[str, str]
    resources: ResourcesEntry
    design: _Maybe[ChoiceEntry] = None
    fit: _Maybe[FitPart] = None
    partition: _Maybe[PartitionEntry] = None
    contractions: _Maybe[Contractions] = None
    values: ValuesPart
    hls: HlsPart

    def to_json(self) -> dict[str, Any]:
        """The content of the file."""
        return self.model_dump(mode="json", by_alias=True)
