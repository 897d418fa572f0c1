"""Every verb in a pseudo-terminal of 80 columns: lines that fit, one page, no number broken; all of it in a pipe.

A verb without an example below fails: add it to ``QUICK``, or to ``SLOW`` where it takes more than a second or two.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from typer.main import get_command

import sttest as st
from sttest.cli.app import app
from sttest.cli.verbs import VERBS, prints_table
from sttest.core.errors import note
from sttest.core.terminal import MOST_LINES
from sttest.testing.corpus import case
from tests.terminal import COLUMNS, Seen, in_terminal, seen_here

ROOT = Path(__file__).parents[2]
DEEP, DEAD = "small", "small --depth fork_attn_residual__mlp_residual=2"
# Command lines of each verb, in a folder with a design package ``small`` and the corpus' ``live.json``, ``dead.json``.
QUICK = {
    "compile": ["compile small-gpt2 --phase decode --context 32 -o again"],
    "opt": ["opt small/ir/00_quantize.mlir"],
    "dot": ["dot live.json", f"dot {DEEP}"],
    "import": ["import", f"import finn {ROOT}/examples/finn-residual/residual.onnx -o finn.json"],
    "models": ["models"],
    "board": ["board", "board u55c", "board a100"],
    "check": ["check dead.json", "check live.json dead.json"],
    "simulate": ["simulate live.json", f"simulate {DEEP} --overlap", "simulate dead.json", f"simulate {DEAD}"],
    "size": ["size dead.json", f"size {DEEP}", f"size {DEEP} --method lp"],
    "diff": ["diff live.json dead.json", "diff small other"],
    "corpus": ["corpus", "corpus stage_skew"],
    "emulate": ["emulate live.json --simulator icarus"],
    "build": ["build small --target hw_emu --dry-run", "build small --check-intervals"],
    "calibrate": ["calibrate small --dry-run"],
    "doctor": ["doctor"],
    "reproduce": ["reproduce"],
    "whatif": ["whatif", "whatif hbm-bandwidth --dry-run", "whatif fusion --dry-run"],
    "studies": ["studies", "studies intar", "studies --undone"],
    "report": ["report --results results -o results.html", "report live.json -o page.html"],
    "explore": ["explore small-gpt2 --phase decode --context 32 --dry-run"],
}
SLOW = {
    "crosscheck": [
        "crosscheck small-gpt2 --phase decode --context 16",
        "crosscheck source --against transformers --precision w8a8",
    ],
    "golden": ["golden small -o goldens"],
    "synth": ["synth small --jobs 2"],
    "pack": ["pack small"],
    "run": ["run small --backend emulator --launches 1"],
    "emulate": ["emulate small --backend csim", "emulate small"],
    "serve": ["serve small --rate 100 --requests 20 --prompt-tokens 5 --output-tokens 4"],
    "evaluate": ["evaluate small-llama --weights source --text text.txt --windows 2 --window-length 32"],
    "quantize": ["quantize small-llama --weights source --text text.txt --windows 2 --window-length 32 -o better"],
    "reproduce": ["reproduce hida", "reproduce fidelity"],
    "explore": ["explore small-gpt2 --phase decode --context 32 --trials 3 -j 1 -o found"],
}


def commands(examples: dict[str, list[str]]) -> list[str]:
    return [line for lines in examples.values() for line in lines]


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with a design package, two timed graphs and a folder of results."""
    folder = tmp_path_factory.mktemp("terminal")
    st.compile("small-gpt2", phase="decode", context=32).save(folder / "small")
    st.compile("small-gpt2", phase="decode", context=32, gemv_lanes=32).save(folder / "other")
    shutil.copy(case("stage_skew").live_path, folder / "live.json")
    shutil.copy(case("stage_skew").path, folder / "dead.json")
    shutil.copytree(ROOT / "results" / "hida", folder / "results" / "hida")
    return folder


@pytest.fixture
def here(place, monkeypatch) -> Path:
    monkeypatch.chdir(place)
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    return place


def check_page(line: str, seen: Seen, codes: tuple[int, ...] = (0, 3)) -> None:
    """That a person can read it."""
    assert seen.exit_code in codes, f"{line}\n{seen.text}\n{seen.stderr}"
    assert seen.text.strip(), line
    # A word, such as a path, is not broken.
    assert [each for each in seen.lines if len(each) > COLUMNS and len(each.split()) > 1] == [], line
    assert len(seen.lines) <= MOST_LINES, f"{line}\n{seen.text}"
    assert broken_numbers(seen.lines) == [], line


def broken_numbers(lines: list[str]) -> list[tuple[str, str]]:
    """Lines that end in the middle of a number which the next one begins with."""
    return [
        pair
        for pair in pairwise(lines)
        if len(pair[0]) > COLUMNS - 4 and re.search(r"\d[.,]?$", pair[0]) and re.match(r"[.,]?\d", pair[1])
    ]


def test_every_verb_has_an_example():
    missing = set(VERBS) - set(QUICK) - set(SLOW)
    assert missing == set(), "give each an example in QUICK or SLOW of this file"
    for examples in (QUICK, SLOW):
        assert [line for verb, lines in examples.items() for line in lines if line.split()[0] != verb] == []


@pytest.mark.parametrize("line", commands(QUICK))
def test_a_terminal_has_one_page(line, here):
    if "icarus" in line and shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    if "finn" in line:
        pytest.importorskip("onnx")
    check_page(line, seen_here(*shlex.split(line)))


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_is_one_page(verb, here):
    seen = seen_here(*([verb] if verb else []), "--help")
    check_page(f"{verb} --help", seen)
    whole = seen_here(verb, "--help", "--wide") if verb else seen
    assert [each for each in whole.lines if len(each) > COLUMNS] == []
    if verb:
        options = get_command(app).commands[verb].params  # pyright: ignore[reportAttributeAccessIssue]
        named = {name for each in options if each.param_type_name == "option" for name in each.opts if name[1] == "-"}
        for page in (seen, whole):
            assert [name for name in sorted(named) if not re.search(rf"{name}\b", page.text)] == []


def test_a_process_of_its_own_in_a_terminal(here):
    check_page("board u55c", in_terminal("board", "u55c", folder=here))
    narrow = in_terminal("studies", folder=here, columns=60)
    assert max(map(len, narrow.lines)) <= 60


@pytest.mark.parametrize("line", ["board u55c", "studies intar", "dot small", "whatif"])
def test_a_pipe_and_wide_have_every_line_whole(line, here, sttest, monkeypatch):
    words = shlex.split(line)
    piped = sttest(*words).stdout
    assert "more lines" not in piped
    assert "--wide" not in piped
    monkeypatch.setenv("COLUMNS", "50")
    assert sttest(*words).stdout == piped
    assert seen_here(*words, "--wide").text == piped.rstrip("\n")


def test_a_table_in_a_pipe_has_a_line_per_row(here, sttest):
    told = json.loads(sttest("board", "u55c", "--json").stdout)
    lines = sttest("board", "u55c").stdout.splitlines()
    found = [line.split("   ")[0].strip() for line in lines]
    assert [name for name in told["quantities"] if found.count(name) != 1] == []


WITH_TABLE = [
    line
    for verb, lines in QUICK.items()
    for line in lines
    if verb not in ("compile", "emulate", "calibrate", "import")
    and prints_table(VERBS[verb].load())
    and not re.search(r"dry-run|check-intervals|stage_skew|undone|^simulate", line)
]


@pytest.mark.parametrize("line", WITH_TABLE)
def test_csv_has_all_of_the_table_and_nothing_else(line, here, sttest):
    outcome = sttest(*shlex.split(line), "--csv")
    assert outcome.exit_code in (0, 3), outcome.stderr
    for table in outcome.stdout.split("\n\n"):
        columns, *rows = csv.reader(io.StringIO(table))
        assert rows, table
        assert {len(row) for row in rows} == {len(columns)}
        assert len({*columns}) == len(columns)


HEAVY = (
    "import finn",
    "diff small",
    "compile",
    "build",
    "explore",
    "emulate",
    "size small",
    "dot small",
    "whatif h",
    "whatif f",
    "simulate small",
)


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, marks=pytest.mark.nightly if line.startswith(HEAVY) else ()) for line in commands(QUICK)],
)
def test_json_is_whole_in_a_terminal(line, here):
    told = json.loads(seen_here(*shlex.split(line), "--json").text)
    assert re.fullmatch(r"sttest\.[a-z0-9-]+/\d+", told["schema"])


def test_csv_and_json_are_two_forms(here, sttest):
    outcome = sttest("board", "u55c", "--csv", "--json")
    assert (outcome.exit_code, "leave one out" in outcome.stderr) == (2, True)


def test_csv_of_what_has_no_table_says_so(here, sttest):
    note.cache_clear()
    outcome = sttest("whatif", "hbm-bandwidth", "--dry-run", "--csv")
    assert (outcome.exit_code, outcome.stdout) == (0, "")
    assert "no table was printed" in outcome.stderr


@pytest.fixture(scope="module")
def slow_place(place, tmp_path_factory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    from sttest.models.registry import get_config, small
    from tests.models.test_quality import save_checkpoint, tokens, words_tokenizer

    source = save_checkpoint(small(get_config("llama")), place / "source")
    words_tokenizer(source)
    (place / "text.txt").write_text(" ".join(f"w{token}" for token in tokens(64, 1)))
    return place


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("line", [*commands(SLOW), *commands(QUICK)])
def test_all_commands_as_processes_in_a_terminal(line, slow_place):
    check_page(line, in_terminal(*shlex.split(line), folder=slow_place, timeout_s=1500))
