"""Shell completion: what it offers, that it is of today's verbs, and that it imports nothing heavy."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sttest.boards.load import board_names
from sttest.cli import completion
from sttest.cli.verbs import VERBS
from sttest.compile.steps import OWN
from sttest.models.quant.scheme import schemes
from sttest.models.registry import known_models
from sttest.studies.ablation.form import ablation_names
from sttest.studies.catalog import catalog_names
from sttest.studies.tables import questions
from sttest.studies.whatif.study import study_names
from sttest.testing.corpus import cases

COMMAND = "from sttest.cli import main; main()"


def offered(line: str, code: str = COMMAND) -> list[str]:
    """What bash is told could follow a line, whose last word is begun."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_STTEST_COMPLETE": "complete_bash",
    }
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = ['sttest']; {code}"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.split()


def test_the_file_is_of_the_verbs_as_they_are():
    wanted = completion.text_of(completion.description())
    remedy = "from sttest.cli.completion import write_description; write_description()"
    assert completion._FILE.read_text(encoding="utf-8") == wanted, f"run python -c '{remedy}'"


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("models", known_models()),
        ("boards", board_names()),
        ("experiments", questions()),
        ("passes", OWN),
        ("catalog", catalog_names()),
        ("studies", [*study_names(), *ablation_names()]),
        ("corpus", cases()),
        ("schemes", schemes()),
    ],
)
def test_names_are_all_there(kind, names):
    found = completion.candidates(kind, "")
    assert {*names} <= {*found}
    assert {name.removeprefix("small-") for name in found} <= {*names}


def test_a_shell_is_offered_names_and_options_without_heavy_imports():
    heavy = "torch numba xdsl scipy pandas numpy simpy matplotlib"
    listed = f"import atexit; atexit.register(lambda: print([n for n in '{heavy}'.split() if n in sys.modules])); "
    assert offered("sttest opt in.mlir -p fuse-kernels,siz", listed + COMMAND) == ["fuse-kernels,size-fifos", "[]"]
    assert offered("sttest compile gpt2 --phase ", listed + COMMAND) == ["prefill", "decode", "[]"]


@pytest.mark.parametrize(
    ("verb", "word", "names"),
    [
        ("compile", "gpt2-l", ["gpt2-large"]),
        ("board", "u", ["u280", "u50", "u55c"]),
        ("reproduce", "gpt", ["gpt2"]),
        ("whatif", "hbm-b", ["hbm-bandwidth"]),
        ("studies", "inta", ["intar"]),
        ("corpus", "stage", ["stage_skew"]),
    ],
)
def test_the_first_argument_of_a_verb_is_a_name(verb, word, names):
    known = completion._known()["verbs"]
    assert verb in VERBS
    assert completion.candidates(known[verb]["arguments"][0]["kind"], word) == names
