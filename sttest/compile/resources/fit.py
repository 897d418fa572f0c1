"""Whether a design fits its board by the resource model: the fullest resource of its budget, and what is short."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from sttest.boards.resources import KINDS, Resources, most, share_of, total
from sttest.compile.compiler import CompiledDesign
from sttest.compile.resources.design import DesignResources, design_resources, die_under, refuse_ports
from sttest.compile.spaces.partition import UNITS, Partition, any_partition
from sttest.core.errors import DoesNotFitError

NAMES = {"dsp": "DSP", "lut": "LUT", "ff": "FF", "bram18": "BRAM", "uram": "URAM"}
"""Names of the resources, as tables print them."""
_OF_UNITS = {unit: NAMES[kind] for kind, unit in UNITS.items()}
_SHORT = {"hbm-ports": "HBM ports", "no-partition": "split over SLRs"}
_PLACES = {"process-resources": "/process", "slr-resources": "/SLR"}


@dataclass(frozen=True)
class Fit:
    """What a design takes of its budget, as predicted, and the first thing that it has too little of, if any."""

    budget: str  # name of the board's budget
    flow: str  # what is counted: C++ through Vitis HLS, or SystemVerilog
    # shares of the budget of all SLRs together, of the fullest card; None: asked for, and the board has none
    shares: Mapping[str, float | None]
    short: str = ""  # what is short, such as ``LUT`` or ``HBM ports``; empty where everything suffices
    short_share: float | None = None  # share of what there is of it
    code: str = ""  # code of the refusal
    why: str = ""  # the refusal in words
    # shares of the budget of each SLR, of one assignment that fits; of the fullest card; none where nothing fits
    slrs: tuple[Mapping[str, float], ...] = ()

    @property
    def fits(self) -> bool:
        """Whether the budget holds all, process by process and SLR by SLR, and the long lines between SLRs suffice."""
        return not self.code

    @property
    def fullest(self) -> str:
        """The resource with the largest share of the budget."""
        return max(KINDS, key=lambda kind: _or_infinite(self.shares[kind]))

    @property
    def share(self) -> float | None:
        """Its share."""
        return self.shares[self.fullest]

    def to_text(self) -> str:
        """As in ``yes 87 % LUT``, ``no 145 % LUT``, ``no 120 % LUT/process`` or ``no split over SLRs``."""
        if self.fits:
            return f"yes {_percent(self.share)} {NAMES[self.fullest]}"
        return " ".join(filter(None, ("no", _percent(self.short_share), self.short)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data; :meth:`of` reads it."""
        return asdict(self)

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> "Fit | None":
        """From plain data, where there is any."""
        return None if given is None else cls(**{**given, "slrs": tuple(given.get("slrs", ()))})


def fit_of(design: CompiledDesign) -> Fit:
    """Holds a design against its budget, as ``sttest compile --check-resources`` does; nothing is laid out for speed.

    Raises:
        InputError: its module is not at the stream level.
    """
    taken = design_resources(design)
    cards = taken.cards()
    shares = most(_shares(design, card) for card in cards)
    plain = {kind: _finite(getattr(shares, kind)) for kind in KINDS}
    try:
        placed = [_placed(design, card) for card in cards]
    except DoesNotFitError as error:
        return Fit(design.options.budget, design.options.flow, plain, *_short(error), error.code, str(error))
    slrs = tuple(asdict(most(shares)) for shares in zip(*(each.shares for each in placed), strict=True))
    return Fit(design.options.budget, design.options.flow, plain, slrs=slrs)


def _placed(design: CompiledDesign, card: DesignResources) -> Partition:
    refuse_ports(design, card)
    return any_partition(card.processes(), card.links(), die_under(design, card))


def _short(error: DoesNotFitError) -> tuple[str, float | None]:
    """What a design is refused for, and how much of it is asked for over what there is."""
    if error.code == "no-partition":
        return _SHORT[error.code], None
    name = f"{_OF_UNITS.get(error.unit, _SHORT.get(error.code, error.code))}{_PLACES.get(error.code, '')}"
    return name, _finite(share_of(float(error.demand or 0), float(error.bound or 0)))


def together(fits: Sequence[Fit]) -> Fit:
    """Designs that are on a board at the same time: their shares add up; SLRs are asked for one design at a time."""
    found = replace(fits[0], shares={kind: _sum(each.shares[kind] for each in fits) for kind in KINDS})
    if len(fits) > 1 and _or_infinite(found.share) > 1:
        why = f"{len(fits)} designs together ask for {_percent(found.share)} of the budget's {UNITS[found.fullest]}"
        return replace(found, short=NAMES[found.fullest], short_share=found.share, code="board-resources", why=why)
    short = next((each for each in fits if not each.fits), fits[0])
    return replace(found, short=short.short, short_share=short.short_share, code=short.code, why=short.why)


def _shares(design: CompiledDesign, card: DesignResources) -> Resources:
    return card.total.shares_of(total(die_under(design, card).budgets))


def _finite(share: float) -> float | None:
    return share if isfinite(share) else None


def _or_infinite(share: float | None) -> float:
    return float("inf") if share is None else share


def _sum(shares: Iterable[float | None]) -> float | None:
    return _finite(sum(map(_or_infinite, shares)))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"
