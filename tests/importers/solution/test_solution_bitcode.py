"""Bitcode that is read from its top on: what a pointer of the top points to, and what is refused with its cause."""

import llvmlite.binding as llvm
import pytest
from solution_folders import Stages, write_solution, write_vectors
from solution_runs import runs_here

from sttest.importers.solution import read_solution
from sttest.importers.solution.bitcode import UnreadableError, executable


def read(text):
    """What is told of bitcode, given as text."""
    return executable(llvm.parse_assembly(text).as_bitcode(), "top")


def bits(text):
    """Bits of an element behind the only parameter of a top."""
    (parameter,) = read(text).parameters
    return parameter.bits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("define void @other() {\n  ret void\n}", "the bitcode has no function 'top'"),
        ("declare void @top()", "the bitcode has no function 'top'"),
        (
            "declare i32 @system(ptr)\ndefine void @top(ptr %p) {\n  %r = call i32 @system(ptr %p)\n  ret void\n}",
            "the bitcode calls 'system', which is not in it",
        ),
        (
            "declare i1 @_ssdm_op_NbReadReq.axis.i8P(ptr, i32)\ndefine void @top(ptr %p) {\n"
            "  %r = call i1 @_ssdm_op_NbReadReq.axis.i8P(ptr %p, i32 1)\n  ret void\n}",
            "the bitcode calls '_ssdm_op_NbReadReq.axis.i8P', which is not in it",
        ),
        (
            "@table = external constant [4 x i32]\ndefine i32 @top() {\n  %v = load i32, ptr @table\n  ret i32 %v\n}",
            "the bitcode uses 'table', which is not in it",
        ),
        (
            'define void @top() {\n  call void asm sideeffect "nop", ""()\n  ret void\n}',
            "the bitcode contains assembly language",
        ),
        (
            "declare void @_ssdm_op_Return(...)\ndefine void @top(i1 %c) {\nentry:\n  br label %l\nl:\n"
            "  call void (...) @_ssdm_op_Return()\n  br i1 %c, label %l, label %m\nm:\n  ret void\n}",
            r"a block returns and goes on to several others: br i1 %c, label %l, label %m",
        ),
    ],
)
def test_what_cannot_be_executed_is_refused(text, told):
    with pytest.raises(UnreadableError, match=told):
        read(text)


def test_damaged_bitcode_is_refused():
    with pytest.raises(UnreadableError, match=r"the bitcode is damaged \([^()]*[Ii]nvalid bitcode") as refused:
        executable(b"none at all", "top")
    assert "\n" not in str(refused.value)  # what is told of a child is its last line


# --- What a pointer of the top points to


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("  %q = getelementptr inbounds i24, ptr %p, i64 1\n  ret void", 24),
        ("  %q = getelementptr [4 x [2 x float]], ptr %p, i64 0, i64 1\n  ret void", 32),
        ("  %v = load volatile i9, ptr %p\n  ret void", 9),
        ("  store i7 3, ptr %p\n  ret void", 7),
        ("  %q = ptrtoint ptr %p to i64\n  %v = load i5, ptr %p\n  ret void", 5),  # the first use says nothing
        ("  %m = alloca ptr\n  store ptr %p, ptr %m\n  ret void", 0),  # stored itself
        ("  ret void", 0),
    ],
)
def test_an_element_has_the_width_of_its_use(body, wanted):
    assert bits(f"define void @top(ptr %p) {{\n{body}\n}}") == wanted


def chain(length):
    """A top that passes its pointer on through so many functions, the last of which loads 16 bits."""
    text = "".join(
        f"define void @{caller}(ptr %p) {{\n  call void @f{place}(ptr %p)\n  ret void\n}}\n"
        for place, caller in enumerate(["top", *(f"f{each}" for each in range(length - 1))])
    )
    return f"{text}define void @f{length - 1}(ptr %p) {{\n  %v = load i16, ptr %p\n  ret void\n}}\n"


@pytest.mark.parametrize(("length", "wanted"), [(1, 16), (8, 16), (9, 0)])
def test_a_pointer_is_followed_into_calls_but_not_for_ever(length, wanted):
    assert bits(chain(length)) == wanted


def test_a_function_that_passes_a_pointer_to_itself_says_no_width():
    assert bits("define void @top(ptr %p) {\n  call void @top(ptr %p)\n  ret void\n}") == 0


def test_a_pointer_that_only_an_operation_of_llvm_gets_has_no_width():
    text = "declare void @llvm.assume(i1)\ndeclare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"
    text += "define void @top(ptr %p) {\n  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 0, i32 1)\n  ret void\n}"
    assert bits(text) == 0


SUM = """
define void @top(ptr %a, ptr %out) {
  %x = load i16, ptr %a
  %q = getelementptr i16, ptr %a, i64 1
  %y = load i16, ptr %q
  %d = sub i16 %y, %x
  store i16 %d, ptr %out
  ret void
}
"""


def test_values_of_a_port_lie_as_far_apart_as_the_code_reads_them(tmp_path, monkeypatch):
    """Both values would fit into bytes."""
    runs_here(monkeypatch, tmp_path)
    folder = write_solution(tmp_path / "s", SUM, {"top": Stages([[(0, 0)] * 6], [(0, 0)])})
    write_vectors(folder, "in", "a", [1, 3])
    write_vectors(folder, "out", "out", [2])
    checks: list[str] = []
    read_solution(folder, checks=checks)
    assert "outputs 1/1" in checks
