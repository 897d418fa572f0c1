"""Methods of quantization whose checkpoints are not read, and why: by ``quant_method``."""

from sttest.models.quant.released.format import FROM_FLOATS

_FLOATS = "weights are floating point of 8 bits or less, the hardware multiplies integers"
_CODES = "weights are entries of a table, not integers under scales"
_INTEGERS = "quantize it to symmetric integers (gptq, compressed-tensors)"

UNREAD: dict[str, tuple[str, tuple[str, ...]]] = {
    "fp8": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "fbgemm_fp8": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "finegrained_fp8": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "mxfp4": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "mxfp8": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "nvfp4": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "fp_quant": (_FLOATS, (_INTEGERS, FROM_FLOATS)),
    "bitsandbytes": ("weights are NF4, FP4, or int8 beside columns in floating point", (_INTEGERS, FROM_FLOATS)),
    "gguf": ("weights are blocks of GGUF", ("convert it to safetensors in F32",)),
    "hqq": ("zero points are floating point", (_INTEGERS, FROM_FLOATS)),
    "auto-round": ("names and order follow its packing_format", ("export it with the format auto_gptq", FROM_FLOATS)),
    "intel/auto-round": ("names and order follow its packing_format", ("export it with the format auto_gptq",)),
    "exl2": ("weights of a layer have several widths", (_INTEGERS, FROM_FLOATS)),
    "exl3": (_CODES, (_INTEGERS, FROM_FLOATS)),
    "aqlm": (_CODES, (_INTEGERS, FROM_FLOATS)),
    "vptq": (_CODES, (_INTEGERS, FROM_FLOATS)),
    "higgs": (_CODES, (_INTEGERS, FROM_FLOATS)),
    "spqr": ("outliers stand beside the integers", (_INTEGERS, FROM_FLOATS)),
    "bitnet": ("ternary weights are packed for a kernel of its own", (FROM_FLOATS, "take the scheme ternary")),
    "modelopt": ("tensors of ModelOpt", (_INTEGERS, FROM_FLOATS)),
    "quark": ("tensors of Quark", (_INTEGERS, FROM_FLOATS)),
    "torchao": ("tensors of torchao are no plain arrays", (_INTEGERS, FROM_FLOATS)),
    "quanto": ("tensors of Quanto", (_INTEGERS, FROM_FLOATS)),
    "eetq": ("weights lie in the order of a kernel", (_INTEGERS, FROM_FLOATS)),
    "marlin": ("weights lie in the order of a kernel", ("save it as gptq", FROM_FLOATS)),
}
"""Why, and what to do instead."""
