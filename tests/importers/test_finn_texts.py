"""ONNX files whose texts are no texts."""

import pytest

from sttest.core.errors import InputError
from sttest.importers.finn_model import read_model

pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")

from onnx import TensorProto, helper


def model(text: str) -> bytes:
    """A model in which each text that may be any has this one behind its name."""
    node = helper.make_node("Add", ["in"], [f"tensor{text}"], name=f"node{text}", domain="finn", kind=f"value{text}")
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in ("in", f"tensor{text}")]
    return helper.make_model(helper.make_graph([node], f"graph{text}", ends[:1], ends[1:])).SerializeToString()


@pytest.mark.parametrize("place", ["tensor", "node", "graph"])
def test_a_name_that_is_no_text_is_refused(tmp_path, place):
    path = tmp_path / "model.onnx"
    path.write_bytes(model("_of").replace(f"{place}_of".encode(), f"{place}".encode() + b"\xff\xfe\xfd"))
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert (caught.value.code, caught.value.where) == ("not-onnx", str(path))
    assert caught.value.what == "no ONNX model: a text in it is not UTF-8"


def test_a_value_that_is_no_text_is_shown_as_far_as_it_is_one(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model("_of").replace(b"value_of", b"value\xff\xfe\xfd"))
    assert read_model(path).nodes[0].attributes == {"kind": "value\ufffd\ufffd\ufffd"}


def test_names_in_other_scripts_are_texts(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(model("_ä€"))
    found = read_model(path)
    assert (found.name, found.outputs, found.nodes[0].name) == ("graph_ä€", ("tensor_ä€",), "node_ä€")
