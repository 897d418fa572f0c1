"""The bitcode that was scheduled, ``a.o.3.bc``: what is in its blocks, and its text for execution.

Only a child process imports this: LLVM ends a process whose bitcode it does not like.  Text is put together function by
function, for attributes and metadata of old bitcode trip assertions of today's LLVM when they are printed or compiled.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from sttest.importers.solution import intrinsics
from sttest.importers.solution.program import BlockCode, CallCode, FunctionCode, ReachableCode

_NOT_HARDWARE = re.compile(r"_ssdm|llvm\.|_autotb")
_SPECIFIES = re.compile(r"_ssdm_op_Spec|_ssdm_Spec")
_RETURN = "_ssdm_op_Return"
_SYMBOL = re.compile(r'@("[^"]*"|[-\w.$]+)')
_METADATA = re.compile(r",? ![\w.]+ !\d+")
_ATTRIBUTES = re.compile(r" #\d+(?=,|$| )")
_PARAMETER_ATTRIBUTE = re.compile(
    r" (noalias|nocapture|readonly|readnone|writeonly|nonnull|zeroext|signext|noundef|captures\(none\)"
    r"|dereferenceable\(\d+\)|range\([^)]*\)|align \d+)(?= )"
)
_CHANNEL = re.compile(r"@_ssdm_op_SpecChannel\((.*)\)")
_ALLOWED = re.compile(
    r"llvm\.(?!part\.)|(sqrt|exp|log|sin|cos|tan|atan|pow|floor|ceil|round|trunc|fabs|fmin|fmax|fmod|rint)f?$"
)
"""Functions outside of the bitcode that it may call."""


class UnreadableError(Exception):
    """The bitcode does something that nobody here understands; the text says what."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of the top: ``type`` is LLVM's, ``bits`` those of an element that it points to, 0 if nobody knows."""

    name: str
    type: str
    bits: int


@dataclass
class RecordedModule:
    """A module's text with recorders, what is in it, and the parameters of its top."""

    text: str
    code: ReachableCode
    parameters: list[Parameter]


def executable(data: bytes, top: str) -> RecordedModule:
    """The bitcode from its top on.

    Raises:
        UnreadableError: it is none, has no such top, or calls what is not there.
    """
    try:
        module = llvm.parse_bitcode(data)
    except RuntimeError as error:
        raise UnreadableError(f"the bitcode is damaged ({' '.join(str(error).split()):.120})") from error
    functions = {each.name: each for each in module.functions}
    if top not in functions or functions[top].is_declaration or _NOT_HARDWARE.match(top):
        raise UnreadableError(f"the bitcode has no function '{top}'")
    return _Writer(module, functions).write(top)


def signature(function: Any) -> tuple[str, list[str], bool]:
    """Type of the result, types of the parameters, and whether it takes further arguments."""
    text = str(function.global_value_type).strip()
    depth, place = 0, len(text)
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if depth == 0:
            break
    parameters = intrinsics.split_arguments(text[place + 1 : -1])
    takes_more = bool(parameters) and parameters[-1] == "..."
    return text[:place].strip(), parameters[:-1] if takes_more else parameters, takes_more


def quoted(name: str) -> str:
    """A symbol as text has it."""
    escaped = name.replace("\\", "\\5C").replace('"', "\\22")
    return f'@"{escaped}"'


class _Writer:
    """Puts the text of a module together."""

    def __init__(self, module: Any, functions: dict[str, Any]) -> None:
        self.module, self.functions = module, functions
        self.globals = {each.name: each for each in module.global_variables}
        self.code = ReachableCode([], {}, [])
        self.bodies: dict[str, list[str]] = {}

    def write(self, top: str) -> RecordedModule:
        lines = [str(each) for each in self.module.struct_types if "= type" in str(each)]
        waiting, seen = [top], {top}
        while waiting:
            name = waiting.pop()
            text = self._symbol(name)
            lines.append(text)
            for found in _references(text):
                if found not in seen and (found in self.functions or found in self.globals):
                    seen.add(found)
                    waiting.append(found)
        text = "\n".join(lines).replace('@"llvm.part.', '@"xlnx.part.').replace("@llvm.part.", "@xlnx.part.")
        result, types, _ = signature(self.functions[top])
        parameters = [
            Parameter(each.name, kind, self._element_bits(top, place) if kind.startswith("ptr") else 0)
            for place, (each, kind) in enumerate(zip(self.functions[top].arguments, types, strict=True))
        ]
        text += (
            "\n" + intrinsics.needed_selects(text) + intrinsics.RECORDERS + intrinsics.entry(quoted(top), result, types)
        )
        return RecordedModule(text, self.code, parameters)

    def _symbol(self, name: str) -> str:
        if name in self.globals:
            return self._global(name)
        function = self.functions[name]
        result, types, takes_more = signature(function)
        if (own := intrinsics.definition(name, quoted(name), result, types, takes_more=takes_more)) is not None:
            return own
        if function.is_declaration:
            if not _ALLOWED.match(name):
                raise UnreadableError(f"the bitcode calls '{name:.100}', which is not in it")
            more = ["..."] if takes_more else []
            return f"declare {result} {quoted(name)}({', '.join([*types, *more])})"
        parameters = [_PARAMETER_ATTRIBUTE.sub("", str(each)) for each in function.arguments]
        head = f"define {result} {quoted(name)}({', '.join([*parameters, *(['...'] if takes_more else [])])}) {{"
        is_hardware = not _NOT_HARDWARE.match(name)
        body = self._hardware(name, function) if is_hardware else [_plain(str(block)) for block in function.blocks]
        return "\n".join([head, *body, "}"])

    def _global(self, name: str) -> str:
        text = re.sub(r", comdat(\([^)]*\))?", "", _ATTRIBUTES.sub("", _METADATA.sub("", str(self.globals[name]))))
        if re.search(r"= (?:\w+ )*external ", text):
            raise UnreadableError(f"the bitcode uses '{name:.100}', which is not in it")
        return re.sub(r', section "[^"]*"', "", text)

    def _hardware(self, name: str, function: Any) -> list[str]:
        """Text of a function of the design, each block of which tells that it is entered."""
        blocks = list(function.blocks)
        places = {block: place for place, block in enumerate(blocks)}
        found: list[BlockCode] = []
        channels: list[str] = []
        lines: list[str] = []
        for block in blocks:
            instructions = list(block.instructions)
            ends = [places[each] for each in instructions[-1].operands if each in places]
            found.append(
                BlockCode(ends, [each for each in map(_call, instructions) if not _SPECIFIES.match(each.callee)])
            )
            self.code.blocks.append((name, len(found) - 1))
            number = len(self.code.blocks) - 1
            text = _ended(str(block), signature(function)[0], number) if _ends_call(found[-1]) else str(block)
            lines += self._recorded(text, number, channels)
        self.code.functions[name] = FunctionCode(found, channels)
        return lines

    def _recorded(self, text: str, number: int, channels: list[str]) -> Iterator[str]:
        told = False
        for line in _plain(text).split("\n"):
            if not told and line.startswith("  ") and " = phi " not in line:
                told = True
                yield f"  call void @sttest.record(i64 {number << 3})"
            yield line
            if channel := _CHANNEL.search(line):
                arguments = intrinsics.split_arguments(channel[1])
                pointer = arguments[6].rpartition(" ")[2]
                depths = [int(each.rpartition(" ")[2]) for each in arguments[4:6]]
                self.code.channels.append((pointer.strip('%@"'), max(depths)))
                channels.append(pointer.strip('%@"'))
                yield f"  call void @sttest.channel(ptr {pointer}, i64 {len(self.code.channels) - 1})"

    def _element_bits(self, name: str, place: int, depth: int = 0) -> int:
        """Bits of what a parameter points to, by how it is used, also in what is called with it."""
        function = self.functions[name]
        if function.is_declaration or depth > 8:  # deeper than designs pass the port of their top on
            return 0
        argument = list(function.arguments)[place]
        for block in function.blocks:
            for each in block.instructions:
                operands = list(each.operands)
                if argument not in operands:
                    continue
                if bits := self._bits_by_use(str(each), each, operands, operands.index(argument), depth):
                    return bits
        return 0

    def _bits_by_use(self, text: str, each: Any, operands: list[Any], place: int, depth: int) -> int:
        if each.opcode == "call":
            callee = operands[-1].name
            if found := re.match(r"_ssdm_op_\w+\.[a-z]\w*(?:\.volatile)?\.(.*)", callee):
                widths = re.findall(r"i(\d+)P|p\d+i(\d+)", found[1])
                chosen = widths[min(place, len(widths) - 1)] if widths else ("", "")
                return int(chosen[0] or chosen[1] or 0)
            known = callee in self.functions and not _NOT_HARDWARE.match(callee)
            return self._element_bits(callee, place, depth + 1) if known else 0
        if each.opcode == "getelementptr":
            return intrinsics.element_bits(re.sub(r".*getelementptr (?:inbounds |nuw |nusw )*", "", text, count=1))
        if each.opcode == "load":
            return intrinsics.element_bits(re.sub(r".*= load (?:volatile )?", "", text, count=1))
        stored = re.match(r"\s*store (?:volatile )?(.*)", text)
        return intrinsics.element_bits(stored[1]) if stored and place == 1 else 0


def _call(each: Any) -> CallCode:
    if each.opcode != "call":
        return CallCode(each.name, each.opcode, "", 0)
    operands = list(each.operands)
    pointers = len(operands) - 1
    callee = operands[-1].name
    return CallCode(
        each.name, "call", callee, pointers // 2 if ".ap_fifo." in callee and "Write" in callee else pointers
    )


def _ends_call(block: BlockCode) -> bool:
    """Whether a call ends with it although it goes on: a loop that is rewound begins its next call there."""
    return bool(block.successors) and any(each.callee == _RETURN for each in block.instructions)


def _ended(text: str, result: str, number: int) -> str:
    """A block that returns in place of going on; the edge to where it went stays, for values there name the block."""
    *before, last = text.rstrip("\n").split("\n")
    target = re.search(r"br label (%\S+)", last)
    if target is None:
        raise UnreadableError(f"a block returns and goes on to several others: {last.strip():.100}")
    ends = f"  br i1 true, label %sttest.return{number}, label {target[1].rstrip(',')}\nsttest.return{number}:"
    return "\n".join([*before, ends, "  ret void" if result == "void" else f"  ret {result} zeroinitializer"])


def _plain(text: str) -> str:
    """A block without attributes, metadata and what is for debuggers."""
    if " asm " in text:
        raise UnreadableError("the bitcode contains assembly language")
    kept = [line for line in text.strip("\n").split("\n") if "metadata " not in line and "#dbg_" not in line]
    return "\n".join(_ATTRIBUTES.sub("", _METADATA.sub("", line)) for line in kept)


def _references(text: str) -> set[str]:
    found = {each.strip('"') for each in _SYMBOL.findall(text)}
    return {re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), each) for each in found}
