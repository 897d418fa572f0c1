"""Folders of packed parameters: what is written is read back, and what was damaged is refused."""

import json

import numpy as np
import pytest

pytest.importorskip("safetensors")

from sttest.core.errors import InputError
from sttest.models.quant.scheme import SCHEMES, QuantScheme
from sttest.runtime.packing import Parameter, read_parameters, write_parameters
from sttest.runtime.stream_layout import StreamLayout, row_major

WEIGHT = StreamLayout("i4", (4, 4), (3, 2), (4, 4), ((0, 1), (1, 0)), (4, 2))


def parameters():
    random = np.random.default_rng(1)
    return {
        "up.weight": Parameter(random.integers(-7, 8, (8, 12), dtype=np.int8), WEIGHT),
        "up.weight_scale": Parameter(random.random((1, 12)).astype(np.float16), row_major((1, 12), "f16")),
        "norm.weight": Parameter(random.random(12).astype(np.float32), row_major((12,), "f32")),
    }


def same(left, right):
    return left.keys() == right.keys() and all(
        np.array_equal(left[name].values, right[name].values) and left[name].layout == right[name].layout
        for name in left
    )


def test_what_is_written_is_read_back(tmp_path):
    written = parameters()
    folder = write_parameters(tmp_path / "packed", written, SCHEMES["w4a8"])
    found, scheme = read_parameters(folder)
    assert same(found, written)
    assert scheme == QuantScheme()
    write_parameters(folder, {"only": written["norm.weight"]}, SCHEMES["fp32"])
    assert list(read_parameters(folder)[0]) == ["only"]


def test_the_manifest_tells_layout_and_sizes(tmp_path):
    write_parameters(tmp_path / "packed", parameters(), SCHEMES["w4a8"])
    manifest = json.loads((tmp_path / "packed" / "manifest.json").read_text())
    entry = manifest["parameters"]["up.weight"]
    # 8 x 12 nibbles are 48 bytes, in beats of 64; a grid of 2 x 3 tiles, of 1 x 2 beats, of 4 x 2 elements.
    assert (entry["data_bytes"], entry["bytes"], entry["shape"]) == (48, 64, [8, 12])
    assert entry["memory_shape"] == [2, 3, 1, 2, 4, 2]
    assert (entry["layout"]["dtype"], entry["layout"]["trips"]) == ("i4", [3, 2])
    assert manifest["scheme"]["weights"] == "int4"


def test_a_foreign_folder_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something that is no folder of parameters"):
        write_parameters(tmp_path, parameters(), SCHEMES["w4a8"])
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_nothing_is_left_when_a_parameter_does_not_fit(tmp_path):
    bad = parameters() | {"bad": Parameter(np.zeros(3, dtype=np.float32), row_major((4,), "f32"))}
    with pytest.raises(InputError, match=r"float32 \[3\] where the layout has f32 \[4\]"):
        write_parameters(tmp_path / "packed", bad, SCHEMES["w4a8"])
    assert not list(tmp_path.iterdir())


def edited(change):
    def damage(folder):
        path = folder / "manifest.json"
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))

    return damage


def flipped(folder):
    path = folder / "parameters.safetensors"
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)


DAMAGES = {
    "a flipped bit": (flipped, "the bytes of .* are not those of the manifest"),
    "cut short": (lambda f: (f / "parameters.safetensors").write_bytes(b"x" * 20), "truncated, or no safetensors"),
    "no data": (lambda f: (f / "parameters.safetensors").unlink(), "truncated, or no safetensors"),
    "no manifest": (lambda f: (f / "manifest.json").unlink(), "not readable as JSON"),
    "no JSON": (lambda f: (f / "manifest.json").write_text("["), "not readable as JSON"),
    "another schema": (edited(lambda d: d.update(schema="x/1")), "no manifest of schema sttest.parameters/1"),
    "an unknown key": (edited(lambda d: d.update(extra=1)), "unknown key 'extra'"),
    "a parameter less": (edited(lambda d: d["parameters"].pop("up.weight")), "holds other parameters"),
    "another shape": (edited(lambda d: d["parameters"]["norm.weight"].update(shape=[3, 4])), "are not those"),
    "another order": (
        edited(lambda d: d["parameters"]["up.weight"]["layout"].update(trips=[2, 3])),
        "are not those of the manifest",
    ),
    "no layout": (edited(lambda d: d["parameters"]["up.weight"]["layout"].update(beat=[3, 4])), "do not divide"),
    "a huge layout": (edited(lambda d: d["parameters"]["up.weight"]["layout"].update(trips=[2**40, 2])), "more than"),
    "half a scheme": (edited(lambda d: d["scheme"].pop("group")), "a scheme has"),
    "a wrong scheme": (edited(lambda d: d["scheme"].update(weights="int3")), "weights is 'int3'"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_folders_are_refused(tmp_path, damage, message):
    folder = write_parameters(tmp_path / "packed", parameters(), SCHEMES["w4a8"])
    damage(folder)
    with pytest.raises(InputError, match=message) as caught:
        read_parameters(folder)
    assert "\n" not in str(caught.value)
