"""Out-of-context synthesis of a design's processes: the emitted C++ cut into one job per distinct process.

A job's source holds one process and what it uses, nothing else, so that the same process in another design is the
same job.  Vitis HLS refuses a static function as top (UG1399, Functions Primer) and a stream of blocks as a port: the
process of a job is not static, and processes that share blocks are one job, under a small dataflow function.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from sttest.core.errors import InputError
from sttest.sim import TimedGraph
from sttest.sim.graph import accesses_of

SOURCE, CONFIG, SCRIPT = "process.cpp", "hls_config.cfg", "run.tcl"
CONFIG_REPORT, SCRIPT_REPORT = "work/hls/syn/report/csynth.xml", "project/solution/syn/report/csynth.xml"
"""Where ``v++ --mode hls`` and ``vitis_hls`` leave the report, relative to the folder of the job."""
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|[^\w\s]')
_DECLARED = re.compile(r"^(?:struct|union|enum)\s+(\w+)|\b(\w+)\s*(?:\[[^\]]*\]\s*)*[(=;]")
_LOCAL = re.compile(r"^\s*(?:const )?[\w:]+(?:<[^;=]*>)? (\w+)(?:\[\w+\])*(?: =|;)", re.MULTILINE)
_LABEL = re.compile(r"^\s*(\w+):$", re.MULTILINE)
_STREAM = re.compile(r'hls::stream<[^;"]*> (\w+)\("([^"]+)"\)')
_WIDE_STREAM = re.compile(r'STTEST_FIFO\((\w+), "([^"]+)", \d+\)')
_BLOCKS = re.compile(r"(hls::stream_of_blocks<[^;]*>) (\w+);")
_CALL = re.compile(r"STTEST_PROCESS\((\w+),\s*([^;]*)\);")
_PORT = re.compile(r"#pragma HLS interface mode=m_axi port=(\w+)([^\n]*)")
_BUNDLE = re.compile(r" (?:bundle|offset)=\w+")


@dataclass(frozen=True)
class Piece:
    """A declaration at file scope, or lines of the preprocessor."""

    name: str  # what it declares; empty for the preprocessor
    text: str  # its lines with the comment above them

    @property
    def code(self) -> str:
        """The text without comments."""
        return _COMMENT.sub("", self.text)

    @property
    def words(self) -> list[str]:
        """Identifiers that it uses or declares, each once, in order."""
        return list(dict.fromkeys(_WORD.findall(_STRING.sub("", self.code))))

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Type and name of each parameter of a function, in order."""
        found: list[tuple[str, str]] = []
        for each in _parts(_bracketed(self.code)):
            name = _WORD.findall(each)[-1]
            found.append((" ".join(each.split()).removesuffix(name).strip(), name))
        return found


@dataclass(frozen=True)
class SynthesisUnit:
    """Processes that are synthesized together: one, or those that share blocks of memory."""

    processes: tuple[str, ...]  # names in the timed graph
    functions: tuple[str, ...]  # their names in the C++
    top: str  # function that is synthesized
    source: str  # all of the C++ that it needs


@dataclass(frozen=True)
class SynthesisJob:
    """One run of the tool, for all units that differ in nothing but names."""

    units: tuple[SynthesisUnit, ...]  # the first one's source is synthesized

    @property
    def name(self) -> str:
        """Name of the job and of its folder: the function that is synthesized."""
        return self.units[0].top

    @property
    def processes(self) -> tuple[str, ...]:
        """All processes of the timed graph that the job stands for."""
        return tuple(process for unit in self.units for process in unit.processes)

    def files(self, part: str, clock_mhz: float) -> dict[str, str]:
        """Texts of the job's files by name.

        Args:
            part: device, as the tool names it.
            clock_mhz: clock of the design, MHz.
        """
        values = {"part": part, "clock": f"{1000 / clock_mhz:g}", "top": self.name, "source": SOURCE}
        return {
            SOURCE: self.units[0].source,
            CONFIG: _CONFIG_TEXT.format(**values),
            SCRIPT: _SCRIPT_TEXT.format(**values),
        }


# FIFO ports as between the processes of a kernel need the flow of Vivado; the rest is as in a kernel (UG1399, Default
# Settings of Vivado/Vitis Flows).
_CONFIG_TEXT = """\
# v++ -c --mode hls --config hls_config.cfg --work_dir work    (from 2023.2 on; UG1399, HLS Config File Commands)
part={part}

[hls]
flow_target=vivado
clock={clock}ns
syn.file={source}
syn.top={top}
syn.interface.m_axi_latency=64
syn.interface.m_axi_alignment_byte_size=64
syn.interface.m_axi_max_widen_bitwidth=512
syn.rtl.register_reset_num=3
package.output.format=ip_catalog
package.output.syn=false
"""
_SCRIPT_TEXT = """\
# vitis_hls -f run.tcl    (Vitis HLS before 2023.2)
open_project -reset project
set_top {top}
add_files {source}
open_solution -reset -flow_target vivado solution
set_part {{{part}}}
create_clock -period {clock} -name default
config_interface -m_axi_latency 64 -m_axi_alignment_byte_size 64 -m_axi_max_widen_bitwidth 512
config_rtl -register_reset_num 3
csynth_design
exit
"""


def synthesis_jobs(cpp: str, kernel: str, graph: TimedGraph) -> list[SynthesisJob]:
    """The jobs of a design, in the order of its C++.

    Args:
        cpp: text of the emitted C++.
        kernel: name of its top function.
        graph: timed graph of the same design.

    Raises:
        InputError: the C++ is not of the form that sttest emits.
    """
    jobs: dict[str, list[SynthesisUnit]] = {}
    for key, unit in _Kernel(pieces(cpp), kernel, graph).units():
        jobs.setdefault(key, []).append(unit)
    return [SynthesisJob(tuple(units)) for units in jobs.values()]


def pieces(cpp: str) -> list[Piece]:
    """The declarations of a file in order; a conditional part of the preprocessor is one piece."""
    found: list[Piece] = []
    lines: list[str] = []
    depth = conditionals = 0
    for line in cpp.splitlines():
        code = _STRING.sub('""', _COMMENT.sub("", line)).strip()
        lines.append(line)
        if conditionals or (depth == 0 and code.startswith("#")):
            conditionals += code.startswith("#if") - code.startswith("#endif")
            is_whole = not conditionals and not line.endswith("\\")
        else:
            depth += code.count("{") - code.count("}") + code.count("(") - code.count(")")
            is_whole = depth == 0 and code.endswith((";", "}"))
        if is_whole:
            found.append(_piece("\n".join(lines)))
            lines = []
    if found:  # the comment that heads the file is about a design, which a job must not depend on
        found[0] = Piece(found[0].name, _COMMENT.sub("", found[0].text).lstrip())
    return found


def _piece(text: str) -> Piece:
    code = _COMMENT.sub("", text).strip()
    declared = None if code.startswith("#") else _DECLARED.search(_STRING.sub("", code))
    return Piece((declared[1] or declared[2]) if declared else "", text)


def _bracketed(code: str) -> str:
    """What stands between the first bracket and the one that closes it."""
    start, depth = code.index("(") + 1, 1
    for place, letter in enumerate(code[start:], start):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return code[start:place]
    return code[start:]


def _parts(text: str) -> list[str]:
    """Parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


@dataclass(frozen=True)
class _Call:
    """A process, as the top function calls it."""

    process: str
    function: Piece
    arguments: tuple[str, ...]


class _Kernel:
    """The emitted C++ of a design.

    Args:
        found: declarations of the file.
        kernel: name of the top function.
        graph: timed graph of the design.
    """

    def __init__(self, found: Sequence[Piece], kernel: str, graph: TimedGraph) -> None:
        self.pieces, self.graph = found, graph
        self.named = {piece.name: piece for piece in found if piece.name}
        if kernel not in self.named:
            raise _bad_kernel(f"no function '{kernel}'")
        self.body = self.named[kernel].text
        self.blocks: dict[str, str] = {name: kind for kind, name in _BLOCKS.findall(self.body)}
        self.ports: dict[str, str] = dict(_PORT.findall(self.body))

    def units(self) -> Iterator[tuple[str, SynthesisUnit]]:
        """Every unit with a key of its content."""
        groups: list[list[_Call]] = []
        owner: dict[str, list[_Call]] = {}
        for call in self._calls():
            shared = [name for name in call.arguments if name in self.blocks]
            group = next((owner[name] for name in shared if name in owner), None)
            if group is None:
                group = list[_Call]()
                groups.append(group)
            group.append(call)
            owner.update(dict.fromkeys(shared, group))
        return map(self._unit, groups)

    def _calls(self) -> Iterator[_Call]:
        streams: dict[str, str] = dict([*_STREAM.findall(self.body), *_WIDE_STREAM.findall(self.body)])
        fifos = set(streams.values())
        processes: dict[frozenset[str], list[str]] = {}
        for each in self.graph.processes:
            reads, writes = accesses_of(self.graph, each)
            processes.setdefault(frozenset((reads | writes) & fifos), []).append(each.name)
        for name, text in _CALL.findall(self.body):
            arguments = tuple(_parts(text))
            able = processes.get(frozenset(streams[each] for each in arguments if each in streams), [])
            if name not in self.named or not able:
                raise _bad_kernel(f"function '{name}' is no process of the timed graph")
            yield _Call(max(able, key=lambda each: (name.startswith(each), len(each))), self.named[name], arguments)

    def _unit(self, calls: Sequence[_Call]) -> tuple[str, SynthesisUnit]:
        functions = [call.function for call in calls]
        top = self._as_top(calls[0]) if len(calls) == 1 else self._together(calls)
        used = self._used([top])
        kept = [top if each.name == top.name else each for each in self.pieces if not each.name or each.name in used]
        if top not in kept:
            kept.append(top)
        source = "\n".join(each.text for each in kept)
        names = tuple(each.name for each in functions)
        return _key(list(used.values())), SynthesisUnit(
            tuple(call.process for call in calls), names, top.name, f"{source}\n"
        )

    def _used(self, waiting: list[Piece]) -> dict[str, Piece]:
        """Everything at file scope that these functions need, themselves first, each behind what first uses it."""
        used = {piece.name: piece for piece in waiting}
        while waiting:
            new = {name: self.named[name] for name in waiting.pop(0).words if name in self.named and name not in used}
            used |= new
            waiting += new.values()
        return used

    def _as_top(self, call: _Call) -> Piece:
        """The function with the interface of a top."""
        text = re.sub(r"^static (?:inline )?", "", call.function.text, count=1, flags=re.MULTILINE)
        ports = self._ports(zip(call.arguments, (name for _, name in call.function.parameters), strict=True))
        begin = text.index("{", text.index("(")) + 1
        inside = f"\n{text[begin:].lstrip()}" if ports else text[begin:]
        return Piece(call.function.name, "\n".join([text[:begin], *ports]) + inside)

    def _together(self, calls: Sequence[_Call]) -> Piece:
        """A dataflow function of calls that share blocks."""
        top = _common_start([call.function.name for call in calls]).rstrip("_") or calls[0].function.name
        top = f"{top}_top" if top in self.named else top
        parameters, lines, ports = list[str](), list[str](), list[str]()
        for number, call in enumerate(calls):
            passed = list[str]()
            for given, (kind, name) in zip(call.arguments, call.function.parameters, strict=True):
                passed.append(given if given in self.blocks else f"{name}_{number}")
                parameters += [] if given in self.blocks else [_declared(kind, name, number)]
            ports += self._ports(zip(call.arguments, passed, strict=True))
            lines.append(f"  {call.function.name}({', '.join(passed)});")
        shared = dict.fromkeys(name for call in calls for name in call.arguments if name in self.blocks)
        about = re.compile(rf"#pragma HLS .*\bvariable=(?:{'|'.join(shared)})\b")
        declared = [f"  {self.blocks[name]} {name};" for name in shared]
        declared += [line for line in self.body.splitlines() if about.match(line)]
        head = f"void {top}({', '.join(parameters)}) {{"
        return Piece(top, "\n".join([head, *ports, "#pragma HLS dataflow", *declared, *lines, "}"]))

    def _ports(self, names: Iterable[tuple[str, str]]) -> list[str]:
        """A port of memory keeps the directive that it has in the whole design; its address is a wire."""
        head = "#pragma HLS interface mode=m_axi bundle=gmem offset=direct port="
        return [f"{head}{name}{_BUNDLE.sub('', self.ports[given])}" for given, name in names if given in self.ports]


def _declared(kind: str, name: str, number: int) -> str:
    """A parameter under another name; of an array, the name stands inside of its type."""
    inside = re.sub(rf"\b{name}\b", f"{name}_{number}", kind)
    return inside if inside != kind else f"{kind} {name}_{number}"


def _common_start(names: Sequence[str]) -> str:
    """The letters that all names start with."""
    equal = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in equal)


def _bad_kernel(what: str) -> InputError:
    return InputError("bad-kernel", what, where="emitted C++", hints=["compile the package again"])


def _key(used: Sequence[Piece]) -> str:
    """A hash of code in which names that the code itself declares are numbers, those of a function in it alone."""
    own = {piece.name for piece in used} | {name for piece in used for _, name in _BLOCKS.findall(piece.code)}
    numbers: dict[tuple[str, str], str] = {}
    found = hashlib.sha256()
    for piece in used:
        inside = _names_inside(piece)
        for token in _TOKEN.findall(piece.code):
            place = token, piece.name if token in inside else ""
            is_own = token in inside or token in own
            found.update(numbers.setdefault(place, f"${len(numbers)}").encode() if is_own else token.encode())
            found.update(b" ")
    return found.hexdigest()


def _names_inside(piece: Piece) -> set[str]:
    """Parameters, variables and labels of a function."""
    labels = {*_LABEL.findall(piece.code)}
    if re.search(r"\)\s*\{", piece.code) is None:
        return labels
    return labels | {name for _, name in piece.parameters} | {*_LOCAL.findall(piece.code)}
