"""Models of every family, read from the folder that transformers wrote, against transformers itself."""

import json

import pytest

torch = pytest.importorskip("torch", reason="models need PyTorch")
pytest.importorskip("transformers", reason="nothing to compare with")

from hugging_face_models import continued
from own_configurations import MODELS, write_model

from sttest.core.errors import InputError
from sttest.models.checkpoint import load_model
from sttest.models.language_model import generate
from sttest.models.quant.quantizers import sqnr_db
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

PROMPT = [3, 141, 59, 26, 53, 58, 97, 93, 208, 46, 26]  # past the windows
STEPS = 9


@pytest.mark.parametrize("case", MODELS)
def test_logits_are_those_of_transformers(case, tmp_path):
    theirs = write_model(*MODELS[case], tmp_path)
    expected, logits = continued(theirs, PROMPT, STEPS)
    found = generate(load_model(model_config(str(tmp_path)), tmp_path), PROMPT, STEPS)
    sqnr = sqnr_db(logits, found.logits)
    print(f"{case}: SQNR {sqnr:.0f} dB against transformers")
    assert list(found.tokens) == expected
    assert sqnr >= 100.0


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("rope_theta", 20_000.0, r"rope_theta is 20000.0, that of .* is 10000.0"),
        ("rms_norm_eps", 1e-3, "eps is 0.001, that of"),
        ("num_attention_heads", 2, "heads is 2, that of"),
    ],
)
def test_weights_of_another_model_are_refused(field, value, told, tmp_path):
    write_model(*MODELS["llama"], tmp_path)
    config = model_config(str(tmp_path))
    file = tmp_path / "config.json"
    data = json.loads(file.read_text())
    data.pop("rope_parameters", None)
    file.write_text(json.dumps({**data, field: value}))
    with pytest.raises(InputError, match=told) as caught:
        load_model(config, tmp_path)
    assert caught.value.code == "other-model"
