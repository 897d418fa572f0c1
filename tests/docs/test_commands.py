"""Every command and every piece of Python in the pages is run; what a page prints below it is compared."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from doc_pages import PAGES, ROOT, Block, Command, blocks, commands, inline_commands, matches

from sttest.cli.app import app

LINKED = ("results", "tests", "examples", "experiments", "docs", "Makefile")
"""What a session finds in its folder, besides what its own commands wrote there."""
IDS = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.fixture
def session(tmp_path, monkeypatch, sttest):
    """Runs the blocks of a page one after the other in a folder of their own."""
    for name in LINKED:
        _link(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")
    names: dict[str, object] = {"__name__": "page"}

    def run(page: Path, block: Block) -> None:
        if block.title:
            target = tmp_path / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            _python(page, block, names)
        for command in commands(block):
            printed = _run(command, sttest)
            assert not command.output.strip() or matches(command.output, printed), f"{command.line}\n{printed}"

    return run


def _link(source: Path, target: Path) -> None:
    """A file, or a folder of its own with links to what the other has: what a page writes doesn't get there."""
    if not source.is_dir():
        target.symlink_to(source)
        return
    target.mkdir()
    for each in source.iterdir():
        (target / each.name).symlink_to(each)


def _run(command: Command, sttest) -> str:
    words = command.words
    if words[0] == "sttest" and not re.search(r"[|;&$<>]", command.line.split("#")[0]):
        outcome = sttest(*words[1:])
        assert outcome.exit_code == command.exit_code, f"{command.line}\n{outcome.stdout}{outcome.stderr}"
        return outcome.stdout
    done = subprocess.run(["bash", "-c", command.line], capture_output=True, text=True, check=False)
    assert done.returncode == command.exit_code, f"{command.line}\n{done.stdout}{done.stderr}"
    return done.stdout


def _python(page: Path, block: Block, names: dict[str, object]) -> None:
    if ">>>" not in block.text:
        exec(compile(block.text, str(page), "exec"), names)
        return
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    line = page.read_text(encoding="utf-8").partition(block.text)[0].count("\n")
    name = f"{page.name}:{line}"  # one per block, by which tracebacks find functions of earlier ones
    examples = doctest.DocTestParser().get_doctest(block.text, names, name, str(page), line)
    runner.run(examples, clear_globs=False)
    names.update(examples.globs)  # later blocks of the page know its names
    assert runner.failures == 0


def _there(need: str) -> bool:
    return shutil.which(need) is not None or importlib.util.find_spec(need.replace("-", "_")) is not None


def _session_of(page: Path, *, nightly: bool) -> list[Block]:
    kept = [block for block in blocks(page) if block.run != "never" and (nightly or block.run == "always")]
    return [block for block in kept if block.title or block.language in ("python", "sh", "console")]


QUICK = [page for page in PAGES if _session_of(page, nightly=False)]
NIGHTLY = [page for page in PAGES if any(block.run == "nightly" for block in blocks(page))]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", QUICK, ids=lambda page: page.stem)
def test_commands_do_what_the_page_says(page, session):
    for block in _session_of(page, nightly=False):
        if all(map(_there, block.needs)):
            session(page, block)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("page", NIGHTLY, ids=lambda page: page.stem)
def test_slow_commands_do_what_the_page_says(page, session):
    for block in _session_of(page, nightly=True):
        if all(map(_there, block.needs)):
            session(page, block)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_verbs_and_options_exist(page):
    root = typer.main.get_command(app)
    named = [command for block in blocks(page) for command in commands(block)] + inline_commands(page)
    for command in named:
        for line in re.split(r"&&|\||;", command.line):
            found = re.match(r"\s*sttest ([a-z]+)(.*)", line)
            if found is None:
                continue
            verb = found[1]
            assert verb in root.commands, line
            options = {name for each in root.commands[verb].params for name in (*each.opts, *each.secondary_opts)}
            named_options = re.findall(r"(?<=\s)--[a-z][a-z-]*", found[2].split(" #")[0])
            unknown = {*named_options} - options - {"--help"}
            assert not unknown, line


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_no_block_is_indented(page):
    """One that is, within a list, would not be run, and the site shows it as text where a comment stands before it."""
    assert re.findall(r"^[ \t]+```.*", page.read_text(encoding="utf-8"), re.M) == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_modules_and_targets_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for block in blocks(page):
        for command in commands(block):
            words = command.words
            if words[:1] == ["make"] and "-C" not in words and block.run != "never":
                assert set(words[1:2]) <= targets, command.line
            if "-m" in words and words[0].startswith("python"):
                assert importlib.util.find_spec(words[words.index("-m") + 1]), command.line


def test_output_may_leave_something_out():
    assert matches("a … c\n", "a b c  \n")
    assert not matches("a … c\n", "a b d\n")
