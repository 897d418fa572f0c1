"""``FILE.py:FUNCTION``: the function is found and run, or the error says what is wrong with the file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.core.python_file import python_function

FILE = """
from dataclasses import dataclass
@dataclass
class Layer:
    width: int
def build(width):
    return Layer(width)
_hidden = build
depth = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_model.py"
    path.write_text(FILE)
    return path


def test_the_function_of_a_file_is_found_from_a_folder(file: Path) -> None:
    assert python_function("my_model.py:build", file.parent)(7).width == 7
    assert python_function(f"{file}:build")(8).width == 8
    # dataclasses look their module up by its name
    assert "sttest_user_my_model" in sys.modules


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("build", "'': no Python file"),
        ("my_model:build", "'my_model': no Python file"),
        ("other.py:build", "'other.py': no such file or folder"),
        ("folder.py:build", "'folder.py': a folder, not a file"),
        ("my_model.py/in.py:build", "'my_model.py/in.py': Not a directory"),
    ],
)
def test_no_such_file(reference: str, says: str, file: Path) -> None:
    (file.parent / "folder.py").mkdir()
    with pytest.raises(InputError) as caught:
        python_function(reference, file.parent)
    assert (caught.value.code, caught.value.where) == ("no-file", reference)
    assert str(caught.value) == f"{reference}: {says}; give FILE.py:FUNCTION"


@pytest.mark.parametrize(
    ("name", "hint"), [("biuld", "did you mean 'build'?"), ("depth", "choose one of Layer, build, dataclass")]
)
def test_no_such_function(name: str, hint: str, file: Path) -> None:
    with pytest.raises(InputError) as caught:
        python_function(f"{file}:{name}")
    assert caught.value.code == "no-function"
    assert str(caught.value) == f"{file}:{name}: the file has no function '{name}'; {hint}"


def test_a_file_without_functions(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("depth = 3\n_f = print\n")
    with pytest.raises(InputError, match="has no function 'f'; define it"):
        python_function(f"{tmp_path / 'empty.py'}:f")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("def f(:", "SyntaxError: "),
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    ],
)
def test_a_file_that_fails_is_named_with_its_error(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(text)
    with pytest.raises(InputError) as caught:
        python_function(f"{tmp_path / 'failing.py'}:f")
    assert (caught.value.code, caught.value.hints) == ("file-failed", ("run the file with python",))
    assert caught.value.what.startswith(f"the file failed: {says}")
