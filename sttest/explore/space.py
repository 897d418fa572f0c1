"""The search space: the options of the compiler that are searched, and those of the search itself.

Three levels, after StreamTensor's design spaces: *tiling* decides tiles, lanes and tokens, *fusion* what shares a
kernel, *resources* what FIFOs take.  Which kind of memory each buffer becomes and which SLR each process lies in are
solved for every design (docs/hardware/resources.md) and are no options.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sttest.compile.options import CompileOptions, Value, accepts, options_of
from sttest.core.errors import InputError, did_you_mean
from sttest.explore import assumptions
from sttest.explore.distributions import WAYS, Lanes, distribute
from sttest.explore.facts import BlockFacts

Point = Mapping[str, Value]
"""One choice per option."""
SHIFT = "shift."
OTHERS = f"{SHIFT}others"
PRODUCTS = "products"
_EVERY = "*"
_PRODUCTS: Mapping[str, dict[str, Any]] = {
    "pairs": {},
    **{f"chains-{length}": {"cascades": (f"{_EVERY}:{length}",)} for length in (4, 8, 16)},
    "lut": {"fabric": (_EVERY,)},
}
"""What sums of products of integers are made of: pairs of DSPs, chains, which save LUTs and cost cycles, or LUTs, which
save DSPs; as options of the compiler."""


@dataclass(frozen=True)
class Domain:
    """An option of the search."""

    name: str  # name of the option
    level: str  # ``tiling``, ``fusion`` or ``resources``
    choices: tuple[Value, ...]  # choices that a search tries
    possible: Callable[[Value], bool]  # whether a value that a user gives instead makes sense
    unit: str = ""  # unit of the choices

    def restricted(self, values: Sequence[str]) -> "Domain":
        """The option with other choices, as written on a command line.

        Raises:
            InputError: a value that the option can't take.
        """
        kind = type(self.choices[0])
        try:
            choices = tuple(dict.fromkeys(kind(value) for value in values))
        except ValueError:
            choices = ()
        if not choices or not all(map(self.possible, choices)):
            raise InputError(
                "bad-option", f"'{','.join(values)}' is nothing for {self.name}", where="--option",
                hints=[f"write it as in --option {self.name}={','.join(map(str, self.choices))}"],
            )  # fmt: skip
        return replace(self, choices=choices)


def _between(low: int, high: int) -> Callable[[Value], bool]:
    return lambda value: isinstance(value, int) and low <= value <= high


def _domains() -> tuple[Domain, ...]:
    """The search's own options, and the compiler's that have values to try."""
    own = (
        Domain("lanes_by", "tiling", ("chain", "pace", "ia+ca"), lambda value: value in WAYS),
        Domain("budget_percent", "tiling", tuple(range(15, 75, 5)), _between(1, 100), "% of the board"),
        Domain("c_max_percent", "fusion", (100,), _between(1, 100), "% of on-chip memory"),
    )
    options = (
        Domain(name, option.level, option.search, partial(accepts, name), option.unit)
        for name, _, option in options_of()
        if option.search
    )
    return tuple(sorted((*own, *options), key=_place))


_DRAWN_FIRST = (
    "tile_size", "vector_bits", "lanes_by", "budget_percent", "gemv_lanes", "share", "c_max_percent", "beat_bits",
    "prefetch_kib", "strategy",
)  # fmt: skip
"""The order in which samplers draw: a seed's points would be others in another order.  Newer options come after."""


def _place(domain: Domain) -> int:
    return _DRAWN_FIRST.index(domain.name) if domain.name in _DRAWN_FIRST else len(_DRAWN_FIRST)


_SHIFTS = (-1, 0, 1)


def space_of(facts: BlockFacts, only: Mapping[str, Sequence[str]]) -> tuple[Domain, ...]:
    """The options for a block: the general ones, a shift of the lanes of each of its large contractions, and what sums
    of products of integers are made of, where it has some.

    Args:
        facts: facts of the block at any tile size.
        only: other choices for some options.

    Raises:
        InputError: an option that is not there, or a value that it can't take.
    """
    all_work = sum(task.work for task in facts.tasks)
    large = [task.name for task in facts.tasks if task.contraction and task.work >= assumptions.LEAST_WORK * all_work]
    shifts = (Domain(f"{SHIFT}{name}", "tiling", _SHIFTS, _between(-10, 10), "doublings") for name in large)
    others = Domain(OTHERS, "tiling", _SHIFTS, _between(-10, 10), "doublings")
    has_products = any(task.sums_products for task in facts.tasks)
    products = (Domain(PRODUCTS, "tiling", tuple(_PRODUCTS), lambda value: value in _PRODUCTS),) * has_products
    domains = {domain.name: domain for domain in (*_domains(), *shifts, others, *products)}
    for name, values in only.items():
        if name not in domains:
            raise InputError("unknown-option", f"no '{name}'", where="--option", hints=[did_you_mean(name, domains)])
        domains[name] = domains[name].restricted(values)
    return tuple(domains.values())


def parse_only(given: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """``NAME=V,V`` as they come from a command line.

    Raises:
        InputError: not of that form.
    """
    found = {}
    for entry in given:
        name, equals, values = entry.partition("=")
        if not name or not equals or not values:
            raise InputError("bad-option", f"'{entry}' is no choice", where="--option", hints=["write NAME=V,V"])
        found[name] = tuple(values.split(","))
    return found


def tiling_of(point: Point, base: CompileOptions) -> CompileOptions:
    """The compiler's options of a point over those that all have, but for the lanes."""
    own: dict[str, Any] = {name: point[name] for name, _, option in options_of() if option.search}
    return base.with_(**own, **_PRODUCTS[str(point.get(PRODUCTS, "pairs"))])


def lanes_of(point: Point, facts: BlockFacts) -> Lanes:
    """The lanes that a point gives the tasks of its tiling.

    Raises:
        DoesNotFitError: not even the fewest lanes fit its budget.
    """
    lanes = distribute(facts, str(point["lanes_by"]), int(point["budget_percent"]) / 100)
    for engine in facts.engines:
        # Tasks that take turns have the same lanes: the first one's shift is that of all.
        first = engine.tasks[0].name
        shifted = engine.at_most(lanes[first] * 2.0 ** int(point.get(f"{SHIFT}{first}", point[OTHERS])))
        lanes |= {task.name: shifted for task in engine.tasks}
    return lanes


def resolved(options: CompileOptions, lanes: Lanes) -> CompileOptions:
    """The compiler's options with every task's lanes spelled out: all that a design is made from."""
    return options.with_(lanes=tuple(f"{name}:{count}" for name, count in lanes.items()))
