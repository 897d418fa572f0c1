"""Puts calls of the runtime into a design: loops, streams, arrays between processes, and processes that begin.

Functions, loops and sites (instructions that access a stream) are numbered; the runtime and the tables that it is given
know them by their numbers.
"""

import re
from collections.abc import Mapping
from typing import Any

from sttest.importers.cpp.ir import (
    BasicBlock,
    Instruction,
    IrFunction,
    IrModule,
    NaturalLoop,
    closing,
    scalar_name,
    split_arguments,
)

ACCESSES = {
    "sttest_read": "read", "sttest_read_bytes": "read", "sttest_write": "write", "sttest_write_bytes": "write",
    "sttest_wait": "wait", "sttest_untimed": "untimed",
}  # fmt: skip
_SITES = {**ACCESSES, "sttest_task": "call"}
MARKERS = {
    "sttest_pipeline": "pipeline", "sttest_unroll": "unroll", "sttest_flatten": "flatten",
    "sttest_tripcount": "tripcount",
}  # fmt: skip
_LOOP_METADATA = re.compile(r"!llvm\.loop (!\d+)")
_ARRAY = re.compile(r"^\[(\d+) x (.*)\]$")
_GLOBAL = re.compile(r'^@("[^"]*"|[\w.$-]+) = .*?(?:global|constant) (\S.*?) (?:zeroinitializer|undef)', re.MULTILINE)
_SIZES = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64, "half": 16}
_DECLARED = """
declare void @sttest_site(i32)
declare void @sttest_enter(i32)
declare void @sttest_leave()
declare void @sttest_at(i32)
declare void @sttest_iteration(i32)
declare void @sttest_variable(ptr, i64, ptr, ptr, i64)
declare void @sttest_touch(ptr, i32)
declare void @sttest_spawn(ptr, ptr, i64, i32)
declare ptr @sttest_memory()
"""


class Instrumented:
    """A module with calls of the runtime.

    Args:
        module: the design, its helpers inlined.
        roles: what each function is, by name.
        top: the function that is the design.
        values: numbers that are given to the scalars of the top.
        headers: folder of the headers of this package.
    """

    def __init__(
        self, module: IrModule, roles: Mapping[str, str], top: str, values: Mapping[str, str], headers: str
    ) -> None:
        self.module, self.roles, self.top, self.values, self.headers = module, roles, top, values, headers
        self.functions = [each for each in module.functions if roles.get(each.name, "helper") != "helper"]
        self.numbers = {each.name: number for number, each in enumerate(self.functions)}
        self.loops: list[tuple[IrFunction, NaturalLoop]] = []
        self.sites: list[tuple[IrFunction, Instruction, str]] = []
        self.site_of: dict[int, int] = {}
        self.extra: list[str] = [_DECLARED]
        self.texts: dict[str, str] = {}
        self.made = 0
        self.markers: dict[str, dict[str, int]] = {}  # of functions, outside of their loops
        self.loop_markers: list[dict[str, int]] = []
        self.polls: dict[int, str] = {}  # sites that ask a stream again and again until it has something

    def run(self) -> dict[str, Any]:
        """Makes the text; gives functions, loops and sites."""
        for function in self.functions:
            for loop in function.loops:
                loop.number = len(self.loops)
                self.loops.append((function, loop))
            for block, each in function.instructions():
                if each.callee in _SITES:
                    self.site_of[id(each)] = len(self.sites)
                    self.sites.append((function, each, _SITES[each.callee]))
                    if each.callee == "sttest_untimed" and (method := _poll(function, block.name, each)):
                        self.polls[self.site_of[id(each)]] = method
        facts = {
            "top": self.module.subprogram(self.module_function(self.top))[0],
            "functions": [self._function(each) for each in self.functions],
            "loops": [self._loop(function, loop) for function, loop in self.loops],
            "parameters": [*map(_parameter, self.module_function(self.top).parameters)],
        }
        self.markers = {each.name: facts["functions"][number]["markers"] for number, each in enumerate(self.functions)}
        self.loop_markers = [each["markers"] for each in facts["loops"]]
        facts["polls"] = [[site, int(method == "empty")] for site, method in self.polls.items()]
        self.texts = {each.name: self._instrumented(each) for each in self.functions}
        facts["sites"] = [
            [self.numbers[function.name], what, *self.module.place(each.location, self.headers)]
            for function, each, what in self.sites
        ]
        self.extra.append(self._design())
        return facts

    def module_function(self, name: str) -> IrFunction:
        """The function of a name."""
        return next(each for each in self.module.functions if each.name == name)

    def text(self) -> str:
        """The module with its calls."""
        made: list[str] = []
        for each in self.module.lines:
            if isinstance(each, IrFunction):
                made.append(self.texts.get(each.name) or _text(each))
            elif not re.match(
                r"declare .*@sttest_(?:touch|site|enter|leave|at|iteration|variable|spawn|memory)\(", each
            ):
                made.append(each)
        return "\n".join([*made, *self.extra])

    # --- What is known of functions and loops

    def _function(self, function: IrFunction) -> dict[str, Any]:
        name, file, line = self.module.subprogram(function)
        markers: dict[str, int] = {}
        for block in function.blocks.values():
            if function.loop_of[block.name] is None:
                markers |= _markers(block)
        role = self.roles[function.name]
        return {"name": name, "symbol": function.name, "file": file, "line": line, "role": role, "markers": markers}

    def _loop(self, function: IrFunction, loop: NaturalLoop) -> dict[str, Any]:
        own = [each for name, each in function.blocks.items() if function.loop_of[name] is loop]
        markers: dict[str, int] = {}
        for block in own:
            markers |= _markers(block)
        latches = [function.blocks[each] for each in function.predecessors[loop.header] if each in loop.blocks]
        found = next(filter(None, (_LOOP_METADATA.search(each.instructions[-1].text) for each in latches)), None)
        file, line, column = self.module.start_of(found[1]) if found else ("", 0, 0)
        inside = [function.blocks[name] for name in loop.blocks]
        return {
            "function": self.numbers[function.name], "parent": loop.parent.number if loop.parent else -1,
            "file": file, "line": line, "column": column, "markers": markers,
            "is_bare": not any(_acts(each) for block in own for each in block.instructions),
            "accesses": sum(each.callee in ACCESSES for block in inside for each in block.instructions),
            "spawns": any(self._is_spawn(function, each) for block in inside for each in block.instructions),
        }  # fmt: skip

    # --- The calls

    def _instrumented(self, function: IrFunction) -> str:
        lines = [function.head]
        iterations = {_body(function, loop): loop.number for loop in function.loops}
        exits = {
            each for loop in function.loops for name in loop.blocks for each in function.blocks[name].successors
            if each not in loop.blocks
        }  # fmt: skip
        for place, (name, block) in enumerate(function.blocks.items()):
            if block.head:
                lines.append(block.head)
            count = 0
            for count, each in enumerate(block.instructions):  # noqa: B007
                if each.opcode not in ("phi", "alloca"):
                    break
                lines.append(each.text)
            if place == 0:
                lines.append(f"  call void @sttest_enter(i32 {self.numbers[function.name]})")
                lines += self._variables(function)
            if name in exits or name in iterations:
                around = function.loop_of[name]
                if name in exits:
                    lines.append(f"  call void @sttest_at(i32 {around.number if around else -1})")
            if name in iterations:
                lines.append(f"  call void @sttest_iteration(i32 {iterations[name]})")
            for each in block.instructions[count:]:
                lines += self._before(function, each)
                lines.append(self._spawned(function, each) if self._is_spawn(function, each) else each.text)
        return "\n".join([*lines, "}"])

    def _before(self, function: IrFunction, each: Instruction) -> list[str]:
        if each.opcode == "ret":
            return ["  call void @sttest_leave()"]
        if id(each) in self.site_of:
            return [f"  call void @sttest_site(i32 {self.site_of[id(each)]})"]
        lines: list[str] = []
        for address, is_write in _touched(each):
            if self._is_shared(function, function.base_of(address)):
                number = len(self.sites)
                self.site_of.setdefault(id(each), number)
                self.sites.append((function, each, "write" if is_write else "read"))
                lines += [
                    f"  call void @sttest_site(i32 {number})",
                    f"  call void @sttest_touch(ptr {address}, i32 {int(is_write)})",
                ]
        return lines

    def _is_shared(self, function: IrFunction, base: str) -> bool:
        if base in function.parameter_names:
            return True
        made = function.definitions.get(base)
        return made is not None and made.opcode == "alloca" and "region" in self.roles[function.name]

    def _is_spawn(self, function: IrFunction, each: Instruction) -> bool:
        if "region" not in self.roles[function.name] or each.callee not in self.numbers or each.result:
            return False
        return self.roles[each.callee] in ("process", "region") and any(
            other.callee == "sttest_dataflow" for _, other in function.instructions()
        )

    def _variables(self, function: IrFunction) -> list[str]:
        """What a region has between its processes, by name."""
        if "region" not in self.roles[function.name]:
            return []
        lines: list[str] = []
        for each in function.definitions.values():
            if each.opcode == "alloca":
                of = re.match(r"alloca (.*?)(?:, align \d+)?(?:, !dbg.*)?$", each.text.partition(" = ")[2].strip())
                name = re.sub(r"(?:\.(?:i|addr|sroa|\d+))+$", "", each.result.strip('%"'))
                if of and not name.startswith(("ref.tmp", "agg.tmp", "sttest_")):
                    lines.append(self._variable(each.result, of[1], name))
        if self.roles[function.name].endswith("top"):
            for found in _GLOBAL.finditer("\n".join(each for each in self.module.lines if isinstance(each, str))):
                if "hls::stream" in found[2]:
                    name = _static_name(found[1].strip('"'))
                    lines.append(self._variable(f"@{found[1]}", found[2].split(", align")[0], name))
        return lines

    def _variable(self, pointer: str, kind: str, name: str) -> str:
        extents, element = list[str](), kind
        while found := _ARRAY.match(element):
            extents.append(found[1])
            element = found[2]
        bits = _SIZES.get(element, 0)
        size = f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"
        texts = ", ".join(f"ptr {self._string(each)}" for each in (name, ",".join(extents)))
        return f"  call void @sttest_variable(ptr {pointer}, i64 {size}, {texts}, i64 {bits})"

    def _string(self, text: str) -> str:
        self.made += 1
        data = "".join(letter if letter.isalnum() or letter in "_,.[]" else "_" for letter in text)
        self.extra.append(f'@sttest.text.{self.made} = private constant [{len(data) + 1} x i8] c"{data}\\00"')
        return f"@sttest.text.{self.made}"

    def _spawned(self, function: IrFunction, each: Instruction) -> str:
        """A call as the beginning of a process: its arguments are kept, and handed to it."""
        self.made += 1
        start = each.text.index("(", each.text.index("@"))
        given = split_arguments(each.text[start + 1 : closing(each.text, start)])
        kinds = [_type(one) for one in given]
        record = "{ " + ", ".join(kinds) + " }" if kinds else "{ i8 }"
        lines = [f"  %sttest.a{self.made} = alloca {record}"]
        body: list[str] = []
        passed: list[str] = []
        for number, (one, kind) in enumerate(zip(given, kinds, strict=True)):
            value = one.rsplit(None, 1)[1] if not one.endswith((")", "}", ">", "]")) else one[len(kind) :].strip()
            place = f"%sttest.p{self.made}.{number}"
            lines.append(f"  {place} = getelementptr {record}, ptr %sttest.a{self.made}, i32 0, i32 {number}")
            lines.append(f"  store {kind} {value}, ptr {place}")
            body.append(f"  %p{number} = getelementptr {record}, ptr %given, i32 0, i32 {number}")
            body.append(f"  %v{number} = load {kind}, ptr %p{number}")
            attribute = re.search(r"byval\(.*?\)(?: align \d+)?", one)
            passed.append(f"{kind} {attribute[0] + ' ' if attribute else ''}%v{number}")
        call = f'  call void @"{each.callee}"({", ".join(passed)})'
        self.extra.append(
            "\n".join([f"define internal void @sttest.body.{self.made}(ptr %given) {{", *body, call, "  ret void", "}"])
        )
        size = f"ptrtoint (ptr getelementptr ({record}, ptr null, i32 1) to i64)"
        site = len(self.sites)
        self.sites.append((function, each, "call"))
        lines.append(
            f"  call void @sttest_spawn(ptr @sttest.body.{self.made}, ptr %sttest.a{self.made}, i64 {size}, i32 {site})"
        )
        return "\n".join(lines)

    def _design(self) -> str:
        """The call of the top, with memory for its pointers, and for its scalars the numbers that are given."""
        function = self.module_function(self.top)
        lines, passed = ["define void @sttest_design() {"], list[str]()
        for number, one in enumerate(function.parameters):
            kind, name = _type(one), scalar_name(one.rsplit("%", 1)[-1])
            if kind == "ptr":
                lines.append(f"  %m{number} = call ptr @sttest_memory()")
                attribute = re.search(r"(?:byval|sret)\(.*?\)(?: align \d+)?", one)
                passed.append(f"ptr {attribute[0] + ' ' if attribute else ''}%m{number}")
            else:
                passed.append(f"{kind} {_constant(kind, self.values.get(name))}")
        kind = function.result_type
        lines += [
            f'  {"" if kind == "void" else "%r = "}call {kind} @"{self.top}"({", ".join(passed)})',
            "  ret void",
            "}",
        ]
        return "\n".join(lines)


def _touched(each: Instruction) -> list[tuple[str, bool]]:
    """Addresses that an instruction reads or writes, and whether it writes: of a copy of memory both."""
    if each.opcode in ("load", "store") and " ptr " in each.text:
        return [(each.text.rpartition("ptr ")[2].split(",")[0].strip(), each.opcode == "store")]
    if each.callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
        ends = each.arguments[: 1 if "memset" in each.callee else 2]
        return [(address, place == 0) for place, address in enumerate(ends) if address.startswith("%")]
    return []


def _static_name(symbol: str) -> str:
    """What a variable is called in the source; the last part of a mangled name has its length before it."""
    for found in re.finditer(r"\d+", symbol if symbol.startswith("_Z") else ""):
        length = int(found[0])
        name, rest = symbol[found.end() :][:length], symbol[found.end() :][length:]
        if len(name) == length and re.fullmatch(r"E?(?:_\d+)?", rest):
            return name
    return symbol


def _text(function: IrFunction) -> str:
    lines = [function.head]
    for block in function.blocks.values():
        lines += [*([block.head] if block.head else []), *(each.text for each in block.instructions)]
    return "\n".join([*lines, "}"])


def _constant(kind: str, value: str | None) -> str:
    if value is None:
        return (
            "zeroinitializer"
            if kind.startswith(("{", "[", "<", "%"))
            else "0.0"
            if kind in ("float", "double")
            else "0"
        )
    return f"{float(value):e}" if kind in ("float", "double") else str(int(float(value)))


def _type(argument: str) -> str:
    """The type at the start of an argument."""
    if argument[0] in "{[<":
        return argument[: closing(argument, 0) + 1]
    return argument.split(None, 1)[0]


def _parameter(text: str) -> list[str]:
    return [_type(text), text.rsplit("%", 1)[-1].strip('"')]


def _markers(block: BasicBlock) -> dict[str, int]:
    """Pragmas of a block with their numbers."""
    found: dict[str, int] = {}
    for each in block.instructions:
        if each.callee in MARKERS:
            number = re.search(r"\(i64 (?:noundef )?(-?\d+)", each.text)
            found[MARKERS[each.callee]] = int(number[1]) if number else 0
    return found


def _acts(each: Instruction) -> bool:
    """Whether an instruction does something that keeps a loop from being flattened into the one around it."""
    if each.opcode == "store":
        return True
    return each.opcode == "call" and each.callee not in MARKERS and not each.callee.startswith("llvm.")


def _body(function: IrFunction, loop: NaturalLoop) -> str:
    """The block at whose beginning an iteration of a loop begins."""
    header = function.blocks[loop.header]
    inside = [each for each in header.successors if each in loop.blocks]
    is_test = len(inside) < len(header.successors) and not any(each.callee in ACCESSES for each in header.instructions)
    if is_test and len(inside) == 1 and function.predecessors[inside[0]] == [loop.header] and inside[0] != loop.header:
        nested = function.loop_of[inside[0]]
        if nested is loop:
            return inside[0]
    return loop.header


def _poll(function: IrFunction, name: str, asked: Instruction) -> str:
    """The method with which a loop asks a stream until it has something; empty where it does more, or ends otherwise.

    The loop accesses nothing but that stream, and its one way out is the answer: that of ``read_nb`` is no longer 0,
    or that of ``empty`` is 0.
    """
    loop = function.loop_of[name]
    if loop is None:
        return ""
    inside = [function.blocks[each] for each in loop.blocks]
    leaving = [block for block in inside if any(each not in loop.blocks for each in block.successors)]
    others = [each for block in inside for each in block.instructions if each.callee in ACCESSES and each is not asked]
    if len(leaving) != 1 or any(each.callee not in ("sttest_read", "sttest_read_bytes") for each in others):
        return ""
    end = leaving[0].instructions[-1]
    made = function.definitions.get(end.operands[0]) if end.operands and len(leaving[0].successors) == 2 else None
    if made is None or made.opcode != "icmp" or made.operands != (asked.result,) or " 0, " not in f"{made.text}, ":
        return ""
    leaves_if_true = leaving[0].successors[0] not in loop.blocks
    return "empty" if leaves_if_true == (" eq " in made.text) else "read_nb"
