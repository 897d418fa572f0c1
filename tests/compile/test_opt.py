"""`run_opt`: pipelines as text, what it gives back, and errors that show the source."""

from __future__ import annotations

import pytest
from linalg_programs import Program
from xdsl.dialects.builtin import StringAttr

from sttest.compile.opt import parse, printed, run_opt
from sttest.core.errors import InputError

TEXT = (lambda program: program.text(program.matmul(program.argument(32, 32), program.argument(32, 32))))(Program())


def refused(text: str, pipeline: str = "") -> InputError:
    with pytest.raises(InputError) as error:
        run_opt(text, "f.mlir", pipeline)
    return error.value


def test_an_empty_pipeline_reads_and_prints() -> None:
    found = run_opt(TEXT, "f.mlir", "")
    assert found.passes == ()
    assert run_opt(found.text, "f.mlir", "").text == found.text


def test_texts_and_times_are_kept_only_on_request() -> None:
    pipeline = "linalg-to-kernels{tile-size=8},assign-lanes"
    (first, second) = run_opt(TEXT, "f.mlir", pipeline).passes
    assert (first.spec, first.text, first.seconds) == ("linalg-to-kernels{tile_size=8}", None, None)
    kept = run_opt(TEXT, "f.mlir", pipeline, print_after_all=True, verify_each=True, time_passes=True)
    first, second = kept.passes
    assert first.text is not None
    assert "lanes" not in first.text
    assert second.text == kept.text
    assert all(each.seconds is not None and each.seconds >= 0 for each in kept.passes)


def test_a_module_is_printed_as_xdsl_does() -> None:
    module = parse(TEXT, "f.mlir")
    module.attributes["said"] = StringAttr("".join(map(chr, range(256))))
    assert printed(module) == f"{module!s}\n"


def test_stopping_and_going_on_gives_the_same_text() -> None:
    half = run_opt(TEXT, "f.mlir", "linalg-to-kernels,assign-lanes", board="u55c").text
    rest = "fuse-kernels,materialize-converters,materialize-dma,fold-dma,vectorize,insert-forks,name-nodes"
    whole = run_opt(TEXT, "f.mlir", f"linalg-to-kernels,assign-lanes,{rest}", board="u55c").text
    assert run_opt(half, "f.mlir", rest).text == whole


@pytest.mark.parametrize(
    ("pipeline", "code", "says"),
    [
        ("linalg-to-kernel", "unknown-pass", "did you mean 'linalg-to-kernels'?"),
        ("linalg-to-kernels{tile-sise=8}", "unknown-option", "did you mean 'tile-size'?"),
        ("insert-forks{all}", "unknown-option", "leave the braces out, it has no options"),
        ("linalg-to-kernels{tile-size=big}", "bad-option", "write linalg-to-kernels{tile-size=<int> "),
        ("linalg-to-kernels{tile-size=0}", "bad-option", "set tile-size to 1 or more"),
        ("linalg-to-kernels{", "bad-pipeline", "Expected argument name here"),
        ("fold-dma vectorize", "bad-pipeline", "Expected a comma"),
        ("quantize{scheme=w4a9}", "unknown-scheme", "did you mean 'w4a8'?"),
    ],
)
def test_a_bad_pipeline_names_the_nearest_known(pipeline: str, code: str, says: str) -> None:
    error = refused(TEXT, pipeline)
    assert error.code == code
    assert says in str(error)


def test_a_parse_error_shows_its_line_and_a_caret() -> None:
    error = refused("func.func @a() {\n  %0 = arith.constant 1 : i32\n  %0 = arith.constant 2 : i32\n}")
    assert error.where == "f.mlir:3:3"
    assert error.what.splitlines() == [
        "not valid IR: SSA value %0 is already defined",
        "    %0 = arith.constant 2 : i32",
        "    ^",
    ]


def test_an_unknown_op_is_shown_where_it_stands() -> None:
    error = refused("func.func @a() {\n  df.frok\n  func.return\n}")
    assert error.where == "f.mlir:2:3"
    assert "df.frok" in error.what


def test_a_rule_is_shown_at_its_op_among_equal_ones() -> None:
    rows = "!df.itensor<4x8xf32, iter_space: [2]*[4], iter_map: (d0)->(d0,0)>"
    text = f"""!rows = {rows}
func.func @a(%x: !rows) -> (!rows, !rows) {{
  // df.instance in a comment
  %a = df.instance %x : !rows -> !rows
  %b = "df.instance"(%x) : (!rows) -> !rows
  func.return %a, %a : !rows, !rows
}}"""
    error = refused(text)
    # %a is read twice, %b never: the first that breaks a rule, from the end, is shown.
    assert error.where == "f.mlir:5:8"
    assert "df.instance: a result" in error.what


def test_a_long_line_is_shown_around_the_caret() -> None:
    error = refused(
        f"func.func @a({', '.join(f'%x{number}: f32' for number in range(200))}, %x0: f32) {{ func.return }}"
    )
    assert max(len(line) for line in error.what.splitlines()) < 200
