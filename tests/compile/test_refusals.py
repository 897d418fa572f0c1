"""Linalg text that cannot be streamed is refused with a line that says what, where and the way out."""

from __future__ import annotations

import pytest
from linalg_programs import Program

from sttest.compile.opt import run_opt
from sttest.core.errors import InputError


def refused(text: str, pipeline: str = "linalg-to-kernels") -> InputError:
    with pytest.raises(InputError) as error:
        run_opt(text, "text", pipeline)
    assert error.value.hints or error.value.code in ("bad-ir", "bad-attribute", "no-return")
    return error.value


def unary_text(**changes: str) -> str:
    """An exponential of a 4x4 tensor, with parts of its text exchanged."""
    program = Program()
    text = program.text(program.unary(program.argument(4, 4)))
    for old, new in changes.items():
        assert OLD[old] in text
        text = text.replace(OLD[old], new)
    return text


OLD = {
    "tensor": "tensor<4x4xf32>",
    "input": "affine_map<(d0, d1) -> (d0, d1)>, affine",
    "body": "%s = math.exp %i0 : f32",
    "empty": '%v0_out = "tensor.empty"() : () -> tensor<4x4xf32>',
}


def test_a_dynamic_shape() -> None:
    text = "func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> { func.return %x : tensor<?x4xf32> }"
    assert refused(text).code == "dynamic-shape"


def test_an_empty_tensor() -> None:
    assert refused(unary_text(tensor="tensor<0x4xf32>")).code == "dynamic-shape"


def test_elements_that_no_stream_carries() -> None:
    text = unary_text().replace("f32", "f64")
    error = refused(text)
    assert error.code == "element-type"
    assert "tensor<4x4xf64>" in error.what


def test_an_op_that_no_pass_takes_is_named_with_its_count() -> None:
    text = (
        'func.func @main() { %a = "tensor.empty"() : () -> tensor<4xf32> '
        '%0 = "arith.constant"() <{value = 0 : index}> : () -> index '
        '%1 = "tensor.extract"(%a, %0) : (tensor<4xf32>, index) -> f32 func.return }'
    )
    assert "tensor.extract (1x)" in refused(text).what


def test_a_window_is_refused() -> None:
    text = unary_text(input="affine_map<(d0, d1) -> (d0 + d1, d1)>, affine")
    text = text.replace("%a0: tensor<4x4xf32>", "%a0: tensor<7x4xf32>").replace(
        ": (tensor<4x4xf32>", ": (tensor<7x4xf32>"
    )
    assert refused(text).code == "strided-access"


def test_a_diagonal_is_refused() -> None:
    assert refused(unary_text(input="affine_map<(d0, d1) -> (d0, d0)>, affine")).code == "diagonal-access"


def test_an_elementwise_op_that_reads_its_destination() -> None:
    assert refused(unary_text(body="%s = arith.addf %i0, %acc : f32")).code == "reads-destination"


def test_a_constant_operand() -> None:
    text = unary_text(
        empty='%c = arith.constant dense<0.0> : tensor<4x4xf32>\n%v0_out = "tensor.empty"() : () -> tensor<4x4xf32>'
    )
    assert refused(text.replace('"linalg.generic"(%a0', '"linalg.generic"(%c')).code == "constant-operand"


def test_a_body_that_reads_a_scalar_argument() -> None:
    text = unary_text(body="%s = arith.mulf %i0, %k : f32").replace("(%a0:", "(%k: f32, %a0:")
    assert refused(text).code == "captured-value"


def test_a_reduction_without_a_fill() -> None:
    program = Program()
    text = program.text(program.reduce(program.argument(4, 8), 1)).replace(", %v0_fill)", ", %v0_out)")
    assert refused(text).code == "unknown-initial-value"


def test_a_reduction_whose_fill_is_no_constant() -> None:
    program = Program()
    text = program.text(program.reduce(program.argument(4, 8), 1))
    text = text.replace("@main(", "@main(%k: f32, ").replace('"linalg.fill"(%v0_c', '"linalg.fill"(%k')
    error = refused(text)
    assert error.code == "unknown-initial-value"
    assert error.where == "linalg.generic -> tensor<4xf32>"


def test_control_flow() -> None:
    program = Program()
    text = program.text(program.unary(program.argument(4, 4)))
    returned = text.splitlines()[-2]
    assert refused(text.replace(returned, f"{returned}\n^bb1:\n{returned}")).code == "control-flow"


def test_argument_names_that_do_not_match_the_arguments() -> None:
    text = unary_text().replace("{\n", 'attributes {sttest.arg_names = ["x", "y"]} {\n', 1)
    assert "sttest.arg_names must be a list of 1 strings" in refused(text).what


@pytest.mark.parametrize(
    ("pipeline", "needed"),
    [
        ("linalg-to-kernels,insert-forks", "materialize-dma"),
        ("linalg-to-kernels,vectorize", "materialize-dma"),
        ("linalg-to-kernels,name-nodes", "materialize-dma"),
        ("linalg-to-kernels,materialize-dma,lower-to-streams", "name-nodes"),
        ("linalg-to-kernels,size-fifos", "lower-to-streams"),
        ("size-fifos", "linalg-to-kernels"),
    ],
)
def test_passes_in_a_wrong_order_say_what_to_run_first(pipeline: str, needed: str) -> None:
    assert refused(unary_text(), pipeline).hints == (f"run {needed} first",)


def test_a_converter_without_a_buffer() -> None:
    program = Program()
    value = program.matmul(program.argument(16, 16), program.argument(16, 16))
    text = program.text(program.matmul(program.transpose(value, [1, 0]), program.argument(16, 16)))
    fused = "linalg-to-kernels{tile-size=4},fuse-kernels{c-max-bytes=99999}"
    pipeline = f"{fused},materialize-dma,name-nodes,lower-to-streams"
    assert refused(text, pipeline).hints == ("run materialize-converters first",)


def test_a_task_without_given_lanes_and_an_entry_without_lanes() -> None:
    assert refused(unary_text(), 'linalg-to-kernels,assign-lanes{fixed="other:2"}').code == "no-lanes"
    assert refused(unary_text(), 'linalg-to-kernels,assign-lanes{fixed="op"}').code == "bad-lanes"
