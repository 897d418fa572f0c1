"""Texts of a few bytes that xDSL's lexer would read for hours, or with all memory, are refused at once, with place."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from sttest.compile.ir.reader import MAX_NAME_CHARS, _Lexer
from sttest.compile.opt import parse, printed
from sttest.core.errors import InputError

UNCLOSED = "End of file reached before closing string literal"


def chain(sign: str, first: str, rest: str, count: int = 30) -> str:
    """Aliases of which each names the one before twice."""
    lines = [f"{sign}a0 = {first}", *(f"{sign}a{n} = {rest.replace('@', f'{sign}a{n - 1}')}" for n in range(1, count))]
    return "\n".join([*lines, f"module attributes {{a = {sign}a{count - 1}}} {{}}"])


HOSTILE = {
    "an open quote": ('"' + "0" * 30, "f.mlir:1:1", UNCLOSED),
    "many escapes": ('"' + "\\41" * 2000, "f.mlir:1:1", UNCLOSED),
    "a bad escape": ('module attributes {a = "' + "a" * 60 + '\\q"} {}', "f.mlir:1:24", UNCLOSED),
    "a quote that a line ends": ("// a\n" + '"' + "é" * 60 + '\n"', "f.mlir:2:1", UNCLOSED),
    "a quoted symbol": ('func.func private @"' + "a b" * 40, "f.mlir:1:20", UNCLOSED),
    "an attribute's name": ("module attributes {" + '"' + "a" * 400, "f.mlir:1:20", UNCLOSED),
    "a shape": ("!x = tensor<" + "9x" * 40_000 + "f32>", "f.mlir:1:14", f"more than {MAX_NAME_CHARS} characters"),
    "comments": ("//\n" * 200_000, "f.mlir:200001:1", "Could not parse entire input"),
    "brackets": ("module attributes {a = " + "[" * 5000, "f.mlir:1:", "nested too deeply"),
    "modules": ("module {\n" * 3000, "f.mlir:", "nested too deeply"),
    "blocks": ("func.func @f() {" + "".join(f"^b{n}:\n" for n in range(2000)) + "}", "f.mlir:2001:", "256 blocks"),
    "digits": ("module attributes {a = " + "9" * 5000 + "} {}", "f.mlir:1:", "a number that cannot be read"),
    "aliases": (chain("#", "[1, 1]", "[@, @]"), "f.mlir:1", "aliases stand for more than 2,097,152 characters"),
    "aliases of types": (chain("!", "tuple<i1, i1>", "tuple<@, @>"), "f.mlir:1", "aliases stand for more than"),
    "aliases of functions": (chain("!", "() -> i1", "(@, @) -> i1"), "f.mlir:1", "aliases stand for more than"),
    "a use of an alias": (
        f"#a = [{'1, ' * 9999}1]\nmodule attributes {{a = [{'#a, ' * 99}#a]}} {{}}",
        "f.mlir:2",
        "aliases",
    ),
    "aliases in aliases": (chain("#", "[1]", "[@]", 70), "f.mlir:65:1", "an alias of more than 64 levels"),
    "a width": ("module attributes {a = 0 : i40000000000} {}", "f.mlir:1:28", "more than 16,777,215 bits"),
    "the width of elements": ("!t = tensor<4xsi16777216>", "f.mlir:1:", "more than 16,777,215 bits"),
    "a splat": ("module attributes {a = dense<0> : tensor<1000000000xi8>} {}", "f.mlir:1:", "8,388,608 elements"),
    "a splat in hex": (
        'module attributes {a = dense<"0x00"> : tensor<1000000000xi8>} {}',
        "f.mlir:1:",
        "elements in all",
    ),
    "a map": (f"#m = affine_map<(d) -> ({'d + ' * 20_000}d)>", "f.mlir:1:17", "expression of more than 64 levels"),
    "a set": (f"#m = affine_set<(d) : ({'d + ' * 20_000}d >= 0)>", "f.mlir:1:17", "expression of more than 64 levels"),
    "hexadecimal digits": (f"module attributes {{a = 0x{'F' * 6000}}} {{}}", "f.mlir:1:24", "3,570 hexadecimal digits"),
    "a digit of no number": ("module attributes {a = ² : i32} {}", "f.mlir:1:", "a number that cannot be read"),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused_within_a_second(name: str) -> None:
    text, where, says = HOSTILE[name]
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        parse(text, "f.mlir")
    assert time.process_time() - began < 1
    assert caught.value.where.startswith(where)
    assert says in caught.value.what


def test_what_is_within_the_bounds_is_read_and_printed() -> None:
    """Each use of an alias, splat and width counts for itself, and those that no bound meets change nothing."""
    attributes = {
        "alias": chain("#", "[1, 1]", "[@, @]", 10).rpartition("a = ")[2],
        "deep": "[" * 60 + "#deep" + "]" * 60,
        "hex": "0x" + "F" * 3570 + " : i16777215",
        "map": f"affine_map<(d0) -> ({'d0 + ' * 63}d0)>",
        "splat": "dense<1> : tensor<1000xi8>",
        "elements": f"dense<[{'1, ' * 5000}1]> : tensor<5001xi8>",
    }
    aliases = chain("#", "[1, 1]", "[@, @]", 10).rpartition("\n")[0]
    deep = f"#deep = {'[' * 60}{']' * 60}"
    listed = ", ".join(f"{name} = {value}" for name, value in attributes.items()).replace("#a9} {}", "#a9")
    text = f"{aliases}\n{deep}\nmodule attributes {{{listed}}} {{}}"
    once = printed(parse(text, "f.mlir"))
    assert once.count("1 : i64") == 2**10
    assert printed(parse(once.replace("builtin.module", "module"), "f.mlir")) == once


def test_splats_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sttest.compile.ir.bounded_parser.MAX_SPLAT_ELEMENTS", 1000)
    splats = ", ".join(f"a{n} = dense<0> : tensor<101xi8>" for n in range(10))
    with pytest.raises(InputError, match="elements in all"):
        parse(f"module attributes {{{splats}}} {{}}", "f.mlir")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("verb", ["opt", "compile"])
def test_both_verbs_that_read_texts_say_where(verb: str, tmp_path: Path, sttest: Callable[..., Any]) -> None:
    path = tmp_path / "open.mlir"
    path.write_text('"' + "0" * 30)
    outcome = sttest(verb, path)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    (line,) = outcome.stderr.splitlines()
    assert line.startswith(f"error: {path}:1:1: not valid IR: {UNCLOSED}")


@pytest.mark.timeout(20)
def test_an_open_quote_of_any_length_costs_as_much_as_its_characters() -> None:
    began = time.process_time()
    with pytest.raises(ParseError):
        _Lexer(Input('"' + "ab\\n" * 500_000, "f.mlir")).lex()
    assert time.process_time() - began < 1


def tokens(lexer: MLIRLexer) -> list[tuple[MLIRTokenKind, str]] | str:
    found: list[tuple[MLIRTokenKind, str]] = []
    while True:
        try:
            token = lexer.lex()
        except ParseError as error:
            return f"{error.span.start} {error.msg}"
        if token.kind == MLIRTokenKind.EOF:
            return found
        found.append((token.kind, token.text))


PIECES = [
    '"',
    '\\"',
    "\\n",
    "\\4",
    "a",
    "x8",
    "0x1f",
    "1.5e3",
    "%",
    "@",
    "//",
    "/",
    "\n",
    " ",
    "\\\\",
    "->",
    "é",
    "{-#",
]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_tokens_are_those_of_xdsl(text: str) -> None:
    assert tokens(_Lexer(Input(text, "f"))) == tokens(MLIRLexer(Input(text, "f")))


def test_every_expression_of_xdsls_lexer_was_looked_at() -> None:
    """Expressions that repeat a group have to be replaced; a new version of xDSL may bring others."""
    found = {name: each.pattern for name, each in vars(MLIRLexer).items() if isinstance(each, re.Pattern)}
    repeating = {name for name, pattern in found.items() if re.search(r"\)[*+]", pattern)}
    assert repeating == {"_whitespace_regex", "_unescaped_characters_regex"}
    assert all(re.search(r"\)\*\+", getattr(_Lexer, name).pattern) for name in repeating)
