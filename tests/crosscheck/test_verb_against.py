"""`sttest crosscheck --against`: what it prints, what it refuses, and that nothing but the folder is read."""

from __future__ import annotations

import json
import shutil
import socket

import pytest

torch = pytest.importorskip("torch", reason="models need PyTorch")
transformers = pytest.importorskip("transformers", reason="nothing to compare with")

from own_configurations import write_model
from safetensors.torch import load_file, save_file

from sttest.core.errors import note
from tests.terminal import COLUMNS, seen_here

pytestmark = pytest.mark.torch

GPT = {"n_embd": 32, "n_layer": 4, "n_head": 4, "vocab_size": 97, "n_positions": 64}
SLIDING = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 97,
    "num_key_value_heads": 2, "max_position_embeddings": 64, "sliding_window": 5, "head_dim": 16,
}  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A model, and the same with one other weight."""
    made = tmp_path_factory.mktemp("folders")
    write_model("gpt2", GPT, made / "model")
    write_model("mistral", SLIDING, made / "sliding")
    shutil.copytree(made / "model", made / "other")
    weights = load_file(made / "other" / "model.safetensors")
    weights["transformer.h.2.attn.c_attn.weight"][5, 32 + 7] += 0.25
    save_file(weights, made / "other" / "model.safetensors", {"format": "pt"})
    return made


@pytest.fixture
def here(folders, monkeypatch):
    """Next to both, with no way out of the machine."""

    def refuse(*_asked, **_named):
        raise AssertionError("a connection was tried")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.chdir(folders)
    note.cache_clear()
    return folders


def told(outcome, code=0):
    assert outcome.exit_code == code, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("against", ["transformers", "transformers:model", "transformers:GPT2LMHeadModel"])
def test_the_same_folder_is_the_same(against, here, sttest):
    found = told(sttest("crosscheck", "./model", "--against", against, "--json"))
    assert (found["schema"], found["verdict"], found["precision"]) == ("sttest.crosscheck-against/1", "same", "w8a8")
    assert (found["against"], found["tokens"]) == ("transformers:GPT2LMHeadModel", 32)
    assert (found["first"], found["differing"], found["notes"]) == (None, [], [])
    assert [part["name"] for part in found["parts"]] == ["embedding", *(f"layer {n}" for n in (1, 2, 3, 4)), "head"]
    assert found["least_db"] > 120
    assert all(0 < part["precision"]["own_db"] < 60 for part in found["parts"][1:])


def test_another_weight_is_exit_code_6_with_its_layer_and_stream(here, sttest):
    outcome = sttest("crosscheck", "./model", "--against", "transformers:other", "--precision", "w8a8")
    assert (outcome.exit_code, outcome.stderr) == (6, "")
    first, loss, *_ = outcome.stdout.splitlines()
    assert first.startswith("layer 3 is the first that differs from transformers: ")
    assert first.endswith(" dB where 100 is asked; first stream: attn_k_proj")
    assert loss.startswith("w8a8: ")
    turned = told(sttest("crosscheck", "./other", "--against", "transformers:model", "--json"), 6)
    assert turned["first"] == {"part": "layer 3", "stream": "attn_k_proj"}
    assert turned["differing"] == ["layer 3"]


def test_the_weights_are_those_of_the_checkpoint(here, sttest):
    given = ("--checkpoint", "other", "--precision", "fp32", "--json")
    assert told(sttest("crosscheck", "./model", *given, "--against", "transformers"))["verdict"] == "same"
    found = told(sttest("crosscheck", "model/config.json", *given, "--against", "transformers:model/config.json"), 6)
    assert found["first"]["stream"] == "attn_k_proj"
    assert (found["loses_most"], found["parts"][1]["precision"]) == (None, None)


@pytest.mark.parametrize("against", ["transformers:model", "transformers:other"])
def test_a_page_of_a_terminal(against, here):
    seen = seen_here("crosscheck", "./model", "--against", against)
    assert seen.exit_code == (6 if against.endswith("other") else 0)
    assert [line for line in seen.lines if len(line) > COLUMNS] == []
    assert ("first to differ" in seen.text) == against.endswith("other")
    assert "w8a8 so far" in seen.text


def test_csv_is_the_tables(here, sttest):
    outcome = sttest("crosscheck", "./model", "--against", "transformers:other", "--csv")
    layers, streams = outcome.stdout.split("\n\n")
    assert layers.splitlines()[0] == "layer,fp32,fp32 so far,w8a8,w8a8 so far,first to differ,lowest stream,its fp32"
    assert len(layers.splitlines()) == 7
    assert streams.splitlines()[0] == "stream,fp32,asked"


def test_chunks_of_attention_are_told_apart(here, sttest):
    chunks = ("--attention", "one-pass", "--attention-chunk", 8, "--precision", "fp32", "--json")
    found = told(sttest("crosscheck", "./model", "--against", "transformers", *chunks))
    assert found["precision"] == "fp32 one-pass"
    assert all(part["precision"]["own_db"] > 110 for part in found["parts"][1:-1])


def test_constant_scales_are_calibrated_on_the_tokens(here, sttest):
    found = told(sttest("crosscheck", "./model", "--against", "transformers", "--precision", "w4a8-static", "--json"))
    assert all(0 < part["precision"]["own_db"] < 60 for part in found["parts"][1:-1])


def test_a_text_takes_the_place_of_random_tokens(here, sttest, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {f"w{number}": number for number in range(97)}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="w0"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    for name in ("ours", "theirs"):
        shutil.copytree("model", tmp_path / name)
        made.save(str(tmp_path / name / "tokenizer.json"))
    weights = load_file(tmp_path / "theirs" / "model.safetensors")
    weights["transformer.wte.weight"][41] += 0.25
    save_file(weights, tmp_path / "theirs" / "model.safetensors", {"format": "pt"})
    seen, unseen, short = (tmp_path / f"{name}.txt" for name in ("seen", "unseen", "short"))
    seen.write_text("w3 w41 w5 " * 20)
    unseen.write_text("w3 w40 w5 " * 20)
    short.write_text("w3 w40 w5")
    given = ("crosscheck", tmp_path / "ours", "--against", f"transformers:{tmp_path / 'theirs'}", "--json", "--text")
    assert told(sttest(*given, seen), 6)["first"] == {"part": "embedding", "stream": "embedding_tokens"}
    # The head is tied to the embedding, and scores all words.
    assert told(sttest(*given, unseen, "--tokens", 20), 6)["differing"] == ["head"]
    assert told(sttest(*given, short), 6)["tokens"] == 3
    outcome = sttest(*given, short, "--tokens", 4)
    assert (outcome.exit_code, "the text has fewer tokens" in outcome.stderr) == (2, True)


def test_a_window_that_the_tokens_do_not_leave_is_told(here, sttest):
    asked = ("crosscheck", "./sliding", "--against", "transformers", "--precision", "fp32", "--json", "--tokens")
    assert "5 tokens do not leave the sliding window of 5; --tokens 6 does" in told(sttest(*asked, 5))["notes"]
    assert told(sttest(*asked, 6))["notes"] == []


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        (("./model", "--against", "vllm:model"), 2, "write transformers:FOLDER"),
        (("./model", "--against", "transformers:org/name"), 2, "hf download org/name --local-dir FOLDER"),
        (("./model", "--against", "transformers:./nowhere"), 2, "no such folder, and nothing is downloaded"),
        (("./model", "--against", "transformers:GPT2HeadLMModel"), 2, "did you mean 'GPT2LMHeadModel'?"),
        (("./model", "--against", "transformers:GPT2Model"), 2, "nor a causal language model"),
        (
            ("./model", "--against", "transformers:LlamaForCausalLM"),
            2,
            "num_hidden_layers is 32 in transformers' model, 4",
        ),
        (("./model", "--against", "transformers:sliding"), 2, "other-model"),
        (("gpt2", "--against", "transformers"), 2, "give their folder as the model"),
        (("./model", "--against", "transformers", "--tokens", "65"), 2, '"bound": 64'),
        (("./model", "--against", "transformers", "--tokens", "0"), 2, "bad-tokens"),
        (("./model", "--against", "transformers", "--phase", "decode"), 2, "--phase"),
        (("./model", "--against", "transformers", "--engines", "csim"), 2, "--engines"),
        (("./model", "--against", "transformers", "--tier", "mlp.*=ddr"), 2, '"where": "--tier"'),
        (("./model", "--text", "words.txt"), 2, "give --against, too"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(given, code, says, here, sttest):
    outcome = sttest("crosscheck", *given, "--json")
    assert (outcome.exit_code, outcome.stdout) == (code, "")
    (line,) = outcome.stderr.splitlines()
    assert says in line


def changed(folder, model="model", **fields):
    """A copy of a model with other fields in its configuration."""
    shutil.copytree(model, folder)
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))
    return f"transformers:{folder}"


@pytest.mark.parametrize(
    ("fields", "stream"),
    [
        ({"rms_norm_eps": 1e-3}, "attn_norm"),
        ({"rope_parameters": {"rope_type": "default", "rope_theta": 9_000.0}}, "rope"),
        ({"sliding_window": 4}, "mask"),
        ({"hidden_act": "gelu"}, "mlp_act"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_another_field_of_the_configuration_is_found_where_it_matters_first(fields, stream, here, sttest, tmp_path):
    other = changed(tmp_path / "changed", "sliding", **fields)
    given = ("--precision", "fp32", "--json", "--against")
    assert told(sttest("crosscheck", "./sliding", *given, other), 6)["first"] == {"part": "layer 1", "stream": stream}
    if stream != "mlp_act":  # no block of ours has that one
        found = told(sttest("crosscheck", tmp_path / "changed", *given, "transformers:sliding"), 6)
        assert found["first"] == {"part": "layer 1", "stream": stream}


def test_what_transformers_refuses_is_told_in_its_words(here, sttest, tmp_path):
    strange = changed(tmp_path / "strange", model_type="gpt2000")
    outcome = sttest("crosscheck", "./model", "--against", strange)
    assert outcome.exit_code == 2
    assert "transformers says: ValueError: The checkpoint you are trying to load has model type `gpt2000`" in (
        outcome.stderr
    )
    assert "correct the folder's config.json" in outcome.stderr
    outcome = sttest("crosscheck", "./model", "--against", changed(tmp_path / "heads", n_head=5))
    assert (outcome.exit_code, "transformers says: ValueError: `embed_dim` must be div" in outcome.stderr) == (2, True)


def test_nothing_of_the_folder_is_run(here, sttest, tmp_path):
    code = {"AutoModelForCausalLM": "modeling_own.Own", "AutoConfig": "modeling_own.OwnConfig"}
    own = changed(tmp_path / "own", auto_map=code)
    mark = tmp_path / "ran"
    (tmp_path / "own" / "modeling_own.py").write_text(f"open({str(mark)!r}, 'w')")
    found = told(sttest("crosscheck", "./model", "--against", own, "--precision", "fp32", "--json"))
    assert (found["verdict"], mark.exists()) == ("same", False)
    unknown = changed(tmp_path / "unknown", auto_map=code, model_type="own")
    (tmp_path / "unknown" / "modeling_own.py").write_text(f"open({str(mark)!r}, 'w')")
    outcome = sttest("crosscheck", "./model", "--against", unknown)
    assert (outcome.exit_code, mark.exists()) == (2, False)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "pickle"),
        (lambda folder: (folder / "adapter_config.json").write_text("{}"), "adapter"),
        (lambda folder: (folder / "config.json").unlink(), "config.json"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\0" * 40), "transformers says"),
    ],
    ids=["pickle", "adapter", "no-config", "truncated"],
)
def test_folders_that_are_refused(spoil, says, here, sttest, tmp_path):
    shutil.copytree("model", tmp_path / "spoiled")
    spoil(tmp_path / "spoiled")
    outcome = sttest("crosscheck", "./model", "--against", f"transformers:{tmp_path / 'spoiled'}")
    assert (outcome.exit_code, says in outcome.stderr) == (2, True), outcome.stderr


def test_weights_that_are_quantized_already_are_refused(here, sttest, tmp_path):
    quantized = changed(tmp_path / "quantized", quantization_config={"quant_method": "gptq"})
    outcome = sttest("crosscheck", "./model", "--against", quantized)
    assert (outcome.exit_code, "quantized already" in outcome.stderr) == (2, True)


@pytest.mark.parametrize("leave", ["fewer", "more"])
def test_weights_that_transformers_would_make_up_or_pass_over(leave, here, sttest, tmp_path):
    shutil.copytree("model", tmp_path / leave)
    file = tmp_path / leave / "model.safetensors"
    weights = load_file(file)
    if leave == "fewer":
        del weights["transformer.h.1.ln_2.weight"]
    else:
        weights["transformer.h.9.ln_2.weight"] = torch.ones(32)
    save_file(weights, file, {"format": "pt"})
    outcome = sttest("crosscheck", "./model", "--against", f"transformers:{tmp_path / leave}", "--precision", "fp32")
    if leave == "fewer":
        assert (outcome.exit_code, "finds no values for 1 of its weights" in outcome.stderr) == (2, True)
    else:
        assert (outcome.exit_code, "note: transformers passes over 1 tensors" in outcome.stderr) == (0, True)


def test_without_transformers_the_extra_is_named(here, sttest, monkeypatch):
    monkeypatch.setattr("sttest.crosscheck.transformers_folder.find_spec", lambda name: None)
    outcome = sttest("crosscheck", "./model", "--against", "transformers")
    assert (outcome.exit_code, "pip install 'sttest[frontend]'" in outcome.stderr) == (5, True)
