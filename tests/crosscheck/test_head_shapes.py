"""Blocks whose heads do not come in powers of two: groups of a weight's rows cut what attention merges at other places.

Of 14 heads of 64 channels on 2 caches a group of 128 rows is two heads, and three groups and a half are the heads of a
cache; of 6 heads of 96 channels it is a head and a third.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from sttest.compile.options import CompileOptions
from sttest.models.quant.scheme import schemes
from sttest.sim import simulate
from sttest.studies.workload import CompileRequest

pytestmark = pytest.mark.torch

PHASES = {"decode": ("--context", 20), "prefill": ("--tokens", 9)}
STEPS = {
    "decode-of-4": ("--phase", "decode", "--context", 20, "--tokens", 4),
    "decode-batch": ("--phase", "decode", "--context", 20, "--batch", 3),
    "prefill-27": ("--phase", "prefill", "--tokens", 27),
    "prefill-batch": ("--phase", "prefill", "--tokens", 9, "--batch", 2),
}
# Schemes of a file: constant scales with other weights and caches, and inputs that are not rounded.
OWN = {
    "static-int8": {"weights": "int8", "activations": "static"},
    "static-4-bits": {"activations": "static", "activation_bits": 4, "kv_bits": 4},
    "static-groups-of-32": {"activations": "static", "group": 32},
    "static-float-cache": {"activations": "static", "kv_bits": 32},
    "static-per-position": {"activations": "static", "value_scales": "per-position"},
    "as-it-is": {"activations": "none", "kv_bits": 32},
}


@dataclass(frozen=True)
class Heads:
    """Query heads, those of them that share no cache, and channels of each."""

    heads: int
    kv_heads: int
    head_dim: int

    def __str__(self) -> str:
        return f"{self.heads}-{self.kv_heads}-{self.head_dim}"

    def config(self, folder: Path) -> Path:
        """A Llama of these heads that is small otherwise, as a file."""
        path = folder / f"heads-{self}" / "config.json"
        path.parent.mkdir()
        fields = {
            "model_type": "llama",
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 1,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim,
            "vocab_size": 64,
            "max_position_embeddings": 128,
        }
        path.write_text(json.dumps(fields), encoding="utf-8")
        return path


UNEVEN = (Heads(14, 2, 64), Heads(10, 2, 80), Heads(6, 2, 96))
SHAPES = (
    *UNEVEN,
    Heads(3, 1, 64),
    Heads(7, 1, 64),
    Heads(12, 1, 64),
    Heads(24, 2, 64),
    Heads(5, 5, 64),
    Heads(12, 12, 64),
    Heads(14, 14, 64),
    Heads(25, 25, 64),
    Heads(3, 3, 80),
    Heads(12, 12, 80),
    Heads(25, 5, 80),
    Heads(3, 3, 96),
    Heads(12, 3, 96),
    Heads(6, 1, 128),
    Heads(9, 3, 128),
    Heads(7, 7, 96),
)


def assert_same(sttest, folder: Path, heads: Heads, *options: object, engines: str = "torch,reference") -> None:
    outcome = sttest(
        "crosscheck", heads.config(folder), *options, "--engines", engines, "--json", "-o", folder / "package"
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert {found["verdict"] for found in told["results"].values()} == {"same"}
    assert len(told["results"]) == engines.count(",")
    assert told["streams"] is None or told["streams"]["verdict"] == "same"


@pytest.mark.parametrize(
    ("heads", "precision", "phase"),
    [
        (UNEVEN[0], "w4a8-static", "decode"),
        (UNEVEN[0], "w4a8-static", "prefill"),
        (UNEVEN[1], "w4a8-static", "decode"),
        (UNEVEN[2], "w4a8-static", "prefill"),
        (UNEVEN[0], "w4a16", "decode"),
        (UNEVEN[2], "as-it-is", "decode"),
    ],
    ids=str,
)
def test_groups_across_heads_have_the_values_of_pytorch(heads, precision, phase, sttest, tmp_path):
    assert_same(sttest, tmp_path, heads, "--phase", phase, *PHASES[phase], *scheme(precision, tmp_path))


@pytest.mark.nightly
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("precision", ["w4a8-static", "w4a8"])
@pytest.mark.parametrize("heads", SHAPES[len(UNEVEN) :], ids=str)
def test_heads_of_every_shape_have_the_values_of_pytorch(heads, precision, phase, sttest, tmp_path):
    assert_same(sttest, tmp_path, heads, "--phase", phase, *PHASES[phase], "--precision", precision)


@pytest.mark.nightly
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("precision", [*(name for name in schemes() if name != "fp32"), *OWN])
@pytest.mark.parametrize("heads", [UNEVEN[0], UNEVEN[2]], ids=str)
def test_every_scheme_has_the_values_of_pytorch(heads, precision, phase, sttest, tmp_path):
    assert_same(sttest, tmp_path, heads, "--phase", phase, *PHASES[phase], *scheme(precision, tmp_path))


@pytest.mark.nightly
@pytest.mark.parametrize("shape", STEPS)
@pytest.mark.parametrize("precision", ["w4a8-static", "w4a16"])
@pytest.mark.parametrize("heads", UNEVEN, ids=str)
def test_several_tokens_and_sequences_have_the_values_of_pytorch(heads, precision, shape, sttest, tmp_path):
    assert_same(sttest, tmp_path, heads, *STEPS[shape], "--precision", precision)


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("precision", ["w4a8-static", "w4a16", "as-it-is"])
@pytest.mark.parametrize("heads", UNEVEN, ids=str)
def test_the_emitted_cpp_has_them_too(heads, precision, phase, sttest, tmp_path):
    options = ("--phase", phase, *PHASES[phase], *scheme(precision, tmp_path))
    assert_same(sttest, tmp_path, heads, *options, engines="torch,reference,csim")


def scheme(precision: str, folder: Path) -> tuple[str, object]:
    if precision in schemes():
        return "--precision", precision
    path = folder / f"{precision}.yaml"
    path.write_text(yaml.safe_dump(OWN[precision]), encoding="utf-8")
    return "--precision", path


# --- Qwen2.5-0.5B, which has 14 heads of 64 channels on 2 caches


@pytest.mark.daily
@pytest.mark.slow
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_qwen_has_one_scale_of_all_at_its_size(phase):
    shape = {"tokens": 32} if phase == "prefill" else {"context": 64}
    design = CompileRequest("qwen", phase, **shape, options=CompileOptions(precision="w4a8-static")).design()
    assert design.coverage is not None
    assert design.coverage.is_whole
    assert simulate(design.graph).cycles is not None


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_qwen_has_the_values_of_pytorch_at_its_size(phase, sttest, tmp_path):
    outcome = sttest(
        "crosscheck",
        "qwen",
        "--phase",
        phase,
        "--precision",
        "w4a8-static",
        "-o",
        tmp_path / "package",
        "--json",
        "--engines",
        "torch,reference,csim,simpy,maxplus",
    )
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)
    assert {found["verdict"] for found in told["results"].values()} == {"same"}
    assert told["streams"]["verdict"] == "same"
