"""YAML that people wrote: one mapping, every key once, numbers as they look, and nothing that could blow up."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sttest.core import files
from sttest.core.errors import InputError
from sttest.core.files import MAX_YAML_BYTES, MAX_YAML_NESTING, MAX_YAML_SCALAR_CHARS, read_yaml

KEYS = st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1, max_size=6)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.text(st.sampled_from("abc: #'\"-[]{}0.é"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def refused(text: str, tmp_path: Path) -> InputError:
    path = tmp_path / "my.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_yaml(path)
    assert caught.value.where == str(path)
    assert "\n" not in str(caught.value)
    return caught.value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(KEYS, VALUES, max_size=3))
def test_what_was_written_comes_back(tmp_path: Path, content: dict[str, object]) -> None:
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    assert read_yaml(tmp_path / "my.yaml") == content


def test_what_a_reader_changes_is_there_again_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("a: [1, 2]\n")
    read_yaml(tmp_path / "my.yaml")["a"].clear()
    assert read_yaml(tmp_path / "my.yaml") == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2\n", "line 2, column 1: key 'a' is given twice"),
        ("a:\n  b: 1\n  'b': 2\n", "line 3, column 3: key 'b' is given twice"),
        ("? [a]\n: 1\n", "line 1, column 3: a key is not a plain word"),
        ("a: 010\n", "line 1, column 4: '010' is no number in plain digits"),
        ("a: -007.5\n", "line 1, column 4: '-007.5' is no number in plain digits"),
        ("a: 1:30\n", "line 1, column 4: '1:30' is no whole number in plain digits"),
        ("a: 0x10\n", "line 1, column 4: '0x10' is no whole number in plain digits"),
        (f"a: {10**18}\n", f"line 1, column 4: '{10**18}' is a whole number of more than 18 digits"),
        ("a: .inf\n", "line 1, column 4: '.inf' is no finite number in plain digits"),
        ("a: 1_000\n", "'1_000' is no finite number in plain digits, line 1"),
        ("a: [1, nan]\n", "'nan' is no finite number in plain digits, line 1"),
        ("a: &x 1\nb: *x\n", "line 2, column 4: aliases are not allowed"),
        ("a: !!python/object:os.system x\n", "could not determine a constructor for the tag"),
        ('a: "\\e[31m"\n', "a value with characters that cannot be printed, line 1"),
        ("a: 2001-99-99\n", "a value that cannot be read (month must be in 1..12)"),
        ("a: [1\n", "did not find expected ',' or ']'"),
        ("a: b: c\n", "mapping values are not allowed in this context"),
        ("\0", "control characters are not allowed"),
        ("a: 1\n---\nb: 2\n", "but found another document"),
        (
            f"a: {'x' * (MAX_YAML_SCALAR_CHARS + 1)}\n",
            f"a value of more than {MAX_YAML_SCALAR_CHARS} characters, line 1",
        ),
        (f"a: {'[' * MAX_YAML_NESTING}{']' * MAX_YAML_NESTING}\n", "nested too deeply"),
        ("- a\n", "holds a list where a mapping of keys is expected"),
        ("", "holds a NoneType where a mapping of keys is expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, says: str, tmp_path: Path) -> None:
    error = refused(text, tmp_path)
    assert (error.code, says in error.what) == ("bad-yaml", True), error.what


@pytest.mark.parametrize(
    "value", [f"{'x' * MAX_YAML_SCALAR_CHARS}", f"{'[' * (MAX_YAML_NESTING - 1)}0{']' * (MAX_YAML_NESTING - 1)}"]
)
def test_the_largest_that_is_allowed(value: str, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(f"a: {value}\n")
    assert str(read_yaml(tmp_path / "my.yaml")["a"]) == value


def test_a_large_file_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_parsed_yaml", lambda _: pytest.fail("parsed"))
    error = refused("a: 1\n" * (MAX_YAML_BYTES // 5 + 1), tmp_path)
    assert (error.code, error.bound, error.unit) == ("file-too-large", MAX_YAML_BYTES, "bytes")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(InputError, match=r"my\.yaml: not UTF-8 at byte 3"):
        read_yaml(tmp_path / "my.yaml")
