"""`sttest run` on the emulator: a block and a generation as the golden has them, and runs that end early."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from sttest.cli.run import run
from sttest.core.errors import DeadlockError
from sttest.core.results import table_rows
from sttest.models import language_model
from sttest.runtime import block_runner
from sttest.runtime.card_run import RunRequest
from sttest.targets.device import HeldCard, Timeouts

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("quick_build")]
DECODE_STEPS = 16


def table(folder) -> dict[str, dict[str, str]]:
    return {row["metric"]: row for row in table_rows(folder / "table.csv")}


def test_a_block_is_as_the_golden_to_the_bit(package_of, tmp_path, work, capsys):
    package = package_of("gpt2", "decode")
    out = tmp_path / "results"
    request = RunRequest((package,), launches=2, work=work)
    assert run(request, out, "layer", as_json=True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["agrees"] is True
    assert {row["engine"] for row in shown["rows"]} == {"emulator"}
    rows = table(out)
    assert float(rows["largest_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == "2"
    assert rows["launch_device_median"]["kind"] == "simulated"
    assert rows["power_load"]["kind"] == "assumed"
    assert "nothing of a card" in rows["launch_host_clock_median"]["note"]


def test_a_kernel_that_hangs_leaves_the_results_of_the_launches_before(package_of, tmp_path, work):
    request = RunRequest(
        (package_of("gpt2", "decode"),), launches=4, work=work, patience=Timeouts(1.0), faults=((2, "hung"),)
    )
    with pytest.raises(DeadlockError, match="decode 2, layer 0: kernel 'group0' did not finish"):
        run(request, tmp_path / "results", "layer", as_json=True)
    rows = table(tmp_path / "results")
    assert rows["finished_launches"]["value"] == "2"
    assert rows["finished_launches"]["note"] == "of 4 planned"
    assert float(rows["largest_difference"]["value"]) == 0
    assert len((tmp_path / "results" / "steps.csv").read_text().splitlines()) == 3


def test_ctrl_c_keeps_the_launches_before(package_of, tmp_path, work, monkeypatch):
    launch, pids = HeldCard.launch, []

    def interrupted(card, run, *, doing):
        pids.append(card.pid)
        if len(pids) == 3:
            raise KeyboardInterrupt
        return launch(card, run, doing=doing)

    monkeypatch.setattr(HeldCard, "launch", interrupted)
    request = RunRequest((package_of("gpt2", "decode"),), launches=9, work=work)
    with pytest.raises(KeyboardInterrupt):
        run(request, tmp_path / "results", "layer", as_json=True)
    assert table(tmp_path / "results")["finished_launches"]["value"] == "2"
    assert not Path(f"/proc/{pids[0]}").exists()


def test_an_end_before_the_first_launch_leaves_nothing(package_of, tmp_path, work):
    request = RunRequest((package_of("gpt2", "decode"),), work=work, patience=Timeouts(0.5), faults=((0, "hung"),))
    with pytest.raises(DeadlockError):
        run(request, tmp_path / "results", "layer", as_json=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "gemma"])
def test_a_generation_has_the_tokens_of_the_quantized_model(model, package_of, tmp_path, work):
    packages = package_of(model, "prefill"), package_of(model, "decode")
    request = RunRequest(packages, prompt_tokens=12, new_tokens=1 + DECODE_STEPS, seed=4, work=work)
    assert run(request, tmp_path / "results", "layer", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == rows["equal_tokens"]["reference"] == str(1 + DECODE_STEPS)
    assert float(rows["largest_logit_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == str(6 * (1 + DECODE_STEPS))
    assert rows["token_host_clock_median"]["note"].startswith(f"{DECODE_STEPS - 1} tokens, all 6 layers")


def test_what_the_packages_have_no_room_for_is_refused_first(sttest, package_of):
    packages = package_of("gpt2", "prefill"), package_of("gpt2", "decode")
    outcome = sttest("run", *packages, "--backend", "emulator", "--prompt-tokens", 30, "--new-tokens", 9)
    assert outcome.exit_code == 2
    assert "the decode design has no room for the generation (demand 38 tokens, bound 32 tokens)" in outcome.stderr


def test_two_packages_of_one_phase_are_refused(sttest, package_of):
    package = package_of("gpt2", "decode")
    outcome = sttest("run", package, package, "--backend", "emulator")
    assert outcome.exit_code == 2
    assert "one package, or one of each phase" in outcome.stderr


def test_a_generation_takes_no_steps_of_several_tokens(sttest, package_of, own_package_of):
    decode = own_package_of("gpt2", "decode")
    manifest = json.loads((decode / "manifest.json").read_text())
    manifest["configuration"]["workload"]["asked_tokens"] = 4
    (decode / "manifest.json").write_text(json.dumps(manifest))
    outcome = sttest("run", package_of("gpt2", "prefill"), decode, "--backend", "emulator", "--new-tokens", 3)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "the design takes several in a step" in outcome.stderr


def test_a_package_for_other_launches_is_refused(sttest, package_of):
    outcome = sttest("run", package_of("gpt2", "decode"), "--backend", "emulator", "--launch-per", "token")
    assert outcome.exit_code == 2
    assert "compiled for one launch per layer; compile it with --layers 6" in outcome.stderr
    looped = package_of("gpt2", "decode", layers=6)
    outcome = sttest("run", looped, "--backend", "emulator", "--launch-per", "layer")
    assert outcome.exit_code == 2
    assert "compiled for one launch per token; compile it with --layers 1" in outcome.stderr


@pytest.mark.parametrize(
    ("share", "head"),
    [
        pytest.param("none", False, marks=pytest.mark.nightly),
        pytest.param("all", False, marks=pytest.mark.nightly),
        ("all", True),
    ],
)
def test_one_launch_per_token_has_the_tokens_of_the_quantized_model(
    share, head, package_of, tmp_path, work, monkeypatch
):
    greedy, on_host = block_runner.greedy, []
    for module in (block_runner, language_model):
        monkeypatch.setattr(module, "greedy", lambda logits: on_host.append(greedy(logits)) or on_host[-1])
    packages = package_of("gpt2", "prefill"), package_of("gpt2", "decode", layers=6, share=share, head=head)
    request = RunRequest(packages, prompt_tokens=12, new_tokens=5, seed=4, work=work)
    assert run(request, tmp_path / "results", "token", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == rows["equal_tokens"]["reference"] == "5"
    assert float(rows["largest_logit_difference"]["value"]) == 0
    # The prompt goes layer by layer; each of four decode steps is one launch.
    assert rows["finished_launches"]["value"] == str(6 + 4)
    # The host chooses the golden's five tokens, and that after the prompt; those of launches with a head it is told.
    assert len(on_host) == 5 + (1 if head else 5)


@pytest.mark.nightly
@pytest.mark.parametrize(("generate", "per"), [(1, "token"), (3, "generation")])
def test_a_launch_has_the_masks_and_tables_of_each_of_its_layers(generate, per, package_of, tmp_path, work):
    """Five local layers, whose window of 16 the prompt overruns, and a global one, of another rotary base."""
    decode = package_of("gemma", "decode", layers=6, share="all", head=True, generate=generate)
    request = RunRequest((package_of("gemma", "prefill"), decode), prompt_tokens=20, new_tokens=5, seed=4, work=work)
    assert run(request, tmp_path / "results", per, as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == rows["equal_tokens"]["reference"] == "5"
    assert float(rows["largest_logit_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == str(6 + -(-4 // generate))


@pytest.mark.parametrize("table", ["mask", "rope"])
def test_layers_that_share_what_is_not_the_same_for_all_are_refused(table, sttest, package_of, own_package_of):
    decode = own_package_of("gemma", "decode", layers=6, share="all", head=True)
    path = decode / "hls" / "memory.json"
    memory = json.loads(path.read_text())
    (argument,) = (each for each in memory["arguments"] if each["dma"] == f"load_{table}")
    assert argument.pop("layers") == 6
    path.write_text(json.dumps(memory))
    outcome = sttest("run", package_of("gemma", "prefill"), decode, "--backend", "emulator", "--new-tokens", "3")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert f"layers of small-gemma differ in '{table}', of which a launch has one" in outcome.stderr


@pytest.mark.nightly
def test_one_launch_per_generation_has_the_tokens_of_the_quantized_model(package_of, tmp_path, work):
    decode = package_of("gpt2", "decode", layers=6, share="all", head=True, generate=3)
    request = RunRequest((package_of("gpt2", "prefill"), decode), prompt_tokens=12, new_tokens=6, seed=4, work=work)
    assert run(request, tmp_path / "results", "generation", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == rows["equal_tokens"]["reference"] == "6"
    assert float(rows["largest_logit_difference"]["value"]) == 0
    # Five tokens follow the prompt's: two launches of three, the second of which finds the first one's entries.
    assert rows["finished_launches"]["value"] == str(6 + 2)


@pytest.mark.nightly
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "llama-3.2-1b", "gemma"])
def test_whole_generations_in_a_launch_of_all_tokens(model, package_of, tmp_path, work):
    decode = package_of(model, "decode", layers=6, share="weights", head=True, generate=8)
    packages = package_of(model, "prefill", layers=6), decode
    request = RunRequest(packages, prompt_tokens=12, new_tokens=1 + DECODE_STEPS, seed=4, work=work)
    assert run(request, tmp_path / "results", "generation", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == str(1 + DECODE_STEPS)
    assert float(rows["largest_logit_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == str(1 + DECODE_STEPS // 8)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--prompt-by-decode",), "chooses its own tokens"),
        (("--new-tokens", 20, "--prompt-tokens", 12), "demand 33 tokens, bound 32 tokens"),
        (("--launch-per", "token"), "compiled for one launch per generation; compile it with --layers 6"),
    ],
)
def test_what_a_launch_of_several_tokens_cannot_do_is_refused(options, says, sttest, package_of):
    decode = package_of("gpt2", "decode", layers=6, share="all", head=True, generate=3)
    packages = (decode,) if options[0] == "--prompt-by-decode" else (package_of("gpt2", "prefill"), decode)
    outcome = sttest("run", *packages, "--backend", "emulator", *options)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert says in outcome.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("head", [False, True])
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "gemma"])
def test_whole_generations_in_launches_of_all_layers(model, head, package_of, tmp_path, work):
    decode = package_of(model, "decode", layers=6, share="weights", head=head)
    packages = package_of(model, "prefill", layers=6), decode
    request = RunRequest(packages, prompt_tokens=12, new_tokens=1 + DECODE_STEPS, seed=4, work=work)
    assert run(request, tmp_path / "results", "token", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == str(1 + DECODE_STEPS)
    assert rows["finished_launches"]["value"] == str(1 + DECODE_STEPS)


def test_a_decode_alone_takes_the_prompt_too(package_of, tmp_path, work):
    package = package_of("gpt2", "decode", layers=6, share="all", head=True)
    request = RunRequest((package,), by_decode=True, prompt_tokens=3, new_tokens=3, seed=4, work=work)
    assert run(request, tmp_path / "results", "token", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == rows["equal_tokens"]["reference"] == "3"
    assert float(rows["largest_logit_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == str(3 + 2)


@pytest.mark.nightly
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "gemma"])
def test_whole_generations_by_decode_alone(model, package_of, tmp_path, work):
    request = RunRequest((package_of(model, "decode"),), by_decode=True, new_tokens=1 + DECODE_STEPS, work=work)
    assert run(request, tmp_path / "results", "layer", as_json=True) == 0
    rows = table(tmp_path / "results")
    assert rows["equal_tokens"]["value"] == str(1 + DECODE_STEPS)
    assert float(rows["largest_logit_difference"]["value"]) == 0
    assert rows["finished_launches"]["value"] == str(6 * (8 + DECODE_STEPS))


@pytest.mark.parametrize("phases", [("prefill",), ("prefill", "decode")])
def test_a_prompt_by_decode_wants_the_decode_alone(phases, sttest, package_of):
    packages = [package_of("gpt2", phase) for phase in phases]
    outcome = sttest("run", *packages, "--backend", "emulator", "--prompt-by-decode")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "a decode's package alone" in outcome.stderr


def test_a_launch_over_some_of_the_layers_is_refused(sttest, package_of):
    packages = package_of("gpt2", "prefill"), package_of("gpt2", "decode", layers=3)
    outcome = sttest("run", *packages, "--backend", "emulator", "--new-tokens", "3")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "neither one layer nor all" in outcome.stderr


@pytest.mark.parametrize("verb", [("run", "--backend", "emulator"), ("pack",), ("emulate", "--backend", "csim")])
def test_a_block_with_a_head_is_not_looked_at(verb, sttest, package_of):
    outcome = sttest(verb[0], package_of("gpt2", "decode", head=True), *verb[1:])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "runs the head, too" in outcome.stderr


def test_a_head_behind_one_layer_of_several_is_refused(sttest, package_of):
    packages = package_of("gpt2", "prefill"), package_of("gpt2", "decode", head=True)
    outcome = sttest("run", *packages, "--backend", "emulator", "--new-tokens", "3")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "the head behind one layer of several" in outcome.stderr


@pytest.mark.parametrize("verb", [("run", "--backend", "emulator"), ("pack",), ("emulate", "--backend", "csim")])
def test_one_block_of_a_launch_over_layers_is_not_looked_at(verb, sttest, package_of):
    outcome = sttest(verb[0], package_of("gpt2", "decode", layers=6), *verb[1:])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "several layers" in outcome.stderr


@pytest.mark.parametrize(("backend", "part"), [("device", "XRT: no xrt-smi"), ("hw_emu", "v++: no v++")])
def test_without_a_card_it_is_one_line(backend, part, sttest, package_of, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/nowhere")
    out = tmp_path / "results"
    outcome = sttest("run", package_of("gpt2", "decode"), "--backend", backend, "--out", out)
    assert outcome.exit_code == 5
    assert outcome.stderr.count("\n") == 1
    assert part in outcome.stderr
    assert not out.exists()
