"""`sttest compile`: packages from shipped texts, from PyTorch and from files."""

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import SHIPPED_SHAPES, lowered_text
from sttest.models.program import Phase
from sttest.studies.compile_request import Request, compile_package
from sttest.studies.workload import WorkloadShape

SMALL_DECODE = ("--phase", "decode", "--context", SHIPPED_SHAPES[True]["decode"][1])
SMALL_PREFILL = ("--phase", "prefill", "--tokens", SHIPPED_SHAPES[True]["prefill"][0])


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def without_torch(monkeypatch):
    """As if the front end were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name.startswith("torch") else find(name, *rest)
    )


def table(package: str, name: str) -> list[dict[str, str]]:
    with Path(package, "reports", f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("model", ["small-gpt2", "small-qwen", "small-llama", "small-llama-3.2-1b", "small-gemma"])
def test_every_family_compiles_without_torch_and_runs(model, without_torch, sttest):
    outcome = sttest("compile", model, *SMALL_DECODE, "--json")
    told = json.loads(outcome.stdout)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert told["package"] == f"build/{model}-decode-u55c"
    assert told["name"] == f"{model}-decode-c32-u55c"
    assert told["kernels"] == len({row["kernel"].partition("_unit")[0] for row in table(told["package"], "kernels")})
    assert told["groups"] == len({row["group"] for row in table(told["package"], "fusion")})
    simulated = sttest("simulate", told["package"], "--json")
    assert simulated.exit_code == 0
    assert json.loads(simulated.stdout)["cycles"] > 0


def test_text_names_the_package_the_ratio_and_the_next_command(without_torch, sttest):
    lines = sttest("compile", "small-gpt2", *SMALL_DECODE, "-o", "here").stdout.splitlines()
    said = dict(line.split(maxsplit=1) for line in lines)
    parts = json.loads(Path("here", "manifest.json").read_text())["intermediates"]
    assert said["package"] == "here"
    assert said["next"] == "sttest simulate here"
    assert f"{parts['original_bytes']:,} bytes before fusion, {parts['fused_bytes']:,} on chip" in said["intermediates"]
    assert f"ratio {parts['fused_over_original']:.3f}" in said["intermediates"]


def test_without_torch_other_shapes_are_refused_with_the_shipped_one(workplace, without_torch, sttest):
    outcome = sttest("compile", "gpt2", "--phase", "decode", "--context", "128")
    assert outcome.exit_code == 5
    assert "torch" in outcome.stderr
    assert "--context 64" in outcome.stderr
    assert list(workplace.iterdir()) == []


def test_a_text_file_compiles_to_the_design_of_its_model(without_torch, sttest):
    Path("block.mlir").write_text(lowered_text("gpt2", "decode", small=True))
    assert sttest("compile", "block.mlir", "--design", "default").exit_code == 0
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "--design", "default").exit_code == 0
    ours, theirs = Path("build/block-u55c"), Path("build/small-gpt2-decode-u55c")
    for report in theirs.glob("reports/*.csv"):
        assert (ours / "reports" / report.name).read_text() == report.read_text()


def test_options_reach_the_design(without_torch, sttest):
    words = ("--tile-size", 32, "--precision", "w8a8", "--overall-unroll", 2048, "--vector-bits", 1024)
    told = json.loads(
        sttest("compile", "small-gpt2", *SMALL_DECODE, *words, "--strategy", "conservative", "--json").stdout
    )
    options = json.loads(Path(told["package"], "manifest.json").read_text())["configuration"]["options"]
    assert options | {"tile_size": 32, "precision": "w8a8", "overall_unroll": 2048, "vector_bits": 1024} == options
    assert options["strategy"] == "conservative"


def test_lanes_can_be_taken_from_another_package(without_torch, sttest):
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "--overall-unroll", 1024, "-o", "first").exit_code == 0
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "--lanes-from", "first", "-o", "second").exit_code == 0
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "-o", "third").exit_code == 0
    lanes = {name: [row["lanes"] for row in table(name, "kernels")] for name in ("first", "second", "third")}
    assert lanes["first"] == lanes["second"] != lanes["third"]


def test_lanes_of_another_scheme_are_taken_where_they_fit_and_the_rest_is_said(without_torch, sttest):
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "--design", "default", "-o", "first").exit_code == 0
    static = (*SMALL_DECODE, "--precision", "w4a8-static", "--lanes-from", "first", "-o", "second")
    told = sttest("compile", "small-gpt2", *static).stdout.splitlines()
    (line,) = [line for line in told if line.startswith("lanes")]
    assert line.startswith("lanes          10 given for tasks that are not here: attn_norm_peak, attn_norm_scale, ")
    assert line.endswith(" and 6 more")
    lanes = json.loads(sttest("compile", "small-gpt2", *static, "--json").stdout)["lanes"]
    assert len(lanes.pop("left_out")) == 10
    assert lanes == {"added": [], "smaller": [], "apart": []}
    first = {row["kernel"]: row["lanes"] for row in table("first", "kernels")}
    assert all(row["lanes"] == first[row["kernel"]] for row in table("second", "kernels"))


def test_a_failed_compilation_keeps_the_package_that_is_there(workplace, without_torch, sttest):
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "-o", "kept").exit_code == 0
    before = {path: path.read_bytes() for path in workplace.rglob("*") if path.is_file()}
    assert sttest("compile", "small-gpt2", *SMALL_DECODE, "-o", "kept", "--overall-unroll", 1).exit_code == 4
    assert {path: path.read_bytes() for path in workplace.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("phase", "asked", "compiled"),
    [
        ("prefill", 16, 16),
        ("prefill", 1, 1),
        ("prefill", 9, 10),
        ("prefill", 17, 32),
        ("decode", 33, 48),
        ("decode", 7, 7),
    ],
)
def test_lengths_are_padded_to_whole_tiles_or_to_an_even_one(phase: Phase, asked, compiled):
    shapes = [
        WorkloadShape(phase, n, 0) if phase == "prefill" else WorkloadShape(phase, 1, n) for n in (asked, compiled)
    ]
    assert shapes[0].padded(16) == shapes[1]


@pytest.mark.torch
def test_padding_is_in_the_manifest_even_past_the_last_position(sttest):
    # 127 cached tokens and the new one are all that small-gpt2 has; the padded cache is one longer.
    outcome = sttest("compile", "small-gpt2", "--phase", "decode", "--context", 127, "--json")
    assert outcome.exit_code == 0
    manifest = json.loads(Path(json.loads(outcome.stdout)["package"], "manifest.json").read_text())
    workload = manifest["configuration"]["workload"]
    assert (workload["asked_context"], workload["context"]) == (127, 128)
    assert (workload["asked_tokens"], workload["tokens"]) == (1, 1)


@pytest.mark.torch
def test_gpt2_decode_from_pytorch_is_the_design_of_the_shipped_text(sttest, monkeypatch, request):
    options = ("--phase", "decode", "--tokens", 1, "--context", 64, "--board", "u55c")
    from_torch = json.loads(sttest("compile", "gpt2", *options, "-o", "torch", "--json").stdout)
    request.getfixturevalue("without_torch")
    shipped = json.loads(sttest("compile", "gpt2", *options, "-o", "shipped", "--json").stdout)
    for told in (from_torch, shipped):
        del told["package"], told["compile_s"], told["passes"], told["kept"]
    assert from_torch == shipped
    simulated = json.loads(sttest("simulate", "torch", "--json").stdout)
    assert simulated["verdict"] == "done"


def test_a_head_is_compiled_behind_the_layers_and_reported(without_torch, sttest):
    told = json.loads(sttest("compile", "small-gpt2", *SMALL_DECODE, "--layers", 2, "--head", "--json").stdout)
    assert told["name"] == "small-gpt2-decode-c32-head-u55c"
    assert told["workload"]["head_columns"] == 256
    memory = {
        each["dma"]: each for each in json.loads(Path(told["package"], "hls", "memory.json").read_text())["arguments"]
    }
    assert memory["load_attn_norm_weight"]["layers"] == 2
    assert not any("layers" in memory[dma] for dma in memory if "head" in dma or dma == "load_token_ids")
    block = json.loads(sttest("compile", "small-gpt2", *SMALL_DECODE, "--layers", 2, "--json").stdout)
    assert told["sizing"]["cycles"] > block["sizing"]["cycles"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("small-gpt2", *SMALL_PREFILL, "--head"), "the head follows one token, a prefill has many"),
        (("block.mlir", "--head"), "--head given, but the text has its shape already"),
    ],
)
def test_a_head_that_there_is_not_is_refused(options, said, sttest):
    Path("block.mlir").write_text(lowered_text("gpt2", "decode", small=True))
    outcome = sttest("compile", *options)
    assert outcome.exit_code == 2
    assert said in outcome.stderr


@pytest.mark.parametrize("options", [(), ("--layers", 6), ("--layers", 3, "--head")])
def test_a_launch_of_several_tokens_wants_all_layers_and_the_head(options, sttest):
    outcome = sttest("compile", "small-gpt2", *SMALL_DECODE, "--generate", 4, *options)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "add --layers 6 --head" in outcome.stderr


@pytest.mark.torch
def test_a_launch_of_several_tokens_says_its_speed_for_a_user(sttest):
    told = sttest("compile", "small-gpt2", *SMALL_DECODE, "--generate", 2, "--layers", 6, "--head", "-o", "out").stdout
    cycles = json.loads(Path("out", "manifest.json").read_text())["sizing"]["cycles"]
    assert f"speed          {2 * 250e6 / cycles:,.0f} tokens/s for one user, 2 in a launch" in told


def test_a_scheme_that_keeps_the_head_is_refused():
    Path("mine.yaml").write_text("extends: w4a8\nlm_head: none\n")
    options = CompileOptions(precision="mine.yaml")
    with pytest.raises(InputError, match="the scheme keeps the head in floating point"):
        compile_package(Request("small-gpt2", "decode", None, 32, "u55c", options, head=True))


def test_an_engine_of_its_own_wants_engines(sttest):
    outcome = sttest("compile", "small-gpt2", *SMALL_DECODE, "--own-unit", "mlp_fc2")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "no tasks share a functional unit" in outcome.stderr
    assert not Path("build").exists()


def test_products_in_luts_are_in_the_manifest_and_the_reports(without_torch, sttest):
    fabric = ("--design", "default", "--fabric", "attn_scores", "--fabric", "attn_mix")
    package = Path(json.loads(sttest("compile", "small-gpt2", *SMALL_DECODE, *fabric, "--json").stdout)["package"])
    manifest = json.loads((package / "manifest.json").read_text())
    assert manifest["configuration"]["options"]["fabric"] == ["attn_scores", "attn_mix"]
    dsps = {row["process"]: float(row["dsp"]) for row in table(str(package), "resources")}
    assert (dsps["attn_scores"], dsps["attn_mix"]) == (0, 0)
    assert dsps["attn_q_proj"] > 0
    again = ("--lanes-from", package, "-o", "again", "--json")
    told = json.loads(sttest("compile", "small-gpt2", *SMALL_DECODE, *fabric, *again).stdout)
    assert table(told["package"], "resources") == table(str(package), "resources")


def test_products_that_there_are_not_are_refused(without_torch, sttest):
    outcome = sttest("compile", "small-gpt2", *SMALL_DECODE, "--fabric", "attn_scors")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "no task is called 'attn_scors'; did you mean 'attn_scores'?" in outcome.stderr
    assert not Path("build").exists()


def test_widths_that_no_tile_divides_are_named(sttest, tmp_path):
    text = Path(tmp_path / "prime.mlir")
    text.write_text(
        """
module {
  func.func @main(%x: tensor<8x67xf32>, %y: tensor<8x67xf32>) -> tensor<8x67xf32> {
    %empty = tensor.empty() : tensor<8x67xf32>
    %z = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
                         affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]
      } ins(%x, %y : tensor<8x67xf32>, tensor<8x67xf32>) outs(%empty : tensor<8x67xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<8x67xf32>
    return %z : tensor<8x67xf32>
  }
}
"""
    )
    outcome = sttest("compile", text, "--precision", "fp32", "-o", tmp_path / "package")
    assert outcome.exit_code == 0, outcome.stderr
    assert "no tile divides 67; pad it to 80" in outcome.stdout


_TELLING = """
import sys
from sttest.cli import main
try:
    main()
finally:
    print(*sorted(sys.modules))
"""


@pytest.mark.nightly
def test_a_block_that_was_compiled_before_is_compiled_without_the_slow_libraries(tmp_path):
    """pandas, numba and scipy take longer to import than the block takes to compile."""
    command = [sys.executable, "-c", _TELLING, "compile", "small-gpt2", *map(str, SMALL_DECODE), "-o", "package"]
    environment = {**os.environ, "STTEST_CACHE": str(tmp_path / "cache")}
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()
        for _ in range(2)
    ]
    first, again = (set(run.pop().split()) for run in runs)
    assert "numba" in first
    assert not again & {"numba", "pandas", "scipy", "torch"}
    assert runs[0] == runs[1]
