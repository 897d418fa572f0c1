"""The compiler quantizes the streams that the golden block quantizes."""

import pytest

torch = pytest.importorskip("torch")

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import tiling_passes
from sttest.frontend.shipped import lowered_text

pytestmark = pytest.mark.torch

# Per family: the module that writes each int8 stream.
COMMON = {"attn_norm", "attn.softmax", "attn.normalize", "mlp_norm", "mlp.act"}
WRITERS = {
    "gpt2": COMMON | {"attn.q_proj", "attn.k_proj", "attn.v_proj"},
    "qwen": COMMON | {"attn.q_rope", "attn.k_rope", "attn.v_proj"},
    "llama": COMMON | {"attn.q_rope", "attn.k_rope", "attn.v_proj"},
    "gemma": COMMON | {"attn.q_rope", "attn.k_rope", "attn.v_proj"},
}


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("name", WRITERS)
def test_int8_streams_are_those_that_the_golden_quantizes(name, phase):
    context = new_context()
    module = parse(lowered_text(name, phase, small=True), name, context)
    for each in tiling_passes(CompileOptions(precision="w4a8")):
        each.apply(context, module)
    kernels = [kernel for function in functions(module) for kernel in all_of(function, df.KernelOp)]
    written = [(kernel.body.block.first_op.origin.data, str(out.type)) for kernel in kernels for out in kernel.outputs]
    assert sorted(origin for origin, kind in written if kind.endswith("xi8>")) == sorted(WRITERS[name])
    dequantized = [kernel.sym_name.data for kernel in kernels if kernel.sym_name.data.endswith("_dequantize")]
    assert dequantized == (["attn_v_proj_dequantize"] if phase == "decode" else [])
