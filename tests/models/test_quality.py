"""Perplexity and what stands beside it, and calibrated weights, on small models."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
tokenizers = pytest.importorskip("tokenizers")

from hugging_face_models import whole_model

from sttest.core.errors import InputError
from sttest.models.blocks import run_prefill
from sttest.models.calibrated_folder import write_calibrated
from sttest.models.checkpoint import load_model
from sttest.models.config_file import read_config
from sttest.models.language_model import quantize_model
from sttest.models.quality import evaluate, windows_of
from sttest.models.quant.calibration import calibrated
from sttest.models.quant.layers import QuantLinear
from sttest.models.quant.quantizers import sqnr_db
from sttest.models.quant.rotation import rotated
from sttest.models.quant.scheme import QuantScheme, load_scheme
from sttest.models.quant.smoothing import smoothed
from sttest.models.registry import get_config, small
from sttest.models.text import special_tokens, text_tokens

pytestmark = pytest.mark.torch
SCHEME = QuantScheme(group=32)


def tokens(count, seed):
    return torch.randint(256, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


def save_checkpoint(config, folder):
    """A model of transformers with random weights, as its library saves it."""
    whole_model(config).save_pretrained(folder)
    return folder


def small_model(name="llama"):
    return load_model(small(get_config(name)), seed=2)


def test_perplexity_is_that_of_the_logits_of_every_prefix():
    model = small_model()
    window = tokens(6, 1)
    losses = [
        -float(torch.log_softmax(model.prefill(window[:end])[0], -1)[window[end]]) for end in range(1, len(window))
    ]
    found = evaluate(model, model, [window])
    assert found.predictions == 5
    assert found.perplexity == pytest.approx(math.exp(sum(losses) / 5), rel=1e-5)
    assert (found.loss, found.kl_nats, found.agreement) == (0.0, 0.0, 1.0)
    assert set(found.sqnr_db) == {math.inf}


def test_a_quantized_model_is_held_against_the_one_in_floating_point():
    model, window = small_model(), tokens(70, 1)
    coarse, fine = (evaluate(model, quantize_model(model, load_scheme(name)), [window]) for name in ("w4a8", "w8a8"))
    assert coarse.reference_perplexity == fine.reference_perplexity == evaluate(model, model, [window]).perplexity
    assert coarse.kl_nats > 10 * fine.kl_nats > 0
    assert coarse.agreement < fine.agreement
    first = (model.layers[0], quantize_model(model, load_scheme("w8a8")).layers[0])
    exact, ours = (run_prefill(block, model.config, model.embedding(window, 0))[0].detach() for block in first)
    assert fine.sqnr_db[0] == pytest.approx(sqnr_db(exact, ours), abs=1e-4)


def test_windows_are_stretches_of_the_text_one_after_the_other():
    assert windows_of(range(10), 2, 4) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(InputError, match=r"does not fill 3 windows of 4 tokens .*12.*10"):
        windows_of(range(10), 3, 4)
    assert windows_of(range(10), 2, 4, [99]) == [[99, 0, 1, 2], [99, 3, 4, 5]]
    for length, before in ((1, []), (2, [99, 98])):
        with pytest.raises(InputError, match="predict nothing"):
            windows_of(range(10), 1, length, before)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_calibrated_weights_are_nearer_and_come_back_from_their_folder(name, tmp_path):
    config = replace(small(get_config(name)), layers=2)
    source = save_checkpoint(config, tmp_path / "source")
    model = load_model(config, source)
    windows = [tokens(100, seed) for seed in range(3)]
    made = calibrated(model, SCHEME, windows)
    write_calibrated(made, source, tmp_path / "out", {"method": "gptq"})
    found = load_model(config, tmp_path / "out")
    wanted = made.state_dict()
    assert all(torch.equal(tensor, wanted[key]) for key, tensor in found.state_dict().items())
    # Random weights have nothing that another text would share: nearer on the one that they were calibrated on.
    ours, nearest = (evaluate(model, quantize_model(each, SCHEME), windows) for each in (found, model))
    assert ours.kl_nats < nearest.kl_nats
    assert ours.sqnr_db[-1] > nearest.sqnr_db[-1]


def uneven(model):
    """Channels that outdo the others, as in real models."""
    for block in model.layers:
        block.get_parameter("attn_norm.weight").data[3] = 30.0
        block.get_parameter("attn.v_proj.weight").data[:, 5] *= 50.0
    return model


@pytest.mark.parametrize("name", ["llama", "gpt2", "gemma", "opt-125m"])
def test_smoothing_keeps_the_model_and_evens_its_channels(name):
    model, windows = uneven(small_model(name)), [tokens(60, seed) for seed in range(2)]
    made = smoothed(model, windows)
    assert evaluate(model, made, windows).sqnr_db[-1] > 80  # rounding of float32
    ours, plain = (evaluate(model, quantize_model(each, load_scheme("w8a8")), windows) for each in (made, model))
    assert ours.sqnr_db[0] > plain.sqnr_db[0] + 3


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_a_smoothed_model_comes_back_from_its_folder(name, tmp_path):
    config = replace(small(get_config(name)), layers=2)
    source = save_checkpoint(config, tmp_path / "source")
    made = smoothed(uneven(load_model(config, source)), [tokens(20, 1)])
    write_calibrated(made, source, tmp_path / "out", {"method": "smooth"})
    wanted = made.state_dict()
    assert all(
        torch.equal(each, wanted[key]) for key, each in load_model(config, tmp_path / "out").state_dict().items()
    )


@pytest.mark.parametrize("name", ["llama", "qwen", "smollm2-135m", "gemma"])
def test_a_rotated_model_is_the_same_and_spreads_what_few_channels_hold(name):
    config = replace(small(get_config(name)), post_norms=False)
    model, windows = uneven(load_model(config, seed=2)), [tokens(60, seed) for seed in range(2)]
    made = rotated(model)
    for window in windows:
        (wanted, _), (found, _) = model.prefill(window), made.prefill(window)
        assert sqnr_db(wanted, found) > 90  # rounding of float32
    assert evaluate(model, made, windows).kl_nats < 1e-6
    scheme = replace(load_scheme("w8a8"), name="w8a4", activation_bits=4)
    ours, plain = (evaluate(each, quantize_model(each, scheme), windows).kl_nats for each in (made, model))
    assert ours < plain


def test_a_rotated_model_has_a_head_of_its_own_in_its_folder(tmp_path):
    config = replace(small(get_config("smollm2-135m")), layers=2)
    assert config.tied_embeddings
    source = save_checkpoint(config, tmp_path / "source")
    made = rotated(load_model(config, source))
    write_calibrated(made, source, tmp_path / "out", {"method": "rotate"})
    found = load_model(read_config(tmp_path / "out"), tmp_path / "out")
    assert not found.config.tied_embeddings
    assert all(torch.equal(each, made.state_dict()[key]) for key, each in found.state_dict().items())


@pytest.mark.parametrize("name", ["gpt2", "gemma", "opt-125m"])
def test_what_a_rotation_does_not_pass_is_refused(name):
    with pytest.raises(InputError, match="a rotation passes gated networks"):
        rotated(small_model(name))


def test_groups_that_do_not_divide_the_rows_are_those_of_the_quantized_block():
    model, scheme = small_model(), QuantScheme(group=96)
    made = calibrated(model, scheme, [tokens(40, 1)])
    for block, twin in zip(made.layers, quantize_model(made, scheme).layers, strict=True):
        weight = block.get_parameter("mlp.down_proj.weight")
        linear = twin.get_submodule("mlp.down_proj")
        assert isinstance(linear, QuantLinear)
        assert torch.equal(linear.dequantized_weight(), weight)


def test_a_scheme_without_integers_calibrates_nothing():
    with pytest.raises(InputError, match="take w4a8-g32"):
        calibrated(small_model(), load_scheme("fp32"), [tokens(4, 1)])


def words_tokenizer(folder: Path, template: str | None = None, *, settings: dict | None = None) -> None:
    """A tokenizer of 256 words, of which w254 begins a text and w255 ends one where the template has them."""
    model = tokenizers.models.WordLevel({f"w{number}": number for number in range(256)}, unk_token="w0")
    made = tokenizers.Tokenizer(model)
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    if template is not None:
        special = [("w254", 254), ("w255", 255)]
        made.post_processor = tokenizers.processors.TemplateProcessing(single=template, special_tokens=special)
    made.save(str(folder / "tokenizer.json"))
    told = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "w254", "eos_token": "w255", **(settings or {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(told))


@pytest.mark.parametrize("settings", [{}, {"add_bos_token": True}, {"add_bos_token": False, "add_eos_token": True}])
@pytest.mark.parametrize("template", [None, "$A", "w254 $A", "w254 $A w255", "$A w255", "w254 w254 $A"])
def test_a_text_begins_as_in_transformers(template, settings, tmp_path):
    transformers = pytest.importorskip("transformers")
    words_tokenizer(tmp_path, template, settings=settings)
    (tmp_path / "text.txt").write_text("w1 w2 w3")
    config = small(get_config("llama"))
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)("w1 w2 w3")["input_ids"]
    ours = [*special_tokens(config, tmp_path).ids, *text_tokens(config, tmp_path, tmp_path / "text.txt")]
    assert ours == theirs[: len(ours)]
    assert theirs[len(ours) :] in ([], [255])


def test_a_tokenizer_that_cuts_texts_is_not_asked_to(tmp_path):
    words_tokenizer(tmp_path, "w254 $A")
    made = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    made.enable_truncation(3)
    made.enable_padding(length=40)
    made.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "text.txt").write_text("w1 " * 9)
    config = small(get_config("llama"))
    assert text_tokens(config, tmp_path, tmp_path / "text.txt") == [1] * 9
    assert special_tokens(config, tmp_path).names == ("w254",)
    with pytest.raises(InputError, match=r"tokenizer\.json: a token outside of the model's vocabulary"):
        special_tokens(replace(config, vocab=200), tmp_path)


def test_evaluate_says_what_windows_begin_with(sttest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = save_checkpoint(small(get_config("llama")), tmp_path / "source")
    words_tokenizer(source, "w254 $A w255")
    text = tokens(20, 1)
    (tmp_path / "text.txt").write_text(" ".join(f"w{token}" for token in text))
    asked = ("evaluate", "small-llama", "--weights", "source", "--text", "text.txt", "--windows", "2")
    asked += ("--window-length", "10", "--precision", "fp32")
    model = load_model(small(get_config("llama")), source)
    for option, names, windows, told in (
        ((), ["w254"], [[254, *text[:9]], [254, *text[9:18]]], "windows begin with w254, as tokenizer.json says"),
        (("--no-special-tokens",), [], [text[:10], text[10:]], "without special tokens, as asked"),
    ):
        found = json.loads(sttest(*asked, *option, "--json").stdout)
        assert found["special_tokens"] == names
        assert found["perplexity"] == pytest.approx(evaluate(model, model, windows).perplexity, rel=1e-6)
        assert told in " ".join(sttest(*asked, *option).stdout.split())
    words_tokenizer(source)
    assert "tokenizer.json adds no special tokens" in " ".join(sttest(*asked).stdout.split())


def test_the_verbs_from_a_folder_to_a_folder(sttest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = save_checkpoint(small(get_config("llama")), tmp_path / "source")
    words_tokenizer(source)
    (tmp_path / "calibration.txt").write_text(" ".join(f"w{token}" for token in tokens(64, 1)))
    shape = ("--windows", "2", "--window-length", "32")
    told = sttest(
        "quantize", "small-llama", "--weights", "source", "--text", "calibration.txt", *shape, "-o", "better"
    ).stdout
    assert "sttest evaluate small-llama --weights better --precision w4a8-g32" in told
    facts = json.loads((tmp_path / "better" / "calibration.json").read_text())
    assert (facts["schema"], facts["method"], facts["scheme"]["name"]) == ("sttest.calibration/1", "gptq", "w4a8-g32")
    given = ("--text", "calibration.txt", *shape, "--precision", "w4a8-g32")
    plain = json.loads(sttest("evaluate", "small-llama", "--weights", "source", *given, "--json").stdout)
    asked = ("--weights", "better", "--reference", "source")
    better = json.loads(sttest("evaluate", "small-llama", *asked, *given, "--json").stdout)
    assert plain["schema"] == "sttest.quality/1"
    assert plain["reference_perplexity"] == better["reference_perplexity"]
    assert better["kl_nats"] < plain["kl_nats"]
    assert len(better["sqnr_db"]) == 6
    assert "perplexity" in sttest("evaluate", "small-llama", "--weights", "source", *given).stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("--weights", "nowhere"), "tokenizer.json"),
        (("--windows", "9"), "text-too-short"),
        (("--window-length", "1024"), "text-too-short"),
        (("--precision", "w4a8-static"), "no-calibration"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_in_a_line(sttest, tmp_path, monkeypatch, change, told):
    monkeypatch.chdir(tmp_path)
    words_tokenizer(save_checkpoint(small(get_config("llama")), tmp_path / "source"))
    (tmp_path / "article.txt").write_text("w1 " * 64)
    given = ("--weights", "source", "--text", "article.txt", "--windows", "1", "--window-length", "32")
    ended = sttest("evaluate", "small-llama", *given, *change, "--json")
    assert ended.exit_code == 2
    error = json.loads(ended.stderr.splitlines()[-1])["error"]
    assert told in json.dumps(error)
