"""The options of the compiler: one statement each, from which everything else is made."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from sttest.compile.ir.module_walk import set_target, target_of
from sttest.compile.opt import parse, run_opt
from sttest.compile.options import CompileOptions, accepts, flag_of, options_of, renamed
from sttest.compile.pipeline import all_passes
from sttest.compile.steps import steps
from sttest.core.errors import InputError
from sttest.models.quant.scheme import schemes

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "options.md"
ONE_MORE = """
import sys
from typing import Annotated
from pydantic import Field
from sttest.compile import options

class More(options.CompileOptions):
    coolness: Annotated[int, Field(ge=1, le=9, description="How cool."), options.Option(search=(3, 7), unit="K")] = 3

options.CompileOptions = More
if sys.argv[1:] == ["table"]:
    print(options.options_table())
elif sys.argv[1:] == ["flags"]:
    print(More(coolness=7).command_line())
else:
    from sttest.cli import main
    main()
"""
STUDY = """
title: a new option
base: {model: small-gpt2, phase: decode, context: 32}
axes: {options.coolness: [3, 7]}
"""


def with_one_more(folder: Path, *words: str) -> str:
    """What a program says whose ``CompileOptions`` has one field more."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_MORE, *words], capture_output=True, text=True, check=False, timeout=300, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.daily
def test_a_new_option_is_everywhere(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY)
    helped = with_one_more(tmp_path, "compile", "--help")
    assert "--coolness" in helped
    assert "1 to 9" in helped
    plan = with_one_more(tmp_path, "explore", "small-gpt2", "--phase", "decode", "--context", "32", "--dry-run")
    assert "coolness" in plan
    assert "3, 7" in plan
    assert "2" in with_one_more(tmp_path, "whatif", "study.yaml", "--dry-run")
    assert "| `--coolness` | `coolness` | K, at least 1 and at most 9 |" in with_one_more(tmp_path, "table")
    assert "['--coolness', '7']" in with_one_more(tmp_path, "flags")


def test_old_names_are_documented() -> None:
    page = DOCS.read_text()
    assert all(f"`{option}`" in page for option in renamed())


def test_passes_take_what_the_options_say() -> None:
    # What a design is compared with, what the model is that is lowered, and passes themselves: no pass takes these.
    held_against = {"budget", "flow", "ranks", "passes"}
    for name, _, option in options_of():
        assert bool(option.passes) == (name not in held_against), f"nothing takes {name}"
        for taker in option.passes:
            pass_name, _, argument = taker.rstrip("}").partition("{")
            known = {field.name.replace("_", "-") for field in dataclasses.fields(steps()[pass_name].load())}
            assert taker.endswith("{}") or (argument or name.replace("_", "-")) in known, taker


def test_a_pass_gets_its_options() -> None:
    made = {each.name: each for each in all_passes(CompileOptions(vector_bits=512, layers=3))}
    assert str(made["loop-layers"].spec()) == "loop-layers{layers=3}"
    assert "max_bits=512" in str(made["vectorize"].spec())
    assert "buffer-rereads" not in made


def test_schemes_of_the_command_line_are_those_that_there_are() -> None:
    (told,) = (field.description for name, field, _ in options_of() if name == "precision")
    assert told is not None
    assert told.removeprefix("Quantization scheme: ").partition(", or a YAML file;")[0].split(", ") == [*schemes()]


def test_searched_values_are_possible() -> None:
    for name, _, option in options_of():
        assert all(accepts(name, value) for value in option.search)


@pytest.mark.parametrize(
    ("given", "code"),
    [({"own_units": ("a",)}, "nothing-shared"), ({"attention": "one-pass", "generate": 2}, "one-pass-generation")],
)
def test_options_that_do_not_go_together(given, code) -> None:
    with pytest.raises(InputError) as refused:
        CompileOptions(**given)
    assert refused.value.code == code


def test_changed_options_are_checked() -> None:
    with pytest.raises(InputError):
        CompileOptions().with_(tile_size=0)
    with pytest.raises(InputError):
        CompileOptions().with_(tile_sise=8)


def test_old_names_still_work_with_a_note(capsys) -> None:
    found = CompileOptions.model_validate({"keep_kib": 4, "keep_pace": True, "own_engines": ["a"], "share": "all"})
    assert (found.buffer_rereads_kib, found.flatten_bottleneck_loops, found.own_units) == (4, True, ("a",))
    assert set(renamed()) == {"keep_kib", "--keep-kib", "keep_pace", "--keep-pace", "own_engines", "--own-engine"} | {
        "--tile",
        "--seldom-port-bursts",
    }


def test_old_words_of_a_command_line_still_work(tmp_path: Path) -> None:
    words = ["compile", "no.mlir", "--keep-pace", "--keep-kib=4"]
    done = subprocess.run(
        [sys.executable, "-m", "sttest", *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert "'--keep-pace' is called '--flatten-bottleneck-loops' now" in done.stderr
    assert "'--keep-kib' is called '--buffer-rereads-kib' now" in done.stderr
    assert "No such option" not in done.stderr


EMPTY = "func.func @main() { func.return }"


def test_a_pass_that_needs_a_target_says_how_to_give_it() -> None:
    with pytest.raises(InputError, match="give --board") as refused:
        run_opt(EMPTY, "text", "fuse-kernels")
    assert refused.value.code == "no-target"
    text = run_opt(EMPTY, "text", "fuse-kernels", board="u280").text
    assert 'sttest.target = #df.target<"u280">' in text
    assert run_opt(text, "text", "fuse-kernels").text == text


def test_a_module_is_for_the_board_that_it_names() -> None:
    module = parse(EMPTY, "text")
    set_target(module, "u280")
    assert target_of(module, "test").name == "u280"


def test_ir_holds_a_board_that_is_not_shipped(tmp_path: Path) -> None:
    file = tmp_path / "slow.yaml"
    file.write_text("extends: u280\nname: slow\n")
    text = run_opt(EMPTY, "text", "", board=str(file)).text
    file.unlink()
    assert run_opt(text, "text", "fuse-kernels").text == text
    assert target_of(parse(text, "text"), "test").name == "slow"


@pytest.mark.parametrize(
    ("given", "code", "where"),
    [({"tile_size": 0}, "bad-value", "tile_size"), ({"tile_sise": 8}, "unknown-key", "tile_sise")],
)
def test_a_wrong_value_given_to_the_class_is_bad_input(given, code, where) -> None:
    with pytest.raises(InputError) as caught:
        CompileOptions(**given)
    assert (caught.value.code, caught.value.where) == (code, f"options: {where}")


def test_an_option_has_one_name_on_the_command_line_in_python_and_in_yaml() -> None:
    """One that may be repeated is in the singular there; a tile and an order of a task say whose they are."""
    several = {"tiles": "--task-tile", "orders": "--task-order", "passes": "--pass"}
    for name, field, option in options_of():
        words = f"--{name.replace('_', '-')}"
        is_repeated = isinstance(field.default, tuple)
        assert flag_of(name, option) in (
            (words, words.removesuffix("s"), several.get(name)) if is_repeated else (words,)
        )


@pytest.mark.parametrize(("old", "today"), [("--tile", "--tile-size"), ("--seldom-port-bursts", "--seldom-bursts")])
def test_flags_of_earlier_versions_work_with_a_note(old, today, sttest, tmp_path) -> None:
    shape = ("small-gpt2", "--phase", "decode", "--context", 32, "--flow", "rtl", "--design", "default")
    told = sttest("compile", *shape, old, 8, "-o", tmp_path / "package")
    assert told.exit_code == 0, told.stderr
    assert f"note: '{old}' is called '{today}' now" in told.stderr
    key = today.removeprefix("--").replace("-", "_")
    assert f'"{key}": 8' in (tmp_path / "package" / "manifest.json").read_text()
