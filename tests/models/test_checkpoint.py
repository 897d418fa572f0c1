"""Checkpoint folders: what is loaded, and what is refused in one line before anything is."""

import contextlib
import json
import os
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.models.checkpoint import load_model, read_checkpoint
from sttest.models.registry import get_config, small
from sttest.models.weights import model_state

pytestmark = pytest.mark.torch

CONFIG = replace(small(get_config("qwen")), layers=1)
SIZES = {"q": 128, "k": 64, "v": 64}


def tensors(config=CONFIG):
    """A checkpoint of small Qwen as Hugging Face names it."""
    hidden, ffn = config.hidden, config.ffn
    found = {"model.embed_tokens.weight": (config.vocab, hidden), "model.norm.weight": (hidden,)}
    for layer in range(config.layers):
        prefix = f"model.layers.{layer}."
        for name, width in SIZES.items():
            found[f"{prefix}self_attn.{name}_proj.weight"] = (width, hidden)
            found[f"{prefix}self_attn.{name}_proj.bias"] = (width,)
        found[f"{prefix}self_attn.o_proj.weight"] = (hidden, SIZES["q"])
        for norm in ("input_layernorm", "post_attention_layernorm"):
            found[f"{prefix}{norm}.weight"] = (hidden,)
        for name in ("gate", "up"):
            found[f"{prefix}mlp.{name}_proj.weight"] = (ffn, hidden)
        found[f"{prefix}mlp.down_proj.weight"] = (hidden, ffn)
    generator = torch.Generator().manual_seed(3)
    return {name: torch.randn(shape, generator=generator) for name, shape in found.items()}


def write(folder, state, name="model.safetensors"):
    folder.mkdir(exist_ok=True)
    safetensors_torch.save_file({key: value.contiguous() for key, value in state.items()}, folder / name)
    return folder


def write_index(folder, weight_map):
    folder.mkdir(exist_ok=True)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder


def refused(folder, match, config=CONFIG):
    with pytest.raises(InputError, match=match) as caught:
        read_checkpoint(config, folder)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_single_file(tmp_path):
    state = tensors()
    model = load_model(CONFIG, write(tmp_path, state))
    assert torch.equal(model.embedding.tokens, state["model.embed_tokens.weight"])
    assert torch.equal(model.layers[0].mlp.up_proj.weight, state["model.layers.0.mlp.up_proj.weight"].T)
    assert model.prefill([1, 2, 3])[0].shape == (CONFIG.vocab,)


def test_shards_with_an_index(tmp_path):
    state = tensors()
    names = sorted(state)
    write(tmp_path, {name: state[name] for name in names[:5]}, "a.safetensors")
    write(tmp_path, {name: state[name] for name in names[5:]}, "b.safetensors")
    write(tmp_path, {"other": torch.zeros(1)}, "not-in-the-index.safetensors")
    write_index(tmp_path, {name: "a.safetensors" if name in names[:5] else "b.safetensors" for name in names})
    found = read_checkpoint(CONFIG, tmp_path)
    assert all(torch.equal(tensor, found[name]) for name, tensor in model_state(CONFIG, state).items())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_widened(tmp_path, dtype):
    state = {name: tensor.to(dtype) for name, tensor in tensors().items()}
    found = read_checkpoint(CONFIG, write(tmp_path, state))
    assert torch.equal(found["norm.weight"], state["model.norm.weight"].float())


def test_a_stored_tied_head_must_be_the_embedding(tmp_path):
    state = tensors()
    write(tmp_path, state | {"lm_head.weight": state["model.embed_tokens.weight"].clone()})
    assert "head.weight" not in read_checkpoint(CONFIG, tmp_path)
    write(tmp_path, state | {"lm_head.weight": state["model.embed_tokens.weight"] + 1})
    refused(tmp_path, "the head differs from the embedding, to which Qwen2.5-0.5B ties it")


def test_an_untied_head_must_be_there(tmp_path):
    untied = replace(CONFIG, tied_embeddings=False)
    refused(write(tmp_path, tensors()), "1 tensors of Qwen2.5-0.5B are missing, head.weight among them", untied)


CHANGES = {
    "a missing tensor": (lambda s: s.pop("model.norm.weight"), "1 tensors .* are missing, norm.weight among them"),
    "a layer too many": (
        lambda s: s.update({n.replace("layers.0", "layers.1"): t.clone() for n, t in tensors().items()}),
        "12 tensors have no place in Qwen2.5-0.5B, layers.1.attn.k_proj.bias among them",
    ),
    "an unknown tensor": (lambda s: s.update({"model.vision.weight": torch.ones(1)}), "no part of the model takes"),
    "an unknown tensor of a layer": (
        lambda s: s.update({"model.layers.0.mlp.router.weight": torch.ones(1)}),
        "mlp.router.weight: no part of the block takes",
    ),
    "a wrong shape": (
        lambda s: s.update({"model.norm.weight": torch.ones(7)}),
        r"norm.weight has shape \[7\] where Qwen2.5-0.5B has \[128\]",
    ),
    "a wrong rank": (
        lambda s: s.update({"model.layers.0.mlp.up_proj.weight": torch.ones(2, 2, 2)}),
        r"up_proj.weight has shape \[2, 2, 2\]",
    ),
    "a wrong type": (
        lambda s: s.update({"model.norm.weight": torch.ones(128, dtype=torch.float64)}),
        "tensor model.norm.weight has type F64, not one of F32, F16, BF16",
    ),
    "NaN": (lambda s: s["model.norm.weight"].fill_(float("nan")), "tensor model.norm.weight holds NaN or infinity"),
    "infinity": (lambda s: s["model.norm.weight"].fill_(float("inf")), "holds NaN or infinity"),
    "the same twice": (lambda s: s.update({"norm.weight": torch.ones(128)}), "given twice"),
    "line breaks in names": (lambda s: s.update({"model.layers.1.a\nb": torch.ones(1)}), "no part of the"),
}


@pytest.mark.parametrize(("change", "message"), CHANGES.values(), ids=CHANGES)
def test_what_does_not_fit_is_refused(tmp_path, change, message):
    state = tensors()
    change(state)
    refused(write(tmp_path, state), message)


def test_buffers_that_published_checkpoints_carry_are_passed_over(tmp_path):
    buffers = {f"h.0.attn.{name}": torch.ones(1, dtype=torch.uint8) for name in ("bias", "masked_bias")}
    refused(write(tmp_path, buffers), "tensors of GPT-2 Medium are missing", small(get_config("gpt2")))


def test_a_query_key_value_matrix_of_odd_width_is_refused():
    with pytest.raises(InputError, match=r"attn.c_attn.bias: shape \[2\] does not hold queries, keys and values"):
        model_state(small(get_config("gpt2")), {"h.0.attn.c_attn.bias": torch.ones(2)})


def test_a_tensor_in_two_files_is_refused(tmp_path):
    state = tensors()
    write(tmp_path, state)
    refused(write(tmp_path, state, "second.safetensors"), "is in another file too")


@pytest.mark.parametrize("kept", [0, 4, 8, 100, 5000, -1])
def test_truncated_files_are_one_clear_line(tmp_path, kept):
    path = write(tmp_path, tensors()) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    refused(tmp_path, "model.safetensors: truncated, or no safetensors file")


def test_a_header_that_is_no_header_is_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 64)
    refused(tmp_path, "truncated, or no safetensors file")


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".pth", ".ckpt"])
def test_pickles_are_refused(tmp_path, suffix):
    path = tmp_path / f"pytorch_model{suffix}"
    path.write_bytes(b"")
    refused(tmp_path, f"pytorch_model{suffix}: a pickle can run any code")
    refused(path, "a pickle can run any code")
    write_index(tmp_path, {"a": path.name})
    refused(tmp_path, "a pickle can run any code")


@pytest.mark.parametrize(
    "name",
    [
        "../outside.safetensors",
        "/etc/passwd",
        "a/b.safetensors",
        "..",
        "",
        "x.json",
        "a\\b.safetensors",
        "a\0.safetensors",
    ],
)
def test_an_index_leads_nowhere_else(tmp_path, name):
    write(tmp_path, tensors(), "outside.safetensors")
    refused(write_index(tmp_path / "model", {"a": name}), "is no file of the folder")


def test_links_out_of_the_folder_are_refused(tmp_path):
    write(tmp_path, tensors(), "outside.safetensors")
    folder = tmp_path / "model"
    folder.mkdir()
    link = folder / "model.safetensors"
    link.symlink_to(tmp_path / "outside.safetensors")
    refused(folder, "a link that leads out of the folder; copy the file into the folder")
    link.unlink()
    link.symlink_to(link)
    refused(folder, "leads out of the folder|no such file|no safetensors")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "model.safetensors")
    refused(tmp_path, "there is no such file")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"a": 1}}', "[" * 100_000, '{"weight_map": {"a": "b"']
)
def test_malformed_indices_are_refused(tmp_path, text):
    (tmp_path / "model.safetensors.index.json").write_text(text)
    refused(tmp_path, "not valid JSON|has no map of tensors")


def test_empty_and_missing_folders(tmp_path):
    refused(tmp_path, "holds no safetensors files")
    refused(tmp_path / "nowhere", "there is no such folder")
    refused(write_index(tmp_path, {}), "holds no safetensors files")
    refused(write_index(tmp_path, {"a": "b.safetensors"}), "b.safetensors: there is no such file")


@pytest.mark.parametrize("shape", [[2**40, 2**40, 0], [0], [2**62, 4, 0]])
def test_shapes_that_no_memory_holds_are_refused(tmp_path, shape):
    header = json.dumps({"model.norm.weight": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}}).encode()
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    refused(tmp_path, "are missing|truncated, or no safetensors file")


@given(st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_stands_in_the_header_is_loaded_or_refused(tmp_path, changes):
    path = write(tmp_path, tensors()) / "model.safetensors"
    raw = bytearray(path.read_bytes())
    for place, value in changes:
        raw[place] = value
    path.write_bytes(raw)
    with contextlib.suppress(InputError):
        read_checkpoint(CONFIG, tmp_path)
