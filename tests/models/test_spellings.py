"""Every spelling of a configuration means what it means to transformers, or is refused; hints lead to that model."""

import json
from copy import deepcopy

import pytest

torch = pytest.importorskip("torch", reason="models need PyTorch")
transformers = pytest.importorskip("transformers", reason="nothing to compare with")

from hugging_face_models import continued
from own_configurations import filled
from spellings import GROUPS

from sttest.core.errors import InputError
from sttest.models.checkpoint import load_model
from sttest.models.config_file import read_config
from sttest.models.language_model import generate
from sttest.models.no_effect import IGNORED
from sttest.models.quant.quantizers import sqnr_db

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PROMPT = [3, 141, 59, 26, 53, 58, 97, 93, 208, 46, 26]  # past the windows
STEPS = 5
FAMILIES = [(group, family) for group, (families, _) in GROUPS.items() for family in families]


@pytest.mark.parametrize(("group", "family"), FAMILIES, ids=[f"{group}, {family}" for group, family in FAMILIES])
def test_a_spelling_is_the_model_of_transformers_or_refused(group, family, tmp_path):
    families, spellings = GROUPS[group]
    found = {}
    for name, change in spellings.items():
        data = {"model_type": family, **families[family], **deepcopy(change)}
        found[name] = _outcome(data, tmp_path)
    assert {name: told for name, told in found.items() if told not in ("same", "refused", "refused by both")} == {}
    assert "same" in found.values()


def _outcome(data, folder):
    """What became of a file: the same model, refused, or what is wrong."""
    expected = _of_transformers(data, folder)
    refused, ignored = None, False
    for _ in range(8):
        (folder / "config.json").write_text(json.dumps(data), encoding="utf-8")
        try:
            config = read_config(folder)
            break
        except InputError as error:
            refused = error
            ignored = IGNORED in str(error)
            if not ignored:
                return "refused" if expected is not None else "refused by both"
            _delete(data, str(error.where))
    else:
        return "a hint without an end"
    if expected is None:
        # Transformers may refuse what else the file has, never what is accepted without a word.
        return "accepted" if refused is None else "refused by both"
    tokens, logits = expected
    ours = generate(load_model(config, folder), PROMPT, STEPS)
    sqnr = sqnr_db(logits, ours.logits)
    if list(ours.tokens) != tokens or sqnr < 100.0:
        return f"{'hint leads to' if ignored else 'accepted as'} another model, {sqnr:.0f} dB"
    return "same" if refused is None else "refused"


def _of_transformers(data, folder):
    """Tokens and logits of transformers, whose weights lie in the folder; None where it refuses the file."""
    for old in folder.iterdir():
        old.unlink()
    (folder / "config.json").write_text(json.dumps(data), encoding="utf-8")
    try:
        config = transformers.AutoConfig.from_pretrained(folder)
        model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
        filled(model, data["model_type"])
        found = continued(model, PROMPT, STEPS)
    except Exception:
        return None
    model.save_pretrained(folder)
    return found


def _delete(data, where):
    """Follow the hint: delete the field that a refusal names."""
    *path, name = where.split("config.json: ")[1].split(": ")
    for step in path:
        data = data[step.strip("'")]
    del data[name.strip("'")]
