"""The files of a kernel: what is found in its C++ and its table, and where each tensor lies in a buffer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature, write_signature
from sttest.package import KernelFiles
from sttest.package.kernel_files import MEMORY_SCHEMA

WORD = 16
CPP = """#include "types.h"
#include "parts.h"
hls::stream<vec_t<4>, 3> x_in("load_x__norm");
STTEST_FIFO(wide, "norm__store_y", 12);
"""


def signature(*names: str, kernels: int = 1) -> DesignSignature:
    arguments = tuple(
        BufferArgument(
            name=name,
            index=index,
            element="int8",
            bytes=64,
            access="read",
            banks=(index,),
            alignment_bytes=WORD if index else 1,
        )
        for index, name in enumerate(names)
    )
    return DesignSignature(
        design="d",
        board="u55c",
        kernels=tuple(KernelSignature(name=f"k{number}", arguments=arguments) for number in range(kernels)),
    )


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with what this module reads alone: x by itself; w and v in one buffer of two layers, h behind them."""
    hls = tmp_path / "hls"
    hls.mkdir()
    (hls / "kernel.cpp").write_text(CPP)
    (hls / "parts.h").write_text('#pragma once\n#include "types.h"\nint part;\n')
    (hls / "types.h").write_text("#pragma once\nint type;\n")
    write_signature(signature("x", "w", "y"), hls / "signature.json")
    table = {
        "schema": MEMORY_SCHEMA,
        "kernel": "k0",
        "shared_fifos": {"f": ["a", "b"]},
        "arguments": [
            {"name": "x", "dma": "load_x"},
            {
                "name": "w",
                "dma": "load_w",
                "layers": 2,
                "behind": [{"load": "h", "bytes": 16}],
                "parts": [{"load": "w", "bytes": 32}, {"load": "v", "bytes": 16}],
            },
            {"name": "y", "dma": "store_y", "layers": 2, "steps": 3},
        ],
    }
    (hls / "memory.json").write_text(json.dumps(table))
    return tmp_path


def image(size: int, start: int) -> np.ndarray:
    return (np.arange(size) + start).astype(np.uint8)


def test_the_text_of_a_kernel_has_each_header_once_and_its_lines_know_their_places(package: Path) -> None:
    files = KernelFiles.read(package)
    lines = files.cpp_text.splitlines()
    assert lines == ["int type;", "int part;", *CPP.splitlines()[2:]]
    places = [files.cpp_place(number + 1) for number in range(len(lines))]
    assert places == ["hls/types.h:2", "hls/parts.h:3", "hls/kernel.cpp:3", "hls/kernel.cpp:4"]
    assert files.cpp_place(1000) == "hls/kernel.cpp:4"  # a tool may complain about the line behind the last
    assert files.depths == {"load_x__norm": 3, "norm__store_y": 12}


def test_a_table_says_what_lies_behind_each_argument(package: Path) -> None:
    files = KernelFiles.read(package)
    assert files.argument_of == {"load_x": "x", "load_w": "w", "store_y": "y"}
    assert (files.layers_of, files.steps_of) == ({"load_w": 2, "store_y": 2}, {"store_y": 3})
    assert files.shared_fifos == {"f": ("a", "b")}
    assert files.word_bytes == WORD
    assert {node: files.dma_of(node) for node in ("w", "v", "h", "load_x")} == {
        "w": "load_w",
        "v": "load_w",
        "h": "load_w",
        "load_x": "load_x",
    }
    of_each_layer = {node: files.is_per_layer(node) for node in ("load_x", "w", "h", "store_y")}
    assert of_each_layer == {"load_x": False, "w": True, "h": False, "store_y": True}


def test_images_of_layers_become_those_of_a_launch_and_of_its_arguments(package: Path) -> None:
    files = KernelFiles.read(package)
    layers = [
        {"load_x": image(8, 0), "w": image(32, 10 * layer), "v": image(16, 7 * layer), "h": image(16, 3)}
        for layer in range(2)
    ]
    launch = files.of_layers(layers)
    assert launch["load_x"] is layers[0]["load_x"]
    assert launch["h"] is layers[0]["h"]
    np.testing.assert_array_equal(launch["w"], np.concatenate([each["w"] for each in layers]))
    found = files.by_argument(launch)
    assert set(found) == {"x", "w"}
    rows = [np.concatenate([each["w"], each["v"]]) for each in layers]
    np.testing.assert_array_equal(found["w"], np.concatenate([*rows, layers[0]["h"]]))
    assert files.by_dma(launch).keys() == {"load_x", "load_w"}


@given(st.integers(1, 3), st.integers(1, 40))
def test_every_token_has_a_row_of_its_layers_each_in_whole_words(layers: int, tokens_bytes: int) -> None:
    files = KernelFiles(Path(), signature("x", "y"))
    table = {
        "kernel": "k0",
        "arguments": [{"name": "x", "dma": "x"}, {"name": "y", "dma": "y", "layers": 9, "steps": 3}],
    }
    files.__dict__["_memory"] = _table(table)
    size = tokens_bytes * WORD
    images = [image(3 * size, 5 * layer) for layer in range(layers)]
    (found,) = files.of_layers([{"y": each} for each in images]).values()
    by_token = found.reshape(3, layers, size)
    for layer, each in enumerate(images):
        np.testing.assert_array_equal(by_token[:, layer], each.reshape(3, size))


def _table(content: dict[str, object]) -> object:
    from sttest.package import kernel_files

    return kernel_files._MemoryTable.model_validate(content)


def test_a_layer_that_ends_within_a_word_is_filled_up(package: Path) -> None:
    files = KernelFiles.read(package)
    found = files.of_layers([{"w": image(30, 1)}, {"w": image(30, 2)}])["w"]
    np.testing.assert_array_equal(found[:32], np.pad(image(30, 1), (0, 2)))
    np.testing.assert_array_equal(found[32:], np.pad(image(30, 2), (0, 2)))


def test_what_a_build_writes_is_among_the_sources_and_what_is_built_too(package: Path) -> None:
    files = KernelFiles.read(package)
    files.write_build_files("[connectivity]\n", "all:\n")
    files.write_floorplan("create_pblock a\n", {"norm": "SLR0"})
    names = {
        "hls/types.h",
        "hls/parts.h",
        "hls/kernel.cpp",
        "hls/link.cfg",
        "hls/Makefile",
        "hls/signature.json",
        "hls/memory.json",
    }
    assert files.sources().keys() == names
    for target in ("hw", "hw_emu"):
        files.build_folder(target).mkdir()
        files.xclbin(target).write_bytes(target.encode())
    (files.build_folder("hw_emu") / "emconfig.json").write_text("{}")
    found = files.sources()
    built = {"hls/build-hw/k0.xclbin": b"hw", "hls/build-hw_emu/k0.xclbin": b"hw_emu"}
    assert found.items() >= built.items()
    assert found.keys() == names | built.keys() | {"hls/build-hw_emu/emconfig.json"}
    assert found["hls/link.cfg"] == b"[connectivity]\n"
    assert (package / "hls" / "floorplan.tcl").read_text() == "create_pblock a\n"
    assert json.loads((package / "hls" / "floorplan.json").read_text()) == {"norm": "SLR0"}


def test_a_package_without_cpp_and_one_of_several_kernels_are_refused(package: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        KernelFiles.read(tmp_path / "hls")
    assert (caught.value.code, caught.value.where) == ("no-kernel", str(tmp_path / "hls"))
    KernelFiles.read(package).write_signature(signature("x", kernels=2))
    with pytest.raises(InputError) as caught:
        KernelFiles.read(package)
    assert caught.value.code == "several-kernels"
    assert "(demand 2 kernels, bound 1 kernels)" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ('"layers": 2', '"layers": 0', "arguments[1].layers: input should be greater than 0, given 0"),
        ('"bytes": 32', '"bytes": -1', "arguments[1].parts[0].bytes: input should be greater than 0, given -1"),
        ('"kernel": "k0"', '"kernle": "k0"', "kernle: unknown key 'kernle'; did you mean 'kernel'?"),
        ('"dma": "load_x"', '"d": "load_x"', "arguments[0].dma: key 'dma' is missing"),
    ],
)
def test_a_table_that_is_none_is_refused_at_its_key(old: str, new: str, text: str, package: Path) -> None:
    path = package / "hls" / "memory.json"
    path.write_text(path.read_text().replace(old, new, 1))
    files = KernelFiles.read(package)
    with pytest.raises(InputError) as caught:
        _ = files.rows
    assert str(caught.value) == f"{path}: {text}"
