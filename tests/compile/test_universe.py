"""``xdsl-opt``, xDSL's own program, reads and prints what sttest writes, and sttest takes it back."""

from importlib.metadata import entry_points

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

from sttest.compile.opt import parse, printed, run_opt

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
# Of the IR after each pass, every n-th is tried.
DESIGNS = [
    ("small-gpt2", "decode", 5),
    pytest.param("small-gpt2", "decode", 1, marks=pytest.mark.nightly),
    pytest.param("small-llama", "prefill", 1, marks=pytest.mark.nightly),
    pytest.param("small-gemma", "decode", 1, marks=pytest.mark.nightly),
    pytest.param("small-qwen", "prefill", 1, marks=pytest.mark.nightly),
]


@pytest.fixture(autouse=True)
def is_installed():
    found = [each.value for each in entry_points(group="xdsl.universe") if each.name == "sttest"]
    assert found, "the entry point is made when sttest is installed: pip install --editable ."


def by_xdsl_opt(path, *options):
    """What ``xdsl-opt`` prints."""
    out = path.with_suffix(".printed")
    xDSLOptMain(args=[str(path), "-o", str(out), *options]).run()
    return out.read_text()


def package_of(sttest, model, phase, folder):
    """A package with the IR after every pass."""
    length = ("--context", "32") if phase == "decode" else ("--tokens", "8")
    made = sttest("compile", model, "--phase", phase, *length, "--design", "default", "--print-after-all", "-o", folder)
    assert made.exit_code == 0, made.stderr
    return sorted((folder / "ir").glob("*.mlir"))


@pytest.mark.daily
@pytest.mark.parametrize(("model", "phase", "stride"), DESIGNS)
def test_ir_files_are_read_and_printed(model, phase, stride, sttest, tmp_path):
    files = package_of(sttest, model, phase, tmp_path / "package")
    assert len(files) > 15
    for path in files[::stride]:
        text = path.read_text()
        assert printed(parse(by_xdsl_opt(path), "printed")) == printed(parse(text, path.name)), path.name


def test_a_pass_does_in_xdsl_opt_what_it_does_in_sttest(sttest, tmp_path):
    first = package_of(sttest, "small-gpt2", "decode", tmp_path / "package")[0]
    ours = run_opt(first.read_text(), "first", "linalg-to-kernels")
    assert "df.kernel" in ours.text
    assert printed(parse(by_xdsl_opt(first, "-p", "linalg-to-kernels"), "printed")) == ours.text
