"""The text model of a multimodal checkpoint, under either naming, against transformers."""

import json

import pytest

torch = pytest.importorskip("torch", reason="models need PyTorch")
transformers = pytest.importorskip("transformers", reason="nothing to compare with")
safetensors = pytest.importorskip("safetensors.torch", reason="checkpoints need safetensors")

from hugging_face_models import continued
from own_configurations import filled

from sttest.core.errors import InputError
from sttest.models.checkpoint import load_model
from sttest.models.config_file import read_config
from sttest.models.language_model import generate
from sttest.models.quant.quantizers import sqnr_db

pytestmark = pytest.mark.torch

PROMPT = [3, 141, 59, 26, 53, 58, 97, 93, 20, 46, 26]
TEXT = {
    "hidden_size": 96, "intermediate_size": 160, "num_hidden_layers": 7, "num_attention_heads": 6, "vocab_size": 211,
    "max_position_embeddings": 64, "num_key_value_heads": 2, "head_dim": 24, "query_pre_attn_scalar": 20,
    "sliding_window": 5, "bos_token_id": None, "eos_token_id": None, "pad_token_id": None,
    "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
}  # fmt: skip
VISION = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28,
    "patch_size": 14,
}  # fmt: skip
WHOLE = {
    "model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "text_config": TEXT,
    "vision_config": VISION, "mm_tokens_per_image": 4, "boi_token_index": 208, "eoi_token_index": 209,
    "image_token_index": 210, "eos_token_id": [1, 106], "initializer_range": 0.02,
}  # fmt: skip


def _released(name: str) -> str:
    """As the first releases have it."""
    return name.replace("vision_tower.", "vision_tower.vision_model.", 1)


def _newer(name: str) -> str:
    """As the modules are called since."""
    text = {"language_model.lm_head.": "lm_head.", "language_model.model.": "model.language_model."}
    old = next((old for old in text if name.startswith(old)), None)
    return f"model.{name}" if old is None else name.replace(old, text[old], 1)


NAMINGS = {"released": _released, "newer": _newer, "as saved": str}


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize("tied", [None, True, False])
def test_the_text_model_of_a_multimodal_checkpoint_is_read(naming, tied, tmp_path, capsys):
    data = WHOLE if tied is None else {**WHOLE, "tie_word_embeddings": tied}
    (tmp_path / "config.json").write_text(json.dumps(data), encoding="utf-8")
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    theirs = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
    filled(theirs, "gemma3")
    expected, logits = continued(theirs, PROMPT, 5)
    theirs.save_pretrained(tmp_path)
    saved = safetensors.load_file(tmp_path / "model.safetensors")
    named = {NAMINGS[naming](name): tensor for name, tensor in saved.items()}
    assert naming == "as saved" or named.keys() != saved.keys()
    safetensors.save_file(named, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text(json.dumps(data), encoding="utf-8")
    capsys.readouterr()
    ours = generate(load_model(read_config(tmp_path), tmp_path), PROMPT, 5)
    assert list(ours.tokens) == expected
    assert sqnr_db(logits, ours.logits) >= 100.0
    counts = [sum(part in name for name in saved) for part in ("multi_modal_projector", "vision_tower")]
    told = f"{counts[0]} tensors of multi_modal_projector and {counts[1]} tensors of vision_tower are passed over"
    assert f"the text model is read, {told}" in capsys.readouterr().err


def test_a_part_that_is_not_known_is_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(WHOLE), encoding="utf-8")
    safetensors.save_file({"audio_tower.norm.weight": torch.ones(3)}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=r"audio_tower\.norm\.weight: no part of the model takes this tensor"):
        load_model(read_config(tmp_path), tmp_path)
