"""A quantized checkpoint on the command line: its scheme is the precision, and another one is refused."""

import json
from pathlib import Path

import pytest

from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError, note
from sttest.models.quant.scheme import load_scheme
from sttest.studies.workload import CompileRequest

FOLDERS = Path(__file__).parents[1] / "models" / "quant" / "released" / "folders"
GPTQ = FOLDERS / "gptq-g32"
DECODE = ("--phase", "decode", "--context", "16", "--design", "default")


def asked(folder, **options):
    return CompileRequest(str(folder), "decode", context=16, options=CompileOptions(**options))


@pytest.mark.parametrize("place", [GPTQ, GPTQ / "config.json"])
def test_the_scheme_follows_from_the_folder(place):
    precision = asked(place).options.precision
    assert precision == str(GPTQ / "config.json")
    scheme = load_scheme(precision)
    assert (scheme.name, scheme.weights, scheme.group, scheme.lm_head) == ("gptq-w4a16-g32", "int4", 32, "none")


@pytest.mark.parametrize(
    ("name", "precision", "words"),
    [("gptq-g32", "w4a8", "group of the checkpoint: 32, of the scheme 'w4a8': 128"),
     ("gptq-g32", "w8a8", "weights of the checkpoint: int4"), ("ct-w8a8", "w4a16", "weights of the checkpoint: int8")],
)  # fmt: skip
def test_a_scheme_that_contradicts_it_is_refused(name, precision, words, sttest):
    outcome = sttest("compile", FOLDERS / name, *DECODE, "--precision", precision)
    assert outcome.exit_code == 2
    assert words in outcome.stderr
    assert "quantization_config" in outcome.stderr
    with pytest.raises(InputError, match="of the checkpoint"):
        asked(FOLDERS / name, precision=precision)


def test_one_that_makes_the_same_integers_is_taken():
    assert asked(GPTQ, precision="w4a8-g32").options.precision == "w4a8-g32"
    assert asked(GPTQ, precision="fp32").options.precision == "fp32"


def test_a_folder_in_floating_point_has_no_scheme(tmp_path):
    content = json.loads((GPTQ / "config.json").read_text())
    del content["quantization_config"]
    (tmp_path / "config.json").write_text(json.dumps(content))
    assert asked(tmp_path).options.precision == "w8a8"
    with pytest.raises(InputError, match=r"no config\.json with quantized weights"):
        load_scheme(tmp_path)


@pytest.fixture
def with_tokenizer(tmp_path):
    """A copy of the folder with a tokenizer of words, and a text."""
    tokenizers = pytest.importorskip("tokenizers")
    pytest.importorskip("torch")
    for each in GPTQ.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    words = [f"w{number}" for number in range(64)]
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="w0"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "text.txt").write_text(" ".join(words[number * number % 64] for number in range(64)))
    return tmp_path


def test_evaluate_takes_the_scheme_of_the_weights(with_tokenizer, sttest):
    folder = with_tokenizer
    words = ("--weights", folder, "--text", folder / "text.txt", "--windows", "1", "--window-length", "32")
    outcome = sttest("evaluate", folder, *words, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["precision"] == "gptq-w4a16-g32"
    assert abs(found["loss"]) < 0.01
    outcome = sttest("evaluate", folder, *words, "--precision", "w4a8")
    assert (outcome.exit_code, "group of the checkpoint" in outcome.stderr) == (2, True)
    outcome = sttest("quantize", folder, *words, "-o", folder / "out", "--precision", "w4a8-g32")
    assert (outcome.exit_code, "a calibration would round the integers" in outcome.stderr) == (2, True)


@pytest.mark.slow
def test_a_golden_has_the_integers_of_the_file(sttest, tmp_path):
    pytest.importorskip("torch_mlir")
    import numpy as np
    from safetensors.numpy import load_file

    outcome = sttest("golden", GPTQ, "--checkpoint", GPTQ, *DECODE[:4], "-o", tmp_path / "golden")
    assert outcome.exit_code == 0, outcome.stderr
    with np.load(tmp_path / "golden" / "golden.npz") as golden:
        (name,) = (each for each in golden.files if each.endswith("attn.q_proj.weight"))
        kept = golden[name]
    words = load_file(GPTQ / "model.safetensors")["model.layers.0.self_attn.q_proj.qweight"]
    octets = np.ascontiguousarray(words.T).view(np.uint8).astype(int)
    values = np.stack([octets % 16, octets // 16], -1).reshape(64, 64) - 8
    np.testing.assert_array_equal(kept.T, values)


def test_what_tensors_alone_can_tell_is_said_once(capsys):
    note.cache_clear()
    request = asked(FOLDERS / "awq-g32")
    asked(FOLDERS / "awq-g32", **request.options.given)
    told = capsys.readouterr().err
    assert told.count("--precision is not given: awq-w4a16-g32") == 1
    assert told.count("zero_point is True: whether the weights can be read is seen") == 1
    asked(GPTQ)
    told = capsys.readouterr().err
    assert "--precision is not given: gptq-w4a16-g32" in told
    assert "is seen when they are" not in told
