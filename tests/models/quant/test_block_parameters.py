"""A quantised block's parameters, packed in the order that a compiled design streams them in."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from block_runs import blocks

from sttest.compile.dialects import df
from sttest.compile.opt import new_context, parse
from sttest.compile.pipeline import CompileOptions, passes
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.models.quant.block import quantise_block
from sttest.models.quant.scheme import SCHEMES
from sttest.runtime.packing import export_parameters, pack, read_parameters, streamed_tiles, unpack, write_parameters
from sttest.runtime.stream_layout import StreamLayout

pytestmark = pytest.mark.torch
SCHEME = SCHEMES["w4a8"]


def test_names_and_types():
    _, first, _ = blocks("gpt2")
    found = export_parameters(quantise_block(first, SCHEME), SCHEME)
    assert found["mlp.fc1.weight"].layout.dtype == "i4"
    assert found["mlp.fc1.weight_scale"].layout.dtype == "f16"
    assert found["mlp.fc1.bias"].layout.dtype == "f32"
    assert set(first.state_dict()) <= found.keys()
    with pytest.raises(InputError, match=r"no parameter 'attn.q_proj.weigth'; did you mean 'attn.q_proj.weight'"):
        export_parameters(first, SCHEMES["fp32"], {"attn.q_proj.weigth": found["mlp.fc1.weight"].layout})


def test_a_block_survives_its_folder(tmp_path):
    _, first, _ = blocks("qwen")
    written = export_parameters(quantise_block(first, SCHEME), SCHEME)
    found, _ = read_parameters(write_parameters(tmp_path / "p", written, SCHEME))
    assert all(np.array_equal(found[name].values, written[name].values) for name in written)


def layout_of(dma):
    """The facts of a DMA, as a caller of the compiler would hand them to the models."""
    stream, rank = df.itensor_of(dma.produced[0]), len(df.itensor_of(dma.produced[0]).element_shape)
    memory = dma.layout.values
    layout = StreamLayout(
        f"{'i' if str(stream.dtype).startswith('i') else 'f'}{stream.element_bits}",
        stream.element_shape,
        stream.trip_counts,
        stream.step_sizes,
        stream.coefficients,
        tuple(memory[2 * rank :]),
        dma.beat_bits.value.data,
    )
    return stream, layout


def parameter_dmas(name, phase):
    context = new_context()
    module = parse(lowered_text(name, phase), name, context)
    for each in passes(CompileOptions(), "u55c", 2**25):
        each.apply(context, module)
        if each.name == "materialize-dma":
            break
    return [op for op in module.walk() if isinstance(op, df.DmaReadOp) and op.packed is not None]


@pytest.mark.parametrize(("name", "phase"), [("gpt2", "prefill"), ("qwen", "decode"), ("gemma", "decode")])
def test_every_parameter_of_a_design_packs_into_the_layout_of_its_dma(name, phase):
    _, first, _ = blocks(name)
    found = export_parameters(quantise_block(first, SCHEME), SCHEME)
    names = {parameter.replace(".", "_"): parameter for parameter in found}
    dmas = parameter_dmas(name, phase)
    assert {dma.origin.data for dma in dmas} == names.keys()
    for dma in dmas:
        stream, layout = layout_of(dma)
        values = found[names[dma.origin.data]].values
        assert layout.memory_shape == tuple(dma.layout.values)
        assert layout.dtype == found[names[dma.origin.data]].layout.dtype
        memory = pack(values, layout)
        assert np.array_equal(unpack(memory, layout), values)
        for tile, offsets in zip(streamed_tiles(memory, layout), stream.offsets(), strict=True):
            place = tuple(slice(start, start + size) for start, size in zip(offsets, layout.tile, strict=True))
            assert np.array_equal(tile, values[place])
