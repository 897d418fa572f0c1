"""Every reader refuses in one line that names the file; every writer leaves all or nothing."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from sttest.core import errors
from sttest.core.errors import InputError
from sttest.core.files import (
    csv_text,
    nesting,
    parse_json,
    read_csv,
    read_json,
    read_model,
    read_object,
    replacing,
    write_json,
    write_text,
)
from sttest.core.tables import markdown_table


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["inner"]
    depth: int


class Other(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: Literal["other"]
    width: int


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    schema_: Literal["outer/1"] = Field(alias="schema")
    parts: tuple[Inner | Other, ...] = ()
    counts: dict[str, int] = {}


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", "not-json", "not valid JSON"),
        ("[]", "not-an-object", "expected an object, found list"),
        ("{}", "wrong-schema", "schema is None, not 'outer/1'"),
        ('{"schema": "outer/2"}', "wrong-schema", "not 'outer/1'"),
        ('{"schema": "outer/1", "parts": 3}', "bad-value", "g.json: parts: input should be a valid array, given 3"),
        ('{"schema": "outer/1", "count": {}}', "unknown-key", "unknown key 'count'; did you mean 'counts'?"),
        ('{"schema": "outer/1", "counts": {"a": "1"}}', "bad-value", "counts.a: input should be a valid integer"),
        ('{"schema": "outer/1", "counts": {"a": 1, "a": 2}}', "not-json", "key 'a' stands twice"),
        ('{"schema": "outer/1", "counts": {"a": NaN}}', "not-json", "NaN is not a number"),
        ('{"schema": "outer/1", "parts": [{"kind": "inner", "dpeth": 1}]}', "unknown-key", "did you mean 'depth'?"),
    ],
)
def test_models(tmp_path, text, code, says):
    path = tmp_path / "g.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_model(Outer, path, "outer/1")
    assert caught.value.code == code
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(path) in caught.value.where


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (b'"\xff"', "bad-encoding", "not UTF-8 at byte 1"),
        (b"[" * 33 + b"]" * 33, "json-nesting", "nested more than 32 deep"),
        (b"1e999", "not-json", "'1e999' is no finite number"),
        (b"[-Infinity]", "not-json", "-Infinity is not a number in JSON"),
        (b"9" * 5000, "not-json", "not valid JSON"),
    ],
)
def test_json_that_is_none(tmp_path, text, code, says):
    (tmp_path / "a.json").write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_json(tmp_path / "a.json", hints=["make it again"])
    assert caught.value.code == code
    assert says in caught.value.what
    assert caught.value.hints == ("make it again",)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=12,
    )
)
def test_json_is_as_deep_as_its_brackets_and_comes_back(content):
    def depth(each):
        inner = list(each.values()) if isinstance(each, dict) else each
        return 1 + max(map(depth, inner), default=0) if isinstance(inner, list) else 0

    text = json.dumps(content).encode()
    assert nesting(text) == depth(content)
    assert parse_json(text, "a.json") == content


def test_standard_input_is_read_and_a_terminal_is_told_about(monkeypatch, capsys):
    errors.note.cache_clear()
    given_in = io.TextIOWrapper(io.BytesIO(b'{"a": 1}'))
    monkeypatch.setattr(given_in, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", given_in)
    assert read_json(Path("-")) == {"a": 1}
    assert capsys.readouterr().err == "note: reading standard input from the terminal; end it with Ctrl-D\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"12345")))
    with pytest.raises(InputError, match=r"standard input: too large \(bound 4 bytes\)"):
        read_json(Path("-"), most_bytes=4)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: cannot be read: it is closed"):
        read_json(Path("-"))
    assert capsys.readouterr().err == ""


def test_models_are_read_as_they_were_written(tmp_path):
    write_json(tmp_path / "g.json", {"schema": "outer/1", "parts": [{"kind": "inner", "depth": 2}]})
    assert read_model(Outer, tmp_path / "g.json", "outer/1").parts == (Inner(kind="inner", depth=2),)
    assert read_object(tmp_path / "g.json", "outer/1") == {"parts": [{"kind": "inner", "depth": 2}]}


@pytest.mark.parametrize(("most", "code"), [(3, "file-too-large"), (4, "")])
def test_sizes_are_bounded(tmp_path, most, code):
    (tmp_path / "a.json").write_text("1234")
    if not code:
        assert read_json(tmp_path / "a.json", most_bytes=most) == 1234
        return
    with pytest.raises(InputError, match=r"too large \(bound 3 bytes\)"):
        read_json(tmp_path / "a.json", most_bytes=most)


def test_tables_come_back_as_they_went(tmp_path):
    rows = [["a", "1"], ["two\nlines, and a comma", ""]]
    write_text(tmp_path / "t.csv", csv_text(("name", "value"), rows))
    assert [list(row.values()) for row in read_csv(tmp_path / "t.csv", ("name", "value"))] == rows


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,c\n1,2\n", "its columns are not a, b"),
        ("a,b\n1\n", "t.csv line 2: not as many fields"),
        ('a,b\n"1', "line 2"),
    ],
)
def test_tables_that_are_none(tmp_path, text, says):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=says):
        read_csv(tmp_path / "t.csv", ("a", "b"))


def test_a_table_of_a_spreadsheet_begins_with_its_first_column(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8-sig")
    assert read_csv(tmp_path / "t.csv") == [{"a": "1", "b": "2"}]


def test_a_column_that_stands_twice_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(InputError, match=r"t\.csv: has two columns 'a'"):
        read_csv(tmp_path / "t.csv")


def test_a_file_that_fails_half_way_is_as_it_was(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "before")
    with pytest.raises(ZeroDivisionError), replacing(path) as unfinished:
        unfinished.write_text(f"half {1 / 0}")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_cells_of_markdown_are_not_padded():
    assert markdown_table(["a", "long name"], [["x|y", ""]]) == "| a | long name |\n| --- | --- |\n| x\\|y |  |\n"
