"""`--layer`: one layer of a model class, on the command line."""

import json
import sys

import pytest

pytest.importorskip("torch_mlir")
pytest.importorskip("transformers")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

FIELDS = {
    "architectures": ["Olmo2ForCausalLM"],
    "model_type": "olmo2",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_attention_heads": 16,
    "num_hidden_layers": 2,
}


@pytest.fixture
def olmo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "olmo").mkdir()
    (tmp_path / "olmo" / "config.json").write_text(json.dumps(FIELDS))
    return tmp_path


LAYER = ("--layer", "transformers:Olmo2ForCausalLM", "olmo")


@pytest.mark.slow
def test_a_layer_is_compiled_simulated_and_taken_again(olmo, sttest):
    shape = ("--phase", "decode", "--context", 8, "--small")
    found = sttest("compile", *LAYER, *shape, "--precision", "fp32", "--json")
    assert found.exit_code == 0, found.stderr
    summary = json.loads(found.stdout)
    assert summary["package"] == "build/small-olmo-decode-c8-u55c"
    assert "build/layers/small-olmo-decode-c8.py:make" in found.stderr
    assert sttest("simulate", summary["package"]).exit_code == 0
    reference = "build/layers/small-olmo-decode-c8.py:make"
    again = sttest("compile", reference, "--precision", "fp32", "--json", "-o", "build/again")
    found = json.loads(again.stdout)
    for fact in ("kernels", "fifos", "fifo_bits", "sizing", "resources"):
        assert found[fact] == summary[fact]


@pytest.mark.slow
def test_a_layer_is_crosschecked_against_torch(olmo, sttest):
    shape = ("--phase", "prefill", "--tokens", 8, "--small", "--precision", "fp32")
    found = sttest("crosscheck", *LAYER, *shape, "--engines", "torch,reference", "--json")
    assert found.exit_code == 0, found.stderr
    engines = {each["engine"]: each for each in json.loads(found.stdout)["engines"]}
    assert engines["torch"]["verdict"] == engines["reference"]["verdict"] == "done"


def test_operations_name_lines_of_transformers(olmo, sttest):
    found = sttest("compile", *LAYER, "--phase", "prefill", "--tokens", 4, "--small", "--operations", "--json")
    assert found.exit_code == 0, found.stderr
    places = {each["place"].rpartition("/")[2].partition(":")[0] for each in json.loads(found.stdout)["lines"]}
    assert "modeling_olmo2.py" in places


def test_a_family_that_no_block_is_known_of_is_told_of_layers(olmo, sttest):
    for verb in ("compile", "crosscheck"):
        found = sttest(verb, "olmo", "--phase", "decode", "--context", 8)
        assert found.exit_code == 2
        assert f"sttest {verb} --layer transformers:Olmo2ForCausalLM olmo" in found.stderr
        assert "known: gpt2" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("compile", *LAYER), "--phase is missing"),
        (("compile", "gpt2", "--small", "--phase", "decode"), "add --layer"),
        (("compile", "--layer", "Olmo2ForCausalLM", "olmo", "--phase", "decode"), "transformers:CLASS"),
        (("compile", *LAYER, "--phase", "decode", "--context", 8, "--batch", 2), "--batch given"),
        (("compile", "--layer", "own.py:Model", "olmo", "--phase", "prefill"), "own.py"),
    ],
)
def test_what_does_not_fit_a_layer_is_refused(olmo, sttest, arguments, what):
    found = sttest(*arguments)
    assert found.exit_code == 2
    assert what in found.stderr


def test_without_transformers_it_says_what_to_install(olmo, sttest, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: None if name == "transformers" else object())
    found = sttest("compile", *LAYER, "--phase", "decode", "--context", 8)
    assert found.exit_code == 5
    assert "pip install" in found.stderr
