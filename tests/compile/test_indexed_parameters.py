"""What a text says of parameters that are read by parts is held against its arguments and results."""

import pytest

from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import functions
from sttest.compile.opt import new_context, parse
from sttest.core.errors import InputError

TEXT = """func.func @f(%w: tensor<4x6xf32>) -> (tensor<1x2xf32>) attributes {{
  sttest.arg_names = ["w"], sttest.arg_kinds = ["parameter"], sttest.result_names = ["chosen"], {said}
}} {{
  %r = tensor.empty() : tensor<1x2xf32>
  func.return %r : tensor<1x2xf32>
}}"""
GOOD = {"indexed": '["w:0"]', "index": '"chosen"', "index_range": "8 : i64"}


def read(**said: str) -> IndexedParameters | None:
    attributes = ", ".join(f"sttest.{key} = {value}" for key, value in {**GOOD, **said}.items())
    (function,) = functions(parse(TEXT.format(said=attributes), "text", new_context()))
    return IndexedParameters.of(function)


def test_parts_of_an_argument():
    found = read()
    assert found is not None
    assert (found.count, found.parts) == (2, 8)
    assert found.shape_in_memory("w", (4, 6)) == (8, 2, 6)
    assert found.shape_in_memory("x", (4, 6)) == (4, 6)
    assert found.dim_of("w_scale") == 0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"index": '"other"'}, "is no result"),
        ({"index_range": "0 : i64"}, "index_range is 0"),
        ({"indexed": '["w:2"]'}, "with a dim, 0 or 1"),
        ({"indexed": '["v:0"]'}, "'v' is no argument"),
        ({"index": "1 : i64"}, "needs sttest.index"),
    ],
)
def test_what_does_not_fit_is_refused(said, told):
    with pytest.raises(InputError, match=told) as caught:
        read(**said)
    assert caught.value.code == "bad-attribute"
