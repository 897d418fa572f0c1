"""Protection of emitted SystemVerilog against single bit flips: registers three times, with what two of them say.

The passes work on text, so that a design that asks for none is the one that is emitted without them.  FIFOs whose words
are coded are ``secded.sv``.
"""

import re
from collections.abc import Collection

_DECLARED = re.compile(
    r"^(?P<indent>[ ]*)(?P<type>int|logic(?: \[[^\]]*\]| *(?:\[[^\]]*\])+)*) (?P<names>[A-Za-z_][^;]*);(?: *//.*)?$"
)
_NAME = re.compile(r"^(?P<name>[A-Za-z_]\w*)(?: \[(?P<places>[^\]]+)\])?(?: = (?P<first>.+))?$")
COPIES = ("_t0", "_t1", "_t2")
"""What the names of the three registers end in."""


def triplicated(text: str, names: Collection[str]) -> str:
    """A module whose registers of these names are there three times; who reads one gets the majority.

    A flipped copy is right again when the register is next written.

    Args:
        text: module, one declaration per line.
        names: registers.

    >>> print(triplicated("  logic a = 0, b;\\n  always_ff @(posedge clk) a <= b;", {"a"}))
      logic a_t0 /*verilator public_flat_rw*/ = 0;
      logic a_t1 /*verilator public_flat_rw*/ = 0;
      logic a_t2 /*verilator public_flat_rw*/ = 0;
      logic a;
      assign a = (a_t0 & a_t1) | (a_t1 & a_t2) | (a_t0 & a_t2);
      logic b;
      always_ff @(posedge clk) begin a_t0 <= b; a_t1 <= b; a_t2 <= b; end
    """
    if not names:
        return text
    listed = "|".join(map(re.escape, sorted(names)))
    assigned = re.compile(
        rf"(?P<before>(?:^|;|\bbegin|\bend|\)|\belse)\s*)\b(?P<name>{listed})\b(?P<place>(?:\[[^;]*?\])*)\s*<=(?!=)\s*(?P<value>[^;]+);",
        re.MULTILINE,
    )

    def three(match: re.Match[str]) -> str:
        name, place, value = match["name"], match["place"], match["value"]
        return f"{match['before']}begin {' '.join(f'{name}{copy}{place} <= {value};' for copy in COPIES)} end"

    lines = [line for each in text.splitlines() for line in _declared(each, names)]
    before, found = "", "\n".join(lines)
    while before != found:  # a statement ends in the semicolon that the next one begins behind
        before, found = found, assigned.sub(three, found)
    return found + ("\n" if text.endswith("\n") else "")


def _declared(line: str, names: Collection[str]) -> list[str]:
    """A line, or what stands in its place where it declares some of the registers."""
    match = _DECLARED.match(line)
    if match is None:
        return [line]
    parts = [_NAME.match(part) for part in re.split(r", (?![^\[{(]*[\]})])", match["names"])]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not any(part["name"] in names for part in known):
        return [line]
    indent, kind, lines = match["indent"], match["type"], list[str]()
    for part in known:
        name, places = part["name"], part["places"]
        array, first = f" [{places}]" if places else "", f" = {part['first']}" if part["first"] else ""
        if name not in names:
            lines.append(f"{indent}{kind} {name}{array}{first};")
            continue
        lines += [f"{indent}{kind} {name}{copy}{array} /*verilator public_flat_rw*/{first};" for copy in COPIES]
        lines.append(f"{indent}{kind} {name}{array};")
        at = f"[{name}_place]" if places else ""
        a, b, c = (f"{name}{copy}{at}" for copy in COPIES)
        voted = f"assign {name}{at} = ({a} & {b}) | ({b} & {c}) | ({a} & {c});"
        loop = f"for (genvar {name}_place = 0; {name}_place < {places}; {name}_place++) " if places else ""
        lines.append(f"{indent}{loop}{voted}")
    return lines
