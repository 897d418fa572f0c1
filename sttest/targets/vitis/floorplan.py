"""The SLRs of a placed design as what tools take: pblocks for Vivado, a floorplan for TAPA and RapidStream.

Vitis HLS calls the instance of a function that is called once ``FUNCTION_U0``, that of a FIFO ``FIFO_U``, or by the
number of its word ``FIFO_N_U``.  On the die of U280 and U55C an SLR is
four rows of eight clock regions, and in the grids of AutoBridge, TAPA and RapidStream a row of two slots.  Vivado has
run none of this here.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from sttest.compile.hls.types import legal
from sttest.core.errors import InputError

_CALL = re.compile(r"(?<!#define )STTEST_PROCESS\(\s*(\w+)\s*,\s*(\w+)")
# What the C++ makes of one process: the two halves of a converter, and a name that an argument has already.
_HALF, _AGAIN = re.compile(r"_(fill|drain)(?=(_\d+)?$)"), re.compile(r"_\d+$")
_COLUMNS, _ROWS, _SLOTS = 8, 4, 2


@dataclass(frozen=True)
class Floorplan:
    """The SLR of every function of a kernel, and of the FIFOs that relays read, which are registers at boundaries."""

    slr_of: Mapping[str, int]
    fifos: Mapping[str, int] = field(default_factory=dict)

    def json(self) -> dict[str, str]:
        """Regions by instance, as ``--floorplan-path`` of TAPA and the ``floorplan.json`` of RapidStream have them."""
        return {_instance(name): f"SLOT_X0Y{slr}:SLOT_X{_SLOTS - 1}Y{slr}" for name, slr in self.slr_of.items()}

    def tcl(self, unit: str, title: str) -> str:
        """Pblocks for Vivado, sourced before ``opt_design``; soft, for the placer knows better in the small.

        Args:
            unit: name of the compute unit.
            title: one line.
        """
        lines = [f"# {title}"]
        for slr in sorted(set(self.slr_of.values())):
            region = f"CLOCKREGION_X0Y{_ROWS * slr}:CLOCKREGION_X{_COLUMNS - 1}Y{_ROWS * (slr + 1) - 1}"
            lines += [
                f"create_pblock sttest_slr{slr}",
                f"resize_pblock [get_pblocks sttest_slr{slr}] -add {{{region}}}",
                f"set_property IS_SOFT TRUE [get_pblocks sttest_slr{slr}]",
            ]
        cells = [(_instance(name), slr) for name, slr in self.slr_of.items()]
        cells += [(f"{name}(_[0-9]+)?_U", slr) for name, slr in self.fifos.items()]
        lines += [
            f"add_cells_to_pblock [get_pblocks sttest_slr{slr}] "
            f"[get_cells -quiet -hierarchical -regexp {{.*/{unit}/inst/(.*/)?{pattern}}}]"
            for pattern, slr in cells
        ]
        return "\n".join([*lines, ""])


def floorplan(text: str, slr_of: Mapping[str, int], relays: Collection[str] = ()) -> Floorplan:
    """The floorplan of a kernel.

    Args:
        text: text of the C++.
        slr_of: SLR by process, without the HBM.
        relays: those of them that are relays.

    Raises:
        InputError: processes and functions are not each other's.
    """
    first_argument = dict(_CALL.findall(text))
    functions, between = list(first_argument), set(map(legal, relays))
    slr_of = {legal(process): slr for process, slr in slr_of.items()}
    process_of = {name: _process(name, slr_of) for name in functions}
    strange = [name for name, process in process_of.items() if process is None]
    left = sorted(slr_of.keys() - set(process_of.values()))
    twice = _twice(process for name, process in process_of.items() if process and not _HALF.search(name))
    for names, what in ((strange, "has no process"), (left, "has no function"), (twice, "has two functions")):
        if names:
            raise InputError("no-floorplan", f"'{names[0]}' {what}", where="floorplan", hints=["compile it again"])
    slrs = {name: slr_of[process] for name, process in process_of.items() if process}
    return Floorplan(slrs, {first_argument[name]: slr for name, slr in slrs.items() if process_of[name] in between})


def _process(function: str, known: Mapping[str, int]) -> str | None:
    """The process that a function is of."""
    whole = _AGAIN.sub("", function)
    names = (function, _HALF.sub("", function), whole, _HALF.sub("", whole))
    return next((name for name in names if name in known), None)


def _twice(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [name for name in names if name in seen or seen.add(name)]


def _instance(function: str) -> str:
    return f"{function}_U0"
