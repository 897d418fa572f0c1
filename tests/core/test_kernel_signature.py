"""The file that says what kernels look like: written and read back, and refused where it is wrong."""

import copy
import json
import math
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.core.kernel_signature import (
    SCHEMA,
    BufferArgument,
    DesignSignature,
    KernelSignature,
    ScalarArgument,
    read_signature,
    write_signature,
)

ADD = KernelSignature(
    name="add",
    arguments=(
        BufferArgument(name="a", index=0, element="int32", bytes=4096, access="read", banks=(0,)),
        BufferArgument(name="b", index=1, element="int32", bytes=4096, access="read", banks=(1, 2)),
        BufferArgument(name="c", index=2, element="int32", bytes=4096, access="write", banks=(3,)),
        ScalarArgument(name="n", index=3, type="uint32"),
    ),
)
TWICE = KernelSignature(
    name="twice",
    arguments=(BufferArgument(name="x", index=0, element="int32", bytes=4096, access="read_write", banks=(3,)),),
)
DESIGN = DesignSignature(design="adder", board="u55c", kernels=(ADD, TWICE))


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "signature.json"
    write_signature(DESIGN, path)
    return path


def test_it_is_read_back_as_it_was_written(file):
    assert read_signature(file) == DESIGN
    assert json.loads(file.read_text())["schema"] == SCHEMA
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name]


def changed(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    return file


def argument(content, index=0):
    return content["kernels"][0]["arguments"][index]


def twice(content):
    content["kernels"].append(copy.deepcopy(content["kernels"][0]))


def on_a_port(content):
    for index in (0, 1):
        argument(content, index).update(port="p")


WRONG = {
    "another schema": (lambda c: c.update(schema="sttest.kernel-signature/2"), ("schema", "/1")),
    "no schema": (lambda c: c.pop("schema"), ("schema is None",)),
    "misspelt key": (lambda c: argument(c).update(bank=[0]), ("'bank'", "did you mean 'banks'")),
    "missing key": (lambda c: argument(c).pop("bytes"), ("'bytes' is missing",)),
    "text for a number": (lambda c: argument(c).update(bytes="4096"), ("bytes", "integer")),
    "no bytes": (lambda c: argument(c).update(bytes=0), ("bytes", "greater than or equal to 1")),
    "no banks": (lambda c: argument(c).update(banks=[]), ("banks",)),
    "banks with a gap": (lambda c: argument(c).update(banks=[0, 2]), ("'a'", "range")),
    "banks that differ on a port": (on_a_port, ("'p'", "different banks")),
    "alignment of 48": (lambda c: argument(c).update(alignment_bytes=48), ("power of two",)),
    "a scalar of 64 bits": (lambda c: argument(c, 3).update(type="uint64"), ("type", "uint64")),
    "another kind": (lambda c: argument(c).update(kind="stream"), ("stream",)),
    "indices with a gap": (lambda c: argument(c, 1).update(index=7), ("'add'", "0, 1, 2")),
    "a name that is no identifier": (lambda c: argument(c).update(name="a; rm -rf"), ("name",)),
    "two arguments of a name": (lambda c: argument(c, 1).update(name="a"), ("called 'a'",)),
    "two kernels of a name": (twice, ("called 'add'",)),
    "an instance twice": (lambda c: c["kernels"][1].update(instances=["add_1"]), ("called 'add_1'",)),
    "no kernels": (lambda c: c.update(kernels=[]), ("kernels",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name, file):
    change, parts = WRONG[name]
    with pytest.raises(InputError) as caught:
        read_signature(changed(file, change))
    text = str(caught.value)
    assert str(file) in text
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"schema": 1, "schema": 2}', '{"schema": NaN}', "[" * 100_000, '"\udcff"', "x" * (2 << 20)],
    ids=["empty", "list", "cut", "duplicate", "nan", "deep", "surrogate", "large"],
)
def test_no_such_file_at_all(text, tmp_path):
    path = tmp_path / "signature.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=r"signature\.json"):
        read_signature(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_signature(tmp_path / "signature.json")


@pytest.mark.parametrize(
    ("type_", "value", "word"),
    [
        ("int32", -1, -1),
        ("uint32", 2**32 - 1, -1),
        ("uint32", 7, 7),
        ("float32", 1.0, 0x3F800000),
        ("float32", -0.0, -(2**31)),
    ],
)
def test_words_of_scalars(type_, value, word):
    scalar = ScalarArgument(name="s", index=0, type=type_)
    assert scalar.word(value) == word
    assert scalar.value(word) == value
    assert math.copysign(1, scalar.value(word)) == math.copysign(1, value)


@pytest.mark.parametrize(("type_", "value"), [("int32", 2**31), ("uint32", -1), ("float32", 1e39), ("int32", 0.5)])
def test_a_scalar_that_its_type_cannot_hold(type_, value):
    with pytest.raises(InputError, match=f"is no {type_}"):
        ScalarArgument(name="s", index=0, type=type_).word(value)


def test_what_a_kernel_does_with_a_buffer():
    a, _, c = ADD.buffers
    assert (a.is_read, a.is_written, c.is_read, c.is_written) == (True, False, False, True)
    (x,) = TWICE.buffers
    assert (x.is_read, x.is_written) == (True, True)
    assert ADD.compute_units == ("add_1",)
    assert (DESIGN.kernel("twice"), DESIGN.kernel("nothing")) == (TWICE, None)


def test_arguments_that_share_a_port_are_behind_it_in_their_order():
    shared = KernelSignature(
        name="k",
        arguments=tuple(
            BufferArgument(name=name, index=index, element="int8", bytes=1, access="read", port=port, banks=(1,))
            for index, (name, port) in enumerate((("a", "p"), ("b", ""), ("c", "p")))
        ),
    )
    assert {port: [each.name for each in found] for port, found in shared.ports.items()} == {
        "p": ["a", "c"],
        "b": ["b"],
    }
    assert {argument.bytes for argument in shared.arguments} == {1}


def test_a_scalar_is_four_bytes_of_the_control_registers():
    assert [argument.bytes for argument in ADD.arguments] == [4096, 4096, 4096, 4]


def test_signatures_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        DESIGN.board = "u280"  # pyright: ignore
    assert isinstance(DESIGN, DesignSignature)
