"""Writes residual.onnx: a residual block as layers of FINN, before FIFOs are put between them; needs onnx.

A frame of 16 by 16 pixels with 8 channels of 4 bits goes two ways: through a padded convolution of 3 by 3, and beside
it. The sum of both leaves. No stream has been given more than FINN's least depth of two, so the block deadlocks: the
convolution has to see two rows before it gives a pixel, and until then nobody takes what lies beside it.
"""

from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

SIZE, CHANNELS, KERNEL = 16, 8, 3
LANES = {"inputDataType": "INT4", "NumChannels": CHANNELS, "PE": CHANNELS, "numInputVectors": [1, SIZE, SIZE]}
OUT = Path(__file__).with_name("residual.onnx")


def layer(op: str, name: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    """A node of one of FINN's layers, with its implementation as the suffix of the operation."""
    domain = f"finn.custom_op.fpgadataflow.{op.rpartition('_')[2]}"
    return helper.make_node(op, inputs, outputs, name, domain=domain, backend="fpgadataflow", **attributes)


def block() -> onnx.ModelProto:
    """Five layers; the convolution is the slowest, nine words by four groups of channels for each pixel."""
    padding, convolved = SIZE + KERNEL - 1, KERNEL * KERNEL * CHANNELS
    nodes = [
        layer("DuplicateStreams_hls", "fork", ["frame"], ["near", "far"], NumOutputStreams=2, **LANES),
        layer(
            "FMPadding_rtl", "pad", ["near"], ["padded"],
            inputDataType="INT4", ImgDim=[SIZE, SIZE], Padding=[1, 1, 1, 1], NumChannels=CHANNELS, SIMD=CHANNELS,
        ),
        layer(
            "ConvolutionInputGenerator_rtl", "window", ["padded"], ["windows"],
            inputDataType="INT4", outputDataType="INT4", IFMChannels=CHANNELS, SIMD=CHANNELS,
            IFMDim=[padding, padding], OFMDim=[SIZE, SIZE], ConvKernelDim=[KERNEL, KERNEL],
            Stride=[1, 1], Dilation=[1, 1], depthwise=0, is1D=0, parallel_window=0,
        ),
        layer(
            "MVAU_hls", "convolution", ["windows", "weights", "thresholds"], ["convolved"],
            inputDataType="INT4", weightDataType="INT4", outputDataType="INT4", numInputVectors=[1, SIZE, SIZE],
            MW=convolved, MH=CHANNELS, SIMD=CHANNELS, PE=2, mem_mode="internal_decoupled",
        ),
        layer("AddStreams_hls", "join", ["far", "convolved"], ["sum"], **LANES),
    ]  # fmt: skip
    shape = [1, SIZE, SIZE, CHANNELS]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name in ("frame", "sum")]
    constants = [
        helper.make_tensor(name, TensorProto.FLOAT, shape, bytes(4 * shape[0] * shape[1]), raw=True)
        for name, shape in (("weights", (convolved, CHANNELS)), ("thresholds", (CHANNELS, 15)))
    ]
    graph = helper.make_graph(nodes, "residual", ends[0], ends[1], constants)
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("finn.custom_op.fpgadataflow", 1)]
    return helper.make_model(graph, producer_name="sttest", ir_version=8, opset_imports=opsets)


if __name__ == "__main__":
    onnx.save(block(), OUT)
