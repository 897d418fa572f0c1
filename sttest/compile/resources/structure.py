"""What a process is made of before it is synthesized: registers, counters, adders, lanes.  Figures of a few kinds of
it, read off synthesis (`boards/data/synthesized.yaml`), are an estimate of the whole.
"""

from collections import Counter

from sttest.compile.rtl.cells import CellModule
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.tree import Register, instances_in, registers_in

SHORTEST_LINE = 3
"""Registers in a row that are a shift register in LUTs."""


def structure_of(module: ModuleText) -> Counter[str]:
    """The amounts of a process: bits of registers by what they are for, bits in shift registers, arithmetic, sides."""
    found = Counter[str]({"processes": len(module.processes), "sides": len(module.sides)})
    found.update(module.arithmetic)
    registers = {name: each for name, each in registers_in(module.nodes).items() if each.kind == "logic"}
    for register in registers.values():
        merged = registers.get(register.same_as)
        found.update(_amounts(register) if merged is None or merged.bits != register.bits else {})
    return found


def _amounts(register: Register) -> dict[str, int]:
    bits = register.bits
    match register.role:
        case "iterator":
            return {"counters": 1, "counter bits": bits}
        case "counter":
            return {"counter bits": bits}
        case "state":
            return {"state bits": bits}
        case "memory":
            return {}
        case "bank":
            return {"banks": 1}
        case ("delay" | "skew") as role if register.row >= SHORTEST_LINE:
            line = bits // register.row * -(-register.row // 16)
            return {"shift bits" if role == "delay" else "skew bits": line}
        case _:
            return {"register bits": bits}


def lanes_of(module: ModuleText) -> dict[CellModule, int]:
    """The parts of a process with the numbers of their instances."""
    counts = Counter[str]()
    for instance, times in instances_in(module.nodes):
        counts[instance.module] += times
    return {part: counts[part.name] for part in module.parts}
