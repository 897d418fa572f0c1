"""LLVM's IR as text: functions, blocks, instructions and natural loops, with the lines that they are from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

NAME = re.compile(r'%(?:"[^"]*"|[\w.$-]+)')
_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_DEFINE = re.compile(r'^define\s.*?@(?P<name>"[^"]*"|[\w.$-]+)\(')
_RESULT = re.compile(r'^\s+(%(?:"[^"]*"|[\w.$-]+)) = (?:(?:tail|musttail|notail) )?(\S+)')
_PLAIN = re.compile(r"^\s+(?:(?:tail|musttail|notail) )?(\S+)")
_TARGET = re.compile(r'label (%(?:"[^"]*"|[\w.$-]+))')
_POINTER = re.compile(r'\bptr (%(?:"[^"]*"|[\w.$-]+))')
_DEBUG = re.compile(r"!dbg (!\d+)")
_CALLEE = re.compile(r'@("[^"]*"|[\w.$-]+)\(')
_METADATA = re.compile(r"^(!\d+) = (?:distinct )?(.*)$")


@dataclass
class Instruction:
    """One instruction; ``operands`` are names of values, with labels."""

    text: str
    result: str
    opcode: str

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """Names of values in it, without its own."""
        text = self.text.partition(" = ")[2] if self.result else self.text
        return tuple(NAME.findall(text.partition(", !dbg")[0]))

    @cached_property
    def callee(self) -> str:
        """Of a call, the function that is named; empty where a value is called."""
        found = _CALLEE.search(self.text) if self.opcode in ("call", "invoke") else None
        return found[1].strip('"') if found else ""

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Of a call of a named function, the values that it is given, constants too."""
        if not self.callee:
            return ()
        start = self.text.index("(", self.text.index("@"))
        given = split_arguments(self.text[start + 1 : closing(self.text, start)])
        return tuple(each.rsplit(None, 1)[-1] for each in given)

    @property
    def location(self) -> str:
        """Its debug location, ``!N``; empty where it has none."""
        found = _DEBUG.search(self.text)
        return found[1] if found else ""


@dataclass
class BasicBlock:
    """A basic block, the last instruction of which is its terminator."""

    name: str
    head: str  # the line of its label
    instructions: list[Instruction] = field(default_factory=list)

    @cached_property
    def successors(self) -> tuple[str, ...]:
        """Names of the blocks that may follow."""
        return tuple(dict.fromkeys(_TARGET.findall(self.instructions[-1].text)))


@dataclass(eq=False)
class NaturalLoop:
    """A natural loop; ``number`` is set by who lays the design out."""

    header: str
    blocks: set[str]
    parent: "NaturalLoop | None" = None
    number: int = -1
    inner: "list[NaturalLoop]" = field(default_factory=list)


@dataclass
class IrFunction:
    """A defined function."""

    name: str
    head: str
    blocks: dict[str, BasicBlock] = field(default_factory=dict)

    @cached_property
    def parameters(self) -> list[str]:
        """Type, attributes and name of each parameter, as they are written."""
        start = self.head.index("(", self.head.index("@"))
        return split_arguments(self.head[start + 1 : closing(self.head, start)])

    @cached_property
    def parameter_names(self) -> list[str]:
        """Names of the parameters, with ``%``."""
        return [NAME.findall(each)[-1] if "%" in each else "" for each in self.parameters]

    @property
    def result_type(self) -> str:
        """Such as ``void`` or ``i32``, with attributes before it."""
        return self.head.partition("@")[0].split()[-1]

    def instructions(self) -> Iterator[tuple[BasicBlock, Instruction]]:
        """All of them, with their blocks."""
        for block in self.blocks.values():
            for each in block.instructions:
                yield block, each

    @cached_property
    def definitions(self) -> dict[str, Instruction]:
        """Instructions by the value that they give."""
        return {each.result: each for _, each in self.instructions() if each.result}

    @cached_property
    def predecessors(self) -> dict[str, list[str]]:
        """Blocks before each block."""
        found: dict[str, list[str]] = {name: [] for name in self.blocks}
        for name, block in self.blocks.items():
            for each in block.successors:
                found[each].append(name)
        return found

    @cached_property
    def loops(self) -> list[NaturalLoop]:
        """Outer loops before those in them, in the order of their headers."""
        order = ordered(next(iter(self.blocks)), {name: block.successors for name, block in self.blocks.items()})
        place = {name: number for number, name in enumerate(order)}
        above = dominators(order, self.predecessors)
        found: dict[str, NaturalLoop] = {}
        for name in order:
            for header in self.blocks[name].successors:
                if _dominates(above, header, name):
                    loop = found.setdefault(header, NaturalLoop(header, {header}))
                    self._collect(loop, name, place)
        loops = sorted(found.values(), key=lambda each: (-len(each.blocks), place[each.header]))
        for number, loop in enumerate(loops):
            around = [each for each in loops[:number] if loop.header in each.blocks and each.header != loop.header]
            loop.parent = min(around, key=lambda each: len(each.blocks), default=None)
        loops.sort(key=lambda each: place[each.header])
        for loop in loops:
            if loop.parent is not None:
                loop.parent.inner.append(loop)
        return loops

    def _collect(self, loop: NaturalLoop, latch: str, known: Mapping[str, int]) -> None:
        todo = [latch]
        while todo:
            name = todo.pop()
            if name not in loop.blocks and name in known:
                loop.blocks.add(name)
                todo += self.predecessors[name]

    @cached_property
    def loop_of(self) -> dict[str, NaturalLoop | None]:
        """The innermost loop of each block."""
        found: dict[str, NaturalLoop | None] = dict.fromkeys(self.blocks)
        for loop in sorted(self.loops, key=lambda each: -len(each.blocks)):
            found |= dict.fromkeys(loop.blocks, loop)
        return found

    def base_of(self, value: str) -> str:
        """The pointer that an address is reckoned from."""
        seen = 0
        while value in self.definitions and seen < 64:
            made = self.definitions[value]
            # The first name in it may be that of a type.
            found = _POINTER.search(made.text.partition(" = ")[2])
            if made.opcode not in ("getelementptr", "bitcast", "addrspacecast") or found is None:
                break
            value, seen = found[1], seen + 1
        return value


def scalar_name(name: str) -> str:
    """What a parameter is called in the source: one that a class has may be passed as a number."""
    return re.sub(r"\.coerce\d*$", "", name.strip('%"'))


def ordered(entry: str, successors: Mapping[str, Sequence[str]]) -> list[str]:
    """Reachable nodes of a graph in reverse postorder."""
    seen, done = {entry}, list[str]()
    stack = [(entry, iter(successors[entry]))]
    while stack:
        name, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            done.append(name)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(successors[following])))
    return done[::-1]


def dominators(order: Sequence[str], predecessors: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Immediate dominators; Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm"."""
    place = {name: number for number, name in enumerate(order)}
    above = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for name in order[1:]:
            known = [each for each in predecessors[name] if each in above]
            found = known[0]
            for each in known[1:]:
                while each != found:
                    while place[each] > place[found]:
                        each = above[each]
                    while place[found] > place[each]:
                        found = above[found]
            if above.get(name) != found:
                above[name], changed = found, True
    return above


def _dominates(above: Mapping[str, str], upper: str, name: str) -> bool:
    while name != upper and above[name] != name:
        name = above[name]
    return name == upper


def closing(text: str, start: int) -> int:
    """Place of the bracket that closes the one at ``start``."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{<") - (text[place] in ")]}>")
        if not depth:
            return place
    return len(text)


def split_arguments(text: str) -> list[str]:
    """Parts between commas that stand in no bracket."""
    found, depth, start = list[str](), 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            found.append(text[start:place].strip())
            start = place + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found


@dataclass
class IrModule:
    """A module's text in parts: what stands before, between and after its functions stays as it is."""

    lines: list[str | IrFunction]
    metadata: dict[str, str]

    @property
    def functions(self) -> list[IrFunction]:
        """The defined ones."""
        return [each for each in self.lines if isinstance(each, IrFunction)]

    def subprogram(self, function: IrFunction) -> tuple[str, str, int]:
        """Name, file and line of a function's declaration in the source."""
        found = re.search(r"!dbg (!\d+) \{", function.head)
        text = self.metadata.get(found[1], "") if found else ""
        return _string(text, "name") or function.name, self._file(text), _number(text, "line")

    def place(self, location: str, own: str) -> tuple[str, int]:
        """File and line of a debug location; what was inlined from files below ``own`` is where it was called.

        Nothing where that is not known, as in a function without debug information.
        """
        file, line, _ = self.scope(location, own)
        return ("", 0) if file.startswith(own) else (file, line)

    def scope(self, location: str, own: str) -> tuple[str, int, str]:
        """As :meth:`place`, and the function that it is in."""
        file, line, name = "", 0, ""
        while location:
            text = self.metadata.get(location, "")
            scope = self.metadata.get(_reference(text, "scope"), "")
            file, line, name = self._file(scope), _number(text, "line"), _string(scope, "name")
            location = _reference(text, "inlinedAt") if file.startswith(own) or "/include/" in file else ""
        return file, line, name

    def start_of(self, loop_metadata: str) -> tuple[str, int, int]:
        """File, line and column of a loop; zero where they are not known."""
        found = re.findall(r"!\d+", self.metadata.get(loop_metadata, ""))
        for each in found[1:2]:
            text = self.metadata.get(each, "")
            if text.startswith("!DILocation"):
                scope = self.metadata.get(_reference(text, "scope"), "")
                return self._file(scope), _number(text, "line"), _number(text, "column")
        return "", 0, 0

    def _file(self, scope: str) -> str:
        text = self.metadata.get(_reference(scope, "file"), "")
        name, folder = _string(text, "filename"), _string(text, "directory")
        return name if name.startswith("/") or not folder else f"{folder}/{name}"


def _reference(text: str, key: str) -> str:
    found = re.search(rf"\b{key}: (!\d+)", text)
    return found[1] if found else ""


def _number(text: str, key: str) -> int:
    found = re.search(rf"\b{key}: (\d+)", text)
    return int(found[1]) if found else 0


def _string(text: str, key: str) -> str:
    found = re.search(rf'\b{key}: "((?:[^"\\]|\\.)*)"', text)
    return found[1] if found else ""


def parse_module(text: str) -> IrModule:
    """The parts of a module's text."""
    lines: list[str | IrFunction] = []
    metadata: dict[str, str] = {}
    function: IrFunction | None = None
    block: BasicBlock | None = None
    for line in text.split("\n"):
        if function is None:
            found = _DEFINE.match(line)
            if found:
                function, block = IrFunction(found["name"].strip('"'), line), None
                lines.append(function)
                continue
            if entry := _METADATA.match(line):
                metadata[entry[1]] = entry[2]
            lines.append(line)
        elif line == "}":
            function = None
        elif label := _LABEL.match(line):
            block = BasicBlock(f"%{label[1]}", line)
            function.blocks[block.name] = block
        elif line.strip() and not line.lstrip().startswith(";"):
            if block is None:
                block = BasicBlock("%0", "")
                function.blocks[block.name] = block
            _add(block, line)
    return IrModule(lines, metadata)


def _add(block: BasicBlock, line: str) -> None:
    # A switch is written over several lines.
    last = block.instructions[-1] if block.instructions else None
    if last is not None and last.opcode == "switch" and "\n  ]" not in last.text:
        last.text += f"\n{line}"
        return
    found = _RESULT.match(line)
    if found:
        block.instructions.append(Instruction(line, found[1], found[2]))
    elif plain := _PLAIN.match(line):
        block.instructions.append(Instruction(line, "", plain[1]))
