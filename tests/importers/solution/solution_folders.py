"""Small solution folders, written by hand: LLVM text and, for each function, stages of its instructions.

Names, opcodes and successors of the schedule come from the text, so that both fit unless a test changes one of them.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import llvmlite.binding as llvm

FIFO_OPERATIONS = """
declare i32 @_ssdm_op_SpecChannel(...)
declare i16 @_autotb_FifoRead_i16(ptr)
declare i16 @_autotb_FifoWrite_i16(ptr, i16)
define i16 @_ssdm_op_Read.ap_fifo.volatile.i16P(ptr %p) {
  %v = call i16 @_autotb_FifoRead_i16(ptr %p)
  ret i16 %v
}
define void @_ssdm_op_Write.ap_fifo.volatile.i16P(ptr %p, i16 %v) {
  %r = call i16 @_autotb_FifoWrite_i16(ptr %p, i16 %v)
  ret void
}
"""


@dataclass
class Loop:
    """A region: a loop with interval and depth, or a dataflow region with channels (name, depth, source, sink)."""

    blocks: tuple[int, ...]
    ii: int = -1
    depth: int = -1
    is_loop: bool = True
    channels: tuple[tuple[str, int, int, int], ...] = ()
    is_dataflow: bool = False


@dataclass
class Stages:
    """Of each block, first stage and length of each instruction, and the FSM's states at its entry and exit."""

    stages: list[list[tuple[int, int]]]
    states: list[tuple[int, int]]
    regions: list[Loop] = field(default_factory=list[Loop])
    renamed: dict[str, str] = field(default_factory=dict[str, str])


def write_solution(
    root: Path, text: str, schedules: dict[str, Stages], *, top: str = "top", clock: float = 5.0
) -> Path:
    """Writes a folder, and returns it."""
    database = root / ".autopilot" / "db"
    database.mkdir(parents=True)
    (root / "syn" / "report").mkdir(parents=True)
    module = llvm.parse_assembly(text)
    (database / "a.o.3.bc").write_bytes(module.as_bitcode())
    report = f"<profile><TargetClockPeriod>{clock}</TargetClockPeriod><TopModelName>{top}</TopModelName></profile>"
    (root / "syn" / "report" / "csynth.xml").write_text(report, encoding="utf-8")
    for name, stages in schedules.items():
        (database / f"{name}.sched.adb").write_text(_archive(module.get_function(name), stages), encoding="utf-8")
    return root


def write_vectors(root: Path, way: str, port: str, values: list[int], top: str = "top") -> None:
    """Writes the values of one port in the only transaction."""
    folder = root / "sim" / "tv" / "cdatafile"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["[[[runtime]]]", "[[transaction]] 0", *map(hex, values), "[[/transaction]]", "[[[/runtime]]]", ""]
    (folder / f"c.{top}.autotv{way}_{port}.dat").write_text("\n".join(lines), encoding="utf-8")


def write_latency(root: Path, cycles: int) -> None:
    """Writes what the co-simulation measured."""
    folder = root / "sim" / "report" / "verilog"
    folder.mkdir(parents=True)
    (folder / "lat.rpt").write_text(f'$MAX_LATENCY = "{cycles}"\n', encoding="utf-8")


def write_report(root: Path, function: str, cycles: int) -> None:
    """Writes the latency that synthesis reports for a function."""
    latency = f"<Best-caseLatency>{cycles}</Best-caseLatency><Worst-caseLatency>{cycles}</Worst-caseLatency>"
    text = f"<profile><P><SummaryOfOverallLatency>{latency}</SummaryOfOverallLatency></P></profile>"
    (root / "syn" / "report" / f"{function}_csynth.xml").write_text(text, encoding="utf-8")


def _archive(function, stages: Stages) -> str:
    blocks = list(function.blocks)
    numbers = {block: 1000 + place for place, block in enumerate(blocks)}
    nodes: list[str] = []
    latencies: list[str] = []
    edges: list[str] = []
    bodies: list[str] = []
    calls: list[int] = []
    identity = 0
    for block, timed in zip(blocks, stages.stages, strict=True):
        kept = [each for each in block.instructions if "@_ssdm_op_Spec" not in str(each)]
        ids = []
        for each, (start, length) in zip(kept, timed, strict=True):
            identity += 1
            ids.append(identity)
            calls += [identity] if each.opcode == "call" else []
            targets = [numbers[operand] for operand in each.operands if operand in numbers]
            for target in targets:
                edges.append(f"<item><id>{90000 + len(edges)}</id><edge_type>2</edge_type>"
                             f"<source_obj>{target}</source_obj><sink_obj>{identity}</sink_obj></item>")  # fmt: skip
            uses = "".join(f"<item>{90000 + len(edges) - len(targets) + place}</item>" for place in range(len(targets)))
            name = stages.renamed.get(each.name, each.name)
            opcode = "return" if "@_ssdm_op_Return" in str(each) else each.opcode
            nodes.append(f"<item><Value><Obj><id>{identity}</id><name>{name}</name><fileName>a.cpp</fileName>"
                         f"<lineNumber>{identity}</lineNumber></Obj></Value><oprand_edges>{uses}</oprand_edges>"
                         f"<opcode>{opcode}</opcode></item>")  # fmt: skip
            latencies.append(f"<item><first>{identity}</first><second><first>{start}</first>"
                             f"<second>{length}</second></second></item>")  # fmt: skip
        bodies.append(f"<item><Obj><id>{numbers[block]}</id><name>{block.name}</name></Obj><node_objs>"
                      f"{''.join(f'<item>{each}</item>' for each in ids)}</node_objs></item>")  # fmt: skip
    inside = {place for region in stages.regions for place in region.blocks}
    rest = Loop(tuple(place for place in range(len(blocks)) if place not in inside), is_loop=False)
    regions = "".join(_region(place, region, calls) for place, region in enumerate([rest, *stages.regions]))
    states = "".join(
        f"<item><first>{1000 + place}</first><second><first>{begin}</first><second>{end}</second></second></item>"
        for place, (begin, end) in enumerate(stages.states)
    )
    archive = (
        '<?xml version="1.0"?><!DOCTYPE boost_serialization><boost_serialization><syndb><cdfg>'
        f"<name>{function.name}</name><nodes>{''.join(nodes)}</nodes><blocks>{''.join(bodies)}</blocks>"
        f"<edges>{''.join(edges)}</edges></cdfg><cdfg_regions>{regions}</cdfg_regions>"
        f"<node_label_latency>{''.join(latencies)}</node_label_latency><bblk_ent_exit>{states}</bblk_ent_exit>"
        "</syndb></boost_serialization>"
    )
    return re.sub(r"(</item>)", r"\1\n", archive)


def _region(place: int, region: Loop, calls: list[int]) -> str:
    blocks = "".join(f"<item>{1000 + each}</item>" for each in region.blocks)
    pipe = ""
    if region.is_dataflow:
        insts = "".join(
            f'<item><pins/><inst object_id="_{call}"><ssdmobj_id>{call}</ssdmobj_id></inst></item>' for call in calls
        )
        channels = "".join(
            f"<item><ssdmobj_id>{70000 + number}</ssdmobj_id><name>{name}</name><depth>{depth}</depth>"
            f'<source><inst object_id_reference="_{calls[source]}"/></source>'
            f'<sink><inst object_id_reference="_{calls[sink]}"/></sink></item>'
            for number, (name, depth, source, sink) in enumerate(region.channels)
        )
        pipe = f"<mDfPipe><process_list>{insts}</process_list><channel_list>{channels}</channel_list></mDfPipe>"
    return (
        f"<item><mId>{place}</mId><mTag>r{place}</mTag><mType>{int(region.is_loop)}</mType><mII>{region.ii}</mII>"
        f"<mDepth>{region.depth}</mDepth><mIsDfPipe>{int(region.is_dataflow)}</mIsDfPipe>{pipe}"
        f"<sub_regions/><basic_blocks>{blocks}</basic_blocks></item>"
    )
