"""How the folders beside this file were made: small Llamas with drawn weights, quantized and packed by others' code.

    python make_folders.py [FOLDER]

needs, beside PyTorch and transformers, compressed-tensors (0.20.1) and accelerate, and on the path the unpacked
distributions of auto-gptq (0.7.1) and autoawq (0.2.9), of which only the modules that pack are loaded.  No test runs
it.
"""

import importlib
import json
import sys
import types
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

HERE = Path(__file__).parent
KEPT_FIELDS = (
    "model_type", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
    "head_dim", "vocab_size", "max_position_embeddings", "tie_word_embeddings", "rms_norm_eps", "rope_parameters",
    "hidden_act", "quantization_config",
)  # fmt: skip


def model_of(seed: int, hidden: int, ffn: int, dtype: torch.dtype, layers: int = 2) -> LlamaForCausalLM:
    config = LlamaConfig(
        hidden_size=hidden,
        intermediate_size=ffn,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=hidden // 4,
        vocab_size=64,
        max_position_embeddings=64,
        tie_word_embeddings=False,
        dtype=dtype,
    )
    model = LlamaForCausalLM(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            drawn = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(drawn * parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 1 + 0.1 * drawn)
    return model.to(dtype).eval()


def linears(model: nn.Module) -> dict[str, nn.Linear]:
    return {name: each for name, each in model.named_modules() if isinstance(each, nn.Linear) and name != "lm_head"}


def bare(package: str) -> None:
    """Let modules of a package be imported without what its ``__init__`` imports."""
    if package in sys.modules:
        return
    path = find_spec(package)
    assert path is not None
    assert path.submodule_search_locations is not None
    made = types.ModuleType(package)
    made.__path__ = list(path.submodule_search_locations)
    sys.modules[package] = made


def symmetric_scales(weight: torch.Tensor, group: int, levels: float) -> torch.Tensor:
    """[outputs, groups] FP16; the largest weight of a group lies between two integers, so that -8 occurs, too."""
    parts = weight.float().unflatten(1, (-1, group))
    return (parts.abs().amax(-1) / levels).half()


def packed_folder(
    out: Path, model: LlamaForCausalLM, told: dict[str, object], pack: Callable[[nn.Linear], dict[str, torch.Tensor]]
) -> None:
    tensors = {name: each.clone() for name, each in model.state_dict().items()}
    for name, linear in linears(model).items():
        del tensors[f"{name}.weight"]
        tensors |= {f"{name}.{leaf}": each.contiguous() for leaf, each in pack(linear).items()}
    out.mkdir(parents=True, exist_ok=True)
    save_file(tensors, out / "model.safetensors", {"format": "pt"})
    config = json.loads(model.config.to_json_string(use_diff=False)) | {"quantization_config": told}
    text = json.dumps({name: config[name] for name in KEPT_FIELDS if name in config}, indent=1)
    (out / "config.json").write_text(text + "\n", encoding="utf-8")


def gptq(out: Path, group_size: int, bits: int, layers: int) -> None:
    for package in ("auto_gptq", "auto_gptq.nn_modules", "auto_gptq.nn_modules.qlinear", "auto_gptq.quantization"):
        bare(package)
    layer = importlib.import_module("auto_gptq.nn_modules.qlinear.qlinear_cuda_old").QuantLinear
    quantizer = importlib.import_module("auto_gptq.quantization.quantizer").Quantizer

    def pack(linear: nn.Linear) -> dict[str, torch.Tensor]:
        group, scales, zeros, rounded = (group_size if group_size > 0 else linear.in_features), [], [], []
        for part in linear.weight.data.float().split(group, 1):
            made = quantizer()
            made.configure(bits, perchannel=True, sym=True, mse=False)
            made.find_params(part, weight=True)
            made.scale = made.scale.half().float()
            scales.append(made.scale.half())
            zeros.append(made.zero)
            rounded.append(made.quantize(part))
        linear.weight.data = torch.cat(rounded, 1).half()  # what is packed fits the range
        packed = layer(bits, group_size, linear.in_features, linear.out_features, bias=False)
        packed.pack(linear, torch.cat(scales, 1), torch.cat(zeros, 1), None)
        return {name: getattr(packed, name) for name in ("qweight", "qzeros", "scales", "g_idx")}

    told = {"bits": bits, "group_size": group_size, "damp_percent": 0.01, "desc_act": False, "static_groups": False,
            "sym": True, "true_sequential": True, "model_name_or_path": None, "model_file_base_name": "model",
            "is_marlin_format": False, "quant_method": "gptq"}  # fmt: skip
    packed_folder(out, model_of(1, 64, 96, torch.float16, layers), told, pack)


def awq(out: Path, group: int) -> None:
    for package in ("awq", "awq.modules", "awq.modules.linear"):
        bare(package)
    layer = importlib.import_module("awq.modules.linear.gemm").WQLinear_GEMM

    def pack(linear: nn.Linear) -> dict[str, torch.Tensor]:
        scales = symmetric_scales(linear.weight.data, group, 7.5).T.contiguous()
        packed = layer.from_linear(linear, 4, group, scales=scales, zeros=torch.full_like(scales, 8))
        return {name: getattr(packed, name) for name in ("qweight", "qzeros", "scales")}

    told = {"bits": 4, "group_size": group, "modules_to_not_convert": None, "quant_method": "awq", "version": "gemm",
            "zero_point": True}  # fmt: skip
    model = model_of(2, 64, 128, torch.float16)
    for linear in linears(model).values():  # the largest of a group below 7.5 steps, so that nothing overflows
        scales = symmetric_scales(linear.weight.data, group, 7.5).float().repeat_interleave(group, 1)
        linear.weight.data = torch.minimum(linear.weight.data.float(), 7 * scales).half()
    packed_folder(out, model, told, pack)


def compressed(out: Path, weights: dict[str, object], inputs: dict[str, object] | None, **sizes: int) -> None:
    from compressed_tensors.compressors import ModelCompressor
    from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config
    from compressed_tensors.quantization.utils import calculate_qparams

    scheme = {"targets": ["Linear"], "weights": weights, "input_activations": inputs}
    config = QuantizationConfig(config_groups={"group_0": scheme}, ignore=["lm_head"])
    model = model_of(3, dtype=torch.bfloat16, **sizes)
    apply_quantization_config(model, config)
    for linear in linears(model).values():
        args = linear.quantization_scheme.weights
        parts = linear.weight.data.unflatten(1, (-1, args.group_size or linear.in_features))
        scale, _ = calculate_qparams(parts.amin(-1), parts.amax(-1), args)
        linear.weight_scale.data = scale.to(torch.bfloat16)
        if hasattr(linear, "input_scale"):
            linear.input_scale.data.fill_(0.03125 * (1 + linear.in_features // 64))
    compressor = ModelCompressor.from_pretrained_model(model)
    compressor.compress_model(model)
    model.save_pretrained(out)
    compressor.update_config(out)
    (out / "generation_config.json").unlink(missing_ok=True)


def main(out: Path) -> None:
    group = {"num_bits": 4, "type": "int", "symmetric": True, "strategy": "group", "group_size": 32}
    channel = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel"}
    tokens = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}
    tensor = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "tensor", "dynamic": False}
    gptq(out / "gptq-g32", 32, 4, layers=2)
    gptq(out / "gptq-int8", -1, 8, layers=1)
    awq(out / "awq-g32", 32)
    compressed(out / "ct-w4a16", group, None, hidden=64, ffn=128)
    compressed(out / "ct-w8a8", channel, tokens, hidden=64, ffn=96)
    compressed(out / "ct-w8a8-static", channel, tensor, hidden=64, ffn=96, layers=1)
    compressed(out / "ct-w4a8", group, tokens, hidden=64, ffn=64, layers=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "folders")
