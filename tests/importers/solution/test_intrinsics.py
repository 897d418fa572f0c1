"""Operations that the tool puts into its bitcode: what they give, what takes time, and which keep their own bodies."""

import struct

import pytest
import test_import_solution
from solution_folders import Stages, write_solution, write_vectors
from solution_runs import runs_here

from sttest.importers.solution import read_solution
from sttest.sim import simulate


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch, tmp_path):
    runs_here(monkeypatch, tmp_path)


def straight(root, head, parameters, body, stages=None):
    """A top of one block, whose instructions are in stage 0 unless others are given; hints to the tool have none."""
    lines = [line for line in body.strip().split("\n") if "@_ssdm_op_Spec" not in line]
    stages = stages or [(0, 0)] * (len(lines) + 1)
    text = f"{head}\ndefine void @top({parameters}) {{\n{body}\n  ret void\n}}\n"
    return write_solution(root, text, {"top": Stages([stages], [(0, stages[-1][0])])})


def outputs_of(folder, vectors):
    """What the import says of outputs; ``vectors`` are values by way and port."""
    for (way, port), values in vectors.items():
        write_vectors(folder, way, port, values)
    checks: list[str] = []
    graph = read_solution(folder, checks=checks)
    return graph, next(each for each in checks if "outputs" in each)


def double(value):
    """Bits of a double, as a vector has them."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


VALUES = """
declare i32 @llvm.part.select.i32(i32, i32, i32)
declare i1 @llvm.part.select.i1(i1, i32, i32)
declare i8 @_ssdm_op_PartSelect.i8.i8.i32.i32(i8, i32, i32)
declare i32 @_ssdm_op_SpecRegionBegin(ptr)
declare double @sqrt(double)
declare i32 @llvm.ctlz.i32(i32, i1)
"""


@pytest.mark.parametrize(
    ("lines", "kind", "value"),
    [
        (["%v = call i32 @llvm.part.select.i32(i32 180, i32 2, i32 5)"], "i32", 0b1101),
        (["%v = call i32 @llvm.part.select.i32(i32 180, i32 5, i32 2)"], "i32", 0b1011),
        (["%b = call i1 @llvm.part.select.i1(i1 true, i32 0, i32 0)", "%v = zext i1 %b to i32"], "i32", 1),
        (["%v = call i8 @_ssdm_op_PartSelect.i8.i8.i32.i32(i8 180, i32 2, i32 7)"], "i8", 0b101101),
        (["%r = call i32 @_ssdm_op_SpecRegionBegin(ptr null)", "%v = add i32 %r, 5"], "i32", 5),  # a hint gives 0
        (["%v = call double @sqrt(double 6.25)"], "double", double(2.5)),
        (["%v = call i32 @llvm.ctlz.i32(i32 255, i1 false)"], "i32", 24),
    ],
)
def test_values_of_operations(tmp_path, lines, kind, value):
    body = "\n".join(f"  {line}" for line in [*lines, f"store {kind} %v, ptr %out"])
    _, said = outputs_of(straight(tmp_path / "s", VALUES, "ptr %out", body), {("out", "out"): [value]})
    assert said == "outputs 1/1"


@pytest.mark.parametrize(("kept", "left"), [([1, 2, 3], [3, 0, 2, 1]), ([5], [5, 0, 7, 9])])
def test_a_shift_register_gives_its_last_element_and_shifts_only_where_it_is_enabled(tmp_path, kept, left):
    kind = f"[{len(kept)} x i16]"
    name = f'@"_ssdm_op_MemShiftRead.{kind}P"'
    head = f"@line = internal global {kind} [{', '.join(f'i16 {each}' for each in kept)}]\n"
    body = [f"  %last = getelementptr {kind}, ptr @line, i64 0, i64 {len(kept) - 1}"]
    for place, (value, is_enabled) in enumerate([(7, "true"), (8, "false"), (9, "true"), (6, "true")]):
        body.append(f"  %v{place} = call i16 {name}(ptr %last, i16 {value}, i1 {is_enabled})")
        body.append(f"  %p{place} = getelementptr i16, ptr %out, i64 {place}")
        body.append(f"  store i16 %v{place}, ptr %p{place}")
    head += f"declare i16 {name}(ptr, i16, i1)\n"
    _, said = outputs_of(straight(tmp_path / "s", head, "ptr %out", "\n".join(body)), {("out", "out"): left})
    assert said == "outputs 4/4"


# --- Streams of the top

PACKETS = """
declare { i32, i4, i1 } @_ssdm_op_Read.axis.volatile.i32P.i4P.i1P(ptr, ptr, ptr)
declare void @_ssdm_op_Write.axis.volatile.i32P.i1P(ptr, ptr, i32, i1)
"""
PACKET = "call { i32, i4, i1 } @_ssdm_op_Read.axis.volatile.i32P.i4P.i1P(ptr %data, ptr %keep, ptr %last)"
ADDS_PACKETS = f"""
  %a = {PACKET}
  %x = extractvalue {{ i32, i4, i1 }} %a, 0
  %b = {PACKET}
  %y = extractvalue {{ i32, i4, i1 }} %b, 0
  %l = extractvalue {{ i32, i4, i1 }} %b, 2
  %s = add i32 %x, %y
  call void @_ssdm_op_Write.axis.volatile.i32P.i1P(ptr %sum, ptr %end, i32 %s, i1 %l)"""


def test_packets_are_read_and_written_in_parts_and_never_wait(tmp_path):
    stages = [(0, 0), (0, 0), (1, 0), (1, 0), (1, 0), (2, 0), (3, 0), (3, 0)]
    ports = "ptr %data, ptr %keep, ptr %last, ptr %sum, ptr %end"
    folder = straight(tmp_path / "s", PACKETS, ports, ADDS_PACKETS, stages)
    vectors = {
        ("in", "data"): [3, 4], ("in", "keep"): [15, 15], ("in", "last"): [0, 1],
        ("out", "sum"): [7], ("out", "end"): [1],
    }  # fmt: skip
    graph, said = outputs_of(folder, vectors)
    assert said == "outputs 2/2"
    assert graph.fifos == ()
    # The stage of the return: ports of the top are always ready.
    assert simulate(graph).cycles == 3


SINGLE = """
declare i8 @_ssdm_op_Read.axis.volatile.i8P(ptr)
declare void @_ssdm_op_Write.axis.volatile.i8P(ptr, i8)
"""


def test_a_stream_without_side_channels_passes_its_values_on_in_order(tmp_path):
    body = "".join(
        f"  %v{place} = call i8 @_ssdm_op_Read.axis.volatile.i8P(ptr %a)\n"
        f"  call void @_ssdm_op_Write.axis.volatile.i8P(ptr %b, i8 %v{place})\n"
        for place in range(3)
    )
    folder = straight(tmp_path / "s", SINGLE, "ptr %a, ptr %b", body.rstrip("\n"))
    _, said = outputs_of(folder, {("in", "a"): [9, 200, 1], ("out", "b"): [9, 200, 1]})
    assert said == "outputs 3/3"


SPACES = """
declare i16 @_autotb_FifoRead_i16(ptr addrspace(1))
declare i16 @_autotb_FifoWrite_i16(i16, ptr addrspace(1))
define i16 @_ssdm_op_Read.ap_fifo.volatile.p1i16(ptr addrspace(1) %p) {
  %v = call i16 @_autotb_FifoRead_i16(ptr addrspace(1) %p)
  ret i16 %v
}
define void @_ssdm_op_Write.ap_fifo.volatile.p1i16(ptr addrspace(1) %p, i16 %v) {
  %r = call i16 @_autotb_FifoWrite_i16(i16 %v, ptr addrspace(1) %p)
  ret void
}
"""


def test_fifos_may_be_in_an_address_space_of_their_own(tmp_path):
    body = """
  %v = call i16 @_ssdm_op_Read.ap_fifo.volatile.p1i16(ptr addrspace(1) %a)
  %w = add i16 %v, 1
  call void @_ssdm_op_Write.ap_fifo.volatile.p1i16(ptr addrspace(1) %b, i16 %w)"""
    folder = straight(tmp_path / "s", SPACES, "ptr addrspace(1) %a, ptr addrspace(1) %b", body)
    _, said = outputs_of(folder, {("in", "a"): [511], ("out", "b"): [512]})
    assert said == "outputs 1/1"


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("i1 @_ssdm_op_NbReadReq.axis.i8P(ptr %p, i32 %n)", "i1 @_ssdm_op_NbReadReq.axis.i8P(ptr %a, i32 1)"),
        ("i1 @_ssdm_op_CanReadReq.m_axi.i8P(ptr %p, i32 %n)", "i1 @_ssdm_op_CanReadReq.m_axi.i8P(ptr %a, i32 1)"),
        ("i1 @_ssdm_op_Read.axis.i1P(ptr %p, i32 %n)", "i1 @_ssdm_op_Read.axis.i1P(ptr %a, i32 1)"),
        ("i1 @_ssdm_op_Write.axis.i8P(ptr %p, i8 %v, i1 %k)", "i1 @_ssdm_op_Write.axis.i8P(ptr %a, i8 1, i1 1)"),
    ],
)
def test_accesses_that_take_other_arguments_keep_the_bodies_that_they_have(tmp_path, head, call):
    body = f"  %v = call {call}\n  %w = zext i1 %v to i8\n  store i8 %w, ptr %out"
    folder = straight(tmp_path / "s", f"define {head} {{\n  ret i1 true\n}}", "ptr %a, ptr %out", body)
    _, said = outputs_of(folder, {("in", "a"): [0], ("out", "out"): [1]})
    assert said == "outputs 1/1"


# --- Memory

MEMORY = """
declare RESULT @_ssdm_op_ReadReq.m_axi.i32P(POINTER, COUNT)
declare i32 @_ssdm_op_Read.m_axi.i32P(POINTER)
declare RESULT @_ssdm_op_WriteReq.m_axi.i32P(POINTER, COUNT)
declare void @_ssdm_op_Write.m_axi.i32P(POINTER, i32, i4)
declare RESULT @_ssdm_op_WriteResp.m_axi.i32P(POINTER)
"""
ADDS_ONE = """
  call RESULT @_ssdm_op_ReadReq.m_axi.i32P(POINTER %gmem, COUNT 1)
  %v = call i32 @_ssdm_op_Read.m_axi.i32P(POINTER %gmem)
  %w = add i32 %v, 1
  call RESULT @_ssdm_op_WriteReq.m_axi.i32P(POINTER %gmem, COUNT 1)
  call void @_ssdm_op_Write.m_axi.i32P(POINTER %gmem, i32 %w, i4 -1)
  call RESULT @_ssdm_op_WriteResp.m_axi.i32P(POINTER %gmem)"""


@pytest.mark.parametrize(
    ("pointer", "count", "result"), [("ptr", "i32", "i1"), ("ptr addrspace(1)", "i64", "i1"), ("ptr", "i32", "void")]
)
def test_memory_answers_a_request_and_a_write_after_its_latency(tmp_path, pointer, count, result):
    head, body = (
        each.replace("POINTER", pointer).replace("COUNT", count).replace("RESULT", result)
        for each in (MEMORY, ADDS_ONE)
    )
    stages = [(0, 6), (7, 0), (7, 0), (8, 0), (9, 0), (10, 4), (14, 0)]
    folder = straight(tmp_path / "s", head, f"{pointer} %gmem", body, stages)
    graph, said = outputs_of(folder, {("in", "gmem"): [41], ("out", "gmem"): [42]})
    assert said == "outputs 1/1"
    # Requested in cycle 0, the word is there in 1 + 12 and not in 7 already; written two stages later, in 15, it is
    # answered 1 + 7 cycles behind that, in the stage of the return.
    assert simulate(graph).cycles == 23


def bursts(root, operations, parameters="ptr %gmem, ptr %out"):
    """A top that does one operation after the other, each of which takes a stage."""
    head = MEMORY.replace("POINTER", "ptr").replace("COUNT", "i32").replace("RESULT", "i1")
    return straight(root, head, parameters, "\n".join(f"  {each}" for each in operations))


READS_TWICE = [
    "%v0 = call i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr %gmem, i32 2)",
    "%a = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %gmem)",
    "%b = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %gmem)",
    "%d = sub i32 %b, %a",
    "store i32 %d, ptr %out",
]


def test_beats_of_a_burst_lie_behind_each_other(tmp_path):
    folder = bursts(tmp_path / "s", READS_TWICE)
    _, said = outputs_of(folder, {("in", "gmem"): [3, 10], ("out", "out"): [7]})
    assert said == "outputs 1/1"


def test_a_burst_is_written_beat_by_beat(tmp_path):
    operations = [
        "%v0 = call i1 @_ssdm_op_WriteReq.m_axi.i32P(ptr %gmem, i32 2)",
        "call void @_ssdm_op_Write.m_axi.i32P(ptr %gmem, i32 5, i4 -1)",
        "call void @_ssdm_op_Write.m_axi.i32P(ptr %gmem, i32 6, i4 -1)",
        "%v1 = call i1 @_ssdm_op_WriteResp.m_axi.i32P(ptr %gmem)",
    ]
    folder = bursts(tmp_path / "s", operations, "ptr %gmem")
    _, said = outputs_of(folder, {("in", "gmem"): [0, 0], ("out", "gmem"): [5, 6]})
    assert said == "outputs 2/2"


def test_bursts_of_a_port_are_served_in_the_order_of_their_requests(tmp_path):
    """Beats 2, 3 and 0 of one port are read into a sum of powers, between them one of another port."""
    operations = [
        "%far = getelementptr i32, ptr %gmem, i64 2",
        "%v0 = call i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr %far, i32 2)",
        "%v1 = call i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr %gmem, i32 1)",
        "%v2 = call i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr %other, i32 1)",
        "%v3 = call i1 @_ssdm_op_ReadReq.m_axi.i32P(ptr %gmem, i32 0)",
        "%a = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %far)",
        "%o = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %other)",
        "%b = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %far)",
        "%c = call i32 @_ssdm_op_Read.m_axi.i32P(ptr %gmem)",
        *(f"%p{place} = getelementptr i32, ptr %out, i64 {place}" for place in range(4)),
        *(f"store i32 {value}, ptr %p{place}" for place, value in enumerate(["%a", "%b", "%c", "%o"])),
    ]
    folder = bursts(tmp_path / "s", operations, "ptr %gmem, ptr %other, ptr %out")
    vectors = {("in", "gmem"): [11, 12, 13, 14], ("in", "other"): [21], ("out", "out"): [13, 14, 11, 21]}
    _, said = outputs_of(folder, vectors)
    assert said == "outputs 4/4"


@pytest.mark.parametrize(
    ("bits", "strobe", "left"),
    [
        (32, 1, 0x123456FF),
        (32, 0b1010, 0xFF34FF78),
        (32, 0, 0x12345678),
        (32, 15, 0xFFFFFFFF),
        (8, 0, 0x78),
        (8, 1, 255),
    ],
)
def test_a_write_leaves_bytes_without_strobe_as_they_are(tmp_path, bits, strobe, left):
    kind = f"i{bits}"
    head = f"declare void @_ssdm_op_Write.m_axi.{kind}P(ptr, {kind}, i{bits // 8})\n"
    old = 0x12345678 & ((1 << bits) - 1)
    write = f"call void @_ssdm_op_Write.m_axi.{kind}P(ptr %gmem, {kind} -1, i{bits // 8} {strobe})"
    body = f"  store {kind} {old}, ptr %gmem\n  {write}"
    _, said = outputs_of(straight(tmp_path / "s", head, "ptr %gmem", body), {("out", "gmem"): [left]})
    assert said == "outputs 1/1"


def test_a_channel_whose_description_has_a_comma_in_its_name_has_its_depth(tmp_path, monkeypatch):
    text = test_import_solution.DATAFLOW.replace("@name", '@"first, second"')
    monkeypatch.setattr(test_import_solution, "DATAFLOW", text)
    graph = read_solution(test_import_solution.dataflow(tmp_path / "s", 3, 1))
    assert [each.depth for each in graph.fifos if each.name == "q"] == [3]
