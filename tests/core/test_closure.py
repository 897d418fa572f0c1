"""What a result depends on: what is seen, what is not, and the same hash everywhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_python_versions import VERSIONS, interpreter

from sttest.core import closure
from sttest.core.closure import Closures, FolderTree, hash_of, own_files, program_files, program_hash
from sttest.core.errors import InputError
from sttest.core.module_syntax import KnownModules, read_module

ROOT = Path(__file__).parents[2]
SIMULATION, STUDY, GPT2 = "sttest.sim.sizing_cost", "sttest.studies.whatif.report", "experiments.gpt2"


@pytest.fixture
def small(tmp_path):
    """Writes files of a small program and gives the hash of ``sttest.maker`` there, or of other makers."""

    def write(files=(), makers=("sttest.maker",)):
        for name, text in dict(files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return hash_of(Closures(FolderTree(tmp_path)).of(makers))

    return write


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the whole program; tests put back what they change."""
    root = tmp_path_factory.mktemp("program")
    for package in ("sttest", "experiments"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(scope="module")
def before(copied):
    return hashes(copied)


def hashes(root):
    found = Closures(FolderTree(root))
    return {maker: hash_of(found.of([maker])) for maker in (SIMULATION, STUDY, GPT2)}


@pytest.mark.parametrize(
    ("file", "stale"),
    [
        ("sttest/studies/whatif/outcome.py", {STUDY}),
        ("experiments/gpt2_report.py", {GPT2}),
        ("sttest/compile/passes/size_fifos.py", {STUDY, GPT2}),
        ("sttest/sim/maxplus/engine.py", {SIMULATION, STUDY, GPT2}),
        ("sttest/boards/data/u55c.yaml", {STUDY, GPT2}),
        ("experiments/calibration.yaml", {GPT2}),
        ("experiments/data/gpt2_latency.csv", {GPT2}),
        ("sttest/studies/data/clock.yaml", set()),
        ("sttest/studies/report/overview.py", set()),
        ("sttest/cli/whatif.py", set()),
        ("experiments/peers.py", set()),
        ("experiments/data/peers.csv", set()),
    ],
)
def test_a_change_makes_stale_what_depends_on_it_and_nothing_else(copied, before, file, stale):
    text = (copied / file).read_bytes()
    (copied / file).write_bytes(text + b"\nadded = 1\n")
    try:
        after = hashes(copied)
    finally:
        (copied / file).write_bytes(text)
    assert {maker for maker in before if before[maker] != after[maker]} == stale


def test_the_program_that_runs_is_that_of_its_folder(copied):
    assert hashes(copied) == {maker: program_hash(maker) for maker in (SIMULATION, STUDY, GPT2)}


def test_the_hash_of_all_files_sees_every_one_and_nothing_that_python_leaves(small, tmp_path, monkeypatch):
    small({"sttest/one.py": "x = 1\n", "sttest/data/a.yaml": "1", "experiments/more.py": ""}, makers=())
    monkeypatch.setattr(closure, "ROOT", tmp_path)
    now = closure.tree_hash.__wrapped__
    before = now()
    for file in ("sttest/__pycache__/one.pyc", "sttest/.hidden", "experiments/more.py"):
        small({file: "2"}, makers=())
    assert now() == before
    for file in ("sttest/one.py", "sttest/data/a.yaml", "sttest/data/b.yaml"):
        small({file: "x = 1  # seen\n"}, makers=())
        assert now() != before, file
        before = now()


# --- What is seen


def test_an_import_inside_of_a_function_is_seen(small):
    before = small({"sttest/maker.py": "def f():\n    from sttest.late import x\n", "sttest/late.py": "x = 1\n"})
    assert small({"sttest/late.py": "x = 2\n"}) != before


def test_what_is_imported_by_what_is_imported_is_seen_and_its_packages_are(small):
    files = {
        "sttest/__init__.py": "",
        "sttest/maker.py": "import sttest.room.one\n",
        "sttest/room/__init__.py": "",
        "sttest/room/one.py": "from . import two\nfrom .sub.three import y\n",
        "sttest/room/two.py": "",
        "sttest/room/sub/__init__.py": "",
        "sttest/room/sub/three.py": "y = 1\n",
    }
    before = small(files)
    for name in files:
        assert small({name: f"{files[name]}changed = 1\n"}) != before, name
        small({name: files[name]})
    assert small() == before


def test_a_file_that_nobody_imports_is_not(small):
    before = small({"sttest/maker.py": "x = 1\n", "sttest/data.csv": "1"})
    assert (
        small({"sttest/other.py": "x = 1\n", "sttest/data.csv": "2", "sttest/maker.pyc": "", "results/t.csv": ""})
        == before
    )


def test_an_import_for_types_alone_is_not_but_its_other_branch_is(small):
    before = small(
        {
            "sttest/maker.py": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from sttest.one import A\nelse:\n    from sttest.two import A\n",
            "sttest/one.py": "A = 1\n",
            "sttest/two.py": "A = 1\n",
        }
    )
    assert small({"sttest/one.py": "A = 2\n"}) == before
    assert small({"sttest/two.py": "A = 2\n"}) != before


def test_declared_files_are_seen_a_folder_with_all_below(small):
    files = {"sttest/maker.py": '__depends__ = ("data/*.csv", "more/")\n', "data/a.csv": "1", "more/deep/b.txt": "1"}
    before = small(files)
    assert small({"data/deep/c.csv": "1", "data/a.txt": "1", "more/.hidden": "1"}) == before
    assert small({"data/a.csv": "2"}) != before
    assert small({**files, "more/deep/b.txt": "2"}) != before
    assert small({**files, "more/new.txt": "1"}) != before


def test_declared_modules_are_followed_and_stand_for_all_that_is_loaded_by_name(small):
    text = 'from importlib import import_module\n__depends__ = ("sttest/plugins/*.py",)\nimport_module("sttest.hub")\n'
    files = {"sttest/maker.py": text, "sttest/plugins/one.py": "import sttest.deep\n", "sttest/deep.py": "x = 1\n"}
    before = small({**files, "sttest/hub.py": "x = 1\n"})
    assert small({"sttest/hub.py": "x = 2\n"}) == before
    assert small({"sttest/deep.py": "x = 2\n"}) != before


@pytest.mark.parametrize(
    "text",
    ['import importlib\nimportlib.import_module("sttest.tool")\n', 'command = ["python", "-m", "sttest.tool"]\n'],
)
def test_a_module_that_is_loaded_by_a_name_that_stands_there_is_seen(small, text):
    before = small({"sttest/maker.py": text, "sttest/tool.py": "x = 1\n"})
    assert small({"sttest/tool.py": "x = 2\n"}) != before


def test_a_file_may_be_a_maker(small):
    makers = ("sttest.maker", "sttest/data/study.yaml")
    before = small({"sttest/maker.py": "", "sttest/data/study.yaml": "a: 1\n"}, makers)
    assert small({"sttest/data/study.yaml": "a: 2\n"}, makers) != before


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from importlib import import_module\nimport_module(name)\n", "import_module, line 2"),
        ("folder = __file__\n", "__file__, line 1"),
        ("from importlib.resources import files\n", "importlib.resources"),
        ('run = ("python", "-m", name)\n', "-m, line 1"),
    ],
)
def test_what_is_loaded_by_name_and_not_declared_is_an_error(small, text, what):
    with pytest.raises(InputError, match=what) as caught:
        small({"sttest/maker.py": text})
    assert (caught.value.code, caught.value.where) == ("undeclared", "sttest/maker.py")
    small({"sttest/maker.py": f"{text}__depends__ = ()\n"})


@pytest.mark.parametrize(
    ("makers", "code"),
    [(["sttest.gone"], "no-such-module"), (["json"], "no-such-module"), (["data/*"], "no-such-file")],
)
def test_makers_that_are_not_there_are_refused(small, makers, code):
    with pytest.raises(InputError) as caught:
        small({"sttest/maker.py": ""}, makers)
    assert caught.value.code == code


def test_of_an_earlier_program_what_was_not_there_yet_is_left_out_and_declarations_of_today_hold(tmp_path):
    then, now = tmp_path / "then", tmp_path / "now"
    for root, declares in ((then, ""), (now, "__depends__ = ('data/*.csv',)\n")):
        (root / "sttest").mkdir(parents=True)
        (root / "sttest" / "maker.py").write_text(f"def f(name):\n    return __import__(name)\n{declares}")
        (root / "sttest" / "gone.py").write_text("def f(name):\n    return __import__(name)\n")
        (root / "data").mkdir()
        (root / "data" / "a.csv").write_text("1\n")
    (now / "sttest" / "gone.py").unlink()
    earlier = Closures(FolderTree(then), FolderTree(now))
    makers = ["sttest.maker", "sttest.gone", "sttest.later", "more/*.csv"]
    assert list(earlier.of(makers)) == ["data/a.csv", "sttest/gone.py", "sttest/maker.py"]
    with pytest.raises(InputError) as caught:
        Closures(FolderTree(then)).of(["sttest.gone"])
    assert caught.value.code == "undeclared"


def test_the_files_of_others_are_not_named_as_the_programs_own(tmp_path):
    assert own_files(ROOT / "sttest" / "api.py", tmp_path / "mine.yaml", ROOT / "mine.yaml") == ["sttest/api.py"]


# --- What counts as a change of a module


PLAIN = 'x = 1\ndef f(a=1):\n    return f"{a} and {x!r:>4}"\n'


@pytest.mark.parametrize(
    "text",
    [
        f'"""Another docstring."""\n{PLAIN}',
        PLAIN.replace("return", '"""Says more."""\n    return'),
        PLAIN.replace("x = 1", 'x = 1  # why\n"""What x is."""\n\n'),
        PLAIN.replace("(a=1)", "(a = 1)").replace("{a} and", '{a} " f"and'),
        f"__depends__ = ()\n{PLAIN}".replace("\n", "\r\n"),
    ],
)
def test_words_about_the_code_are_no_change_of_it(text):
    assert text != PLAIN
    assert read_module(text.encode(), "x.py").digest == read_module(PLAIN.encode(), "x.py").digest


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [
        ('f"a" f"b{x}c" "d"', 'f"ab{x}cd"', True),
        ('f"" f"b{x}" ""', 'f"b{x}"', True),
        ('f"a{x}b"', 'f"a{x}" "c"', False),
        ('f"{x}{y}"', 'f"{x}" f"{y}"', True),
        ('f"{x}{y}"', 'f"{y}{x}"', False),
    ],
)
def test_an_f_string_is_its_texts_and_values_however_it_is_cut(text, other, is_same):
    digests = {read_module(f"a = {each}\n".encode(), "x.py").digest for each in (text, other)}
    assert (len(digests) == 1) is is_same


_OTHERS = ("x = 2", "x = 1.0", "x = True", "x = '1'", "x = b'1'", "x = -1", "y = 1", "x: int = 1", "x == 1", "")


@pytest.mark.parametrize("text", _OTHERS)
def test_anything_else_is(text):
    assert read_module(text.encode(), "x.py").digest != read_module(b"x = 1\n", "x.py").digest


def test_a_module_that_is_no_python_is_refused():
    with pytest.raises(InputError, match=r"x\.py: is no Python"):
        read_module(b"x =", "x.py")


# --- The same everywhere


_DIGESTS = """
import hashlib, sys, types
from pathlib import Path
class InputError(Exception):
    pass
class TypeAdapter:
    def __init__(self, kind): pass
stand_ins = {"sttest": {}, "sttest.core": {}, "sttest.core.errors": {"InputError": InputError},
    "sttest.core.kept": {"KeptFiles": None},
    "sttest.core.program": {"default_cache_dir": None},
    "pydantic": {"TypeAdapter": TypeAdapter}}
for name, content in stand_ins.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(content)
root = Path(sys.argv[1])
module = types.ModuleType("module_syntax")
sys.modules["module_syntax"] = module
source = root / "sttest" / "core" / "module_syntax.py"
exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), module.__dict__)
digest = hashlib.sha256()
for package in ("sttest", "experiments"):
    for path in sorted((root / package).rglob("*.py")):
        digest.update(repr(module.read_module(path.read_bytes(), path.name)).encode())
print(digest.hexdigest())
"""


def digests(python, *options):
    command = [python, *options, "-c", _DIGESTS, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.nightly
def test_all_modules_are_read_alike_by_every_python_and_under_every_option():
    pythons = {version: python for version in VERSIONS if (python := interpreter(version))}
    found = {version: digests(python) for version, python in pythons.items()}
    found |= {option: digests(sys.executable, option) for option in ("-O", "-OO")}
    assert len(found) >= 3
    assert len({*found.values()}) == 1, found


def test_f_strings_that_pythons_parse_differently_are_told_alike():
    texts = (b'f"a" "b" f"{x}" ""', b'"ab" f"{x}"', b'f"ab{x}"')
    assert len({read_module(text, "x.py").digest for text in texts}) == 1


# --- What is kept


def test_a_module_that_was_read_is_kept_by_its_content_and_a_broken_cache_is_none(tmp_path, monkeypatch):
    first = KnownModules(tmp_path)
    found = first.read(b"import sttest.sim\n__depends__ = ('a/b',)\n", "x.py")
    first.keep()
    with monkeypatch.context() as patch:
        patch.setattr("sttest.core.module_syntax.read_module", lambda *_: pytest.fail("read again"))
        assert KnownModules(tmp_path).read(b"import sttest.sim\n__depends__ = ('a/b',)\n", "y.py") == found
    (file,) = (tmp_path / "modules").iterdir()
    for broken in ("", "{}", file.read_text().replace("sttest.sim", "sttest.cli")):
        file.write_text(broken)
        assert KnownModules(tmp_path).read(b"x = 1\n", "x.py") == read_module(b"x = 1\n", "x.py")


def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(tmp_path):
    (tmp_path / "file").write_text("")
    known = KnownModules(tmp_path / "file")
    known.read(b"x = 1\n", "x.py")
    known.keep()


# --- The closures of the program itself


def test_nothing_that_makes_results_reaches_a_hub():
    """What imports everything would make everything depend on everything."""
    hubs = (
        "sttest/api.py",
        "sttest/cli/",
        "sttest/studies/report/",
        "experiments/registry.py",
        "experiments/pages.py",
        "experiments/figures.py",
        "experiments/panels.py",
        "sttest/studies/figures.py",
    )
    for maker in (SIMULATION, STUDY, GPT2, "experiments.best.table", "experiments.peers"):
        assert [file for file in program_files(maker) if file.startswith(hubs)] == [], maker


@pytest.mark.daily
def test_nobody_inside_opens_the_lazy_doors_of_the_package():
    """``sttest.compile`` and the like are loaded by name; ``__depends__`` of ``sttest`` leaves them out."""
    for package in ("sttest", "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            module = read_module(path.read_bytes(), path.name)
            taken = {name.split(".")[1] for name in module.imports if name.startswith("sttest.")}
            there = {
                each
                for each in taken
                if (ROOT / "sttest" / each).is_dir() or (ROOT / "sttest" / f"{each}.py").is_file()
            }
            assert taken == there, path


@pytest.mark.parametrize("maker", ["experiments.all", "experiments.__main__"])
def test_what_loads_any_experiment_by_name_has_no_hash(maker):
    with pytest.raises(InputError, match="by name"):
        Closures(FolderTree(closure.ROOT)).of([maker])
