"""What is no number: NaN, infinities, Python's underscores, in options of every verb and in every form of file."""

import inspect
import json
import re
from pathlib import Path

import pytest
import yaml

from sttest.boards.load import load_board
from sttest.cli.app import _Commands
from sttest.cli.verbs import VERBS
from sttest.core.errors import InputError
from sttest.core.files import parse_json, read_yaml
from sttest.core.numbers import is_disguised, real, whole
from sttest.studies.experts.routing import read_routing
from sttest.studies.serving.requests import read_trace

NO_NUMBERS = ("nan", "inf", "-Infinity", "1e999", "1_0", "٣")


def options():
    """Every option that takes a number: verb, flag and type."""
    for verb in VERBS:
        command = _Commands()[verb]
        kinds = {name: each.annotation for name, each in inspect.signature(command.callback).parameters.items()}
        for each in command.params:
            text = str(kinds[each.name])
            if each.param_type_name == "option" and re.search(r"\b(int|float)\b", text):
                yield verb, each.opts[0], "float" in text


NUMERIC = sorted(options(), key=str)


def test_many_options_take_numbers():
    assert len(NUMERIC) > 60
    assert sum(is_float for *_, is_float in NUMERIC) > 10


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_option_of_any_verb_takes_it(text, sttest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for verb, flag, is_float in NUMERIC:
        outcome = sttest(verb, f"{flag}={text}")
        assert outcome.exit_code == 2, (verb, flag)
        assert outcome.stderr.count("\n") == 1, (verb, flag)
        words = "is no finite number" if is_float else "is no whole number"
        assert f"'{flag}'" in outcome.stderr, (verb, flag, outcome.stderr)
        assert words in outcome.stderr, (verb, flag, outcome.stderr)
    assert not list(tmp_path.iterdir())


def test_depths_are_whole_numbers(sttest, tmp_path):
    graph = Path(__file__).parents[2] / "examples/residual-block/designs/block.json"
    for text in NO_NUMBERS:
        outcome = sttest("simulate", graph, "--depth", f"a={text}")
        assert (outcome.exit_code, "is not FIFO=N" in outcome.stderr) == (2, True), text


@pytest.mark.parametrize(
    "text", [*NO_NUMBERS, ".nan", "-.inf", ".INF", "010", "1:30", "0b11", "0x10", '"nan"', '"1_0"']
)
def test_yaml(text, tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text(f"key: {text}\n")
    with pytest.raises(InputError, match="line 1"):
        read_yaml(path)
    path.write_text(f"extends: u55c\nname: b\nclock_mhz: {{value: {text}, unit: MHz, source: x, kind: assumed}}\n")
    with pytest.raises(InputError, match="line 3"):
        load_board(path)


@pytest.mark.parametrize("text", ["1.5", "-2", "+3", "1e3", "1.0e+3", ".5", "2001-01-01", "banana", "x_1_0", "0"])
def test_yaml_that_is_read_as_before(text, tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text(f"key: {text}\n")
    assert read_yaml(path) == yaml.safe_load(path.read_text())


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "1_0"])
def test_json(text):
    with pytest.raises(InputError, match="not valid JSON"):
        parse_json(f'{{"a": [{text}]}}'.encode(), "f.json")


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_csv(text, tmp_path):
    trace, routing = tmp_path / "t.csv", tmp_path / "r.csv"
    for line in (f"{text},4,4", f"1.0,{text},4", f"1.0,4,{text}"):
        trace.write_text(f"arrival_s,prompt_tokens,output_tokens\n{line}\n")
        with pytest.raises(InputError, match="line 2"):
            read_trace(trace)
    routing.write_text(f"token,layer,experts\n0,0,0 {text}\n")
    with pytest.raises(InputError, match=r"r\.csv"):
        read_routing(routing, 4)


def test_what_is_a_number():
    assert [whole(text) for text in ("7", " -7", "+0", "007")] == [7, -7, 0, 7]
    assert [real(text) for text in ("7", "7.", ".5", "-1e-3 ", "1E6")] == [7, 7, 0.5, -0.001, 1e6]
    for text in (*NO_NUMBERS, "", "1.5.2", "0x1", "e3", "."):
        with pytest.raises(ValueError, match="number"):
            real(text)
        with pytest.raises(ValueError, match="number"):
            whole(text)
    assert [text for text in ("1", "1.5", "x", "nan", "1_0", "") if is_disguised(text)] == ["nan", "1_0"]
    assert json.dumps(real("1e-320"))
