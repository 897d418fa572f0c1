"""What is mistyped, left out or interrupted is answered with a way on."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from sttest.sim import load, write_timed_graph
from sttest.studies.tables import questions
from sttest.testing.corpus import case

MATMUL = """
func.func @main(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x64xf32>) outs(%start : tensor<16x64xf32>)
    -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
}
"""


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("compile", "gpt2", "--phase", "decod", "--context", "64"), "did you mean 'decode'?"),
        (("simulate", "x", "--engine", "simpi"), "did you mean 'simpy'?"),
        (
            ("compile", "acme/llama-3.2-1b-instruct", "--phase", "decode", "--context", "64"),
            "did you mean 'llama-3.2-1b'",
        ),
    ],
)
def test_a_mistyped_word_has_its_nearest_known_one(sttest, arguments, hint):
    outcome = sttest(*arguments)
    assert outcome.exit_code == 2
    assert hint in outcome.stderr


def test_a_repository_is_a_models_name_and_a_path_that_is_there_a_file(sttest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("compile", "acme/block", "--phase", "decode", "--context", "64")
    assert "there is no model 'acme/block'" in sttest(*arguments).stderr
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "block").write_text(MATMUL, encoding="utf-8")
    assert "the text has its shape already" in sttest(*arguments).stderr


def test_a_named_op_is_refused_with_the_command_that_makes_it_generic(sttest, tmp_path):
    (tmp_path / "matmul.mlir").write_text(MATMUL, encoding="utf-8")
    told = sttest("compile", tmp_path / "matmul.mlir", "-o", tmp_path / "out").stderr
    assert "turn linalg.matmul into linalg.generic with 'mlir-opt --linalg-generalize-named-ops FILE.mlir'" in told


def test_reproduce_without_a_name_lists_the_experiments(sttest):
    text = sttest("reproduce").stdout
    assert all(name in text for name in questions())
    assert json.loads(sttest("reproduce", "--json").stdout)["experiments"] == questions()


def test_a_graph_is_written_to_a_path_given_as_text(tmp_path):
    graph = load(case("stage_skew").path)
    write_timed_graph(graph, str(tmp_path / "graph.json"))
    assert load(tmp_path / "graph.json") == graph


def test_whoever_stops_a_search_is_told_how_it_goes_on(tmp_path, heed_interrupts):
    arguments = ["explore", "small-gpt2", "--context", "32", "--trials", "10000", "-j", "1", "--storage", "search.db"]
    running = subprocess.Popen(
        [sys.executable, "-m", "sttest", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
        env=os.environ,
    )
    began = time.monotonic()
    while not (tmp_path / "search.db").exists() and time.monotonic() - began < 60:
        time.sleep(0.1)
    time.sleep(5)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "finished points are in search.db, go on with --resume" in stderr.decode()
