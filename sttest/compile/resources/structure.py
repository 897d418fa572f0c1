"""What a process is made of before it is synthesized: registers, counters, adders, lanes.  Figures of a few kinds of
it, read off synthesis (`boards/data/synthesized.yaml`), are an estimate of the whole.
"""

import re
from collections import Counter
from math import prod

from sttest.compile.rtl.cells import CellModule
from sttest.compile.rtl.module import ModuleText

_DECLARED = re.compile(r"^ *logic ((?:\[\d+:0\])*) ?([^;()]*);", re.MULTILINE)
_NAME = re.compile(r"\b(\w+)(?: \[(\d+)\])?(?: = [^,]*)?(?:,|$)")
_RANGE = re.compile(r"\[(\d+):0\]")
_CLOCKED = re.compile(r"always_ff[^\n]*(?:\n(?!  (?! ))[^\n]*)*")
_ASSIGNED = re.compile(r"\b(\w+)(?:\[[^;]*?\])? <= ")
_COUNTER, _STATE = re.compile(r"c\d+_(?:x\d+|phase|on)$"), re.compile(r"(?:^|_)(?:stage|run|pass|ended)$")
_LINE = re.compile(r"= (\w+_was)\[\d+ -: (\d+)\]")
_INSTANCES = re.compile(r"for \(genvar (\w+) = 0; \1 < (\d+); \1\+\+\)")
SHORTEST_LINE = 3
"""Registers in a row that are a shift register in LUTs."""


def structure_of(module: ModuleText) -> Counter[str]:
    """The amounts of a process: bits of registers by what they are for, bits in shift registers, arithmetic, sides."""
    found = Counter[str]({"processes": len(module.processes), "sides": len(module.sides)})
    found.update(module.arithmetic)
    clocked = {name for block in _CLOCKED.findall(module.body) for name in _ASSIGNED.findall(block)}
    sizes, lines = dict[str, int](), dict(_LINE.findall(module.body))
    for ranges, names in _DECLARED.findall(module.body):
        bits = 1
        for high in _RANGE.findall(ranges):
            bits *= int(high) + 1
        for name, count in _NAME.findall(names.strip()):
            if name in clocked:
                line = int(lines.get(name, bits))
                found.update(_registers(name, line, int(count or bits // line)))
                sizes[name] = bits * int(count or 1)
    # Running values of one step are the result that is given: synthesis makes them the same registers.
    if sizes.get("kept0") == sizes.get("out0"):
        found["register bits"] -= sizes.get("kept0", 0)
    return found


def _registers(name: str, bits: int, count: int) -> dict[str, int]:
    if _COUNTER.search(name):
        return {"counters": int(name.endswith("_on")), "counter bits": bits}
    if _STATE.search(name):
        return {"state bits": bits}
    if name.startswith("bank"):
        return {"banks": 1} if count == 1 else {}
    if "_skew" in name and count >= SHORTEST_LINE:
        return {"skew bits": bits * -(-count // 16)}
    if ("_late" in name or "_was" in name) and count >= SHORTEST_LINE:
        return {"shift bits": bits * -(-count // 16)}
    return {"register bits": bits * count}


def lanes_of(module: ModuleText) -> dict[CellModule, int]:
    """The parts of a process with the numbers of their instances."""
    counts, loops = {part.name: 0 for part in module.parts}, list[int]()
    for line in module.body.splitlines():
        text = line.strip()
        if loop := _INSTANCES.match(text):
            loops.append(int(loop[2]))
        elif text.startswith(("end", "generate")):
            loops = []
        elif (name := text.partition(" ")[0]) in counts and name != text:
            counts[name] += prod(loops)
    return {part: counts[part.name] for part in module.parts}
