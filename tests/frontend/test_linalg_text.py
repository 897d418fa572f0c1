"""Lowering on demand: shapes that are refused, the cache, crashes, missing tools."""

import importlib.util

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.frontend import lowering as export
from sttest.frontend import lowering as isolated
from sttest.frontend.shipped import lowered_text
from sttest.models.program import check_shape
from sttest.models.registry import get_config, small

GPT2 = get_config("gpt2")
IN_A_PROCESS_OF_ITS_OWN = isolated._run


@pytest.fixture
def unforked(monkeypatch):
    """Lowering as it is outside of tests, in a new process."""
    monkeypatch.setattr(isolated, "_run", IN_A_PROCESS_OF_ITS_OWN)


@pytest.mark.parametrize(
    ("phase", "tokens", "context", "message"),
    [
        ("train", 1, 0, "no phase 'train'"),
        ("prefill", 0, 0, "0 tokens"),
        ("prefill", 4, 4, "not from 4 tokens"),
        ("prefill", 1025, 0, "past the limit of GPT-2 Medium .demand 1025 tokens, bound 1024 tokens"),
        ("decode", 129, 8, "few tokens of one sequence .demand 129 tokens, bound 128 tokens"),
        ("decode", 0, 8, "0 tokens"),
        ("decode", 1, 0, "needs cached tokens"),
        ("decode", 1, 1024, "demand 1025 tokens"),
    ],
)
def test_impossible_shapes_are_refused(phase, tokens, context, message):
    with pytest.raises(InputError, match=message):
        check_shape(GPT2, phase, tokens, context)


def test_the_last_position_of_the_model_is_allowed():
    check_shape(GPT2, "decode", 1, 1023)
    check_shape(GPT2, "decode", 16, 1008)
    check_shape(GPT2, "prefill", 1024, 0)


def test_a_missing_front_end_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolMissingError, match=r"needs torch and torch_mlir; pip install 'sttest\[frontend\]'"):
        export.linalg_text(GPT2, "prefill", 4, cache_dir=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.usefixtures("unforked")
def test_lowering_again_gives_the_shipped_text_and_keeps_it(monkeypatch, tmp_path):
    pytest.importorskip("torch_mlir")
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path))
    text = export.linalg_text(small(GPT2), "decode", 1, 32)
    assert text == lowered_text("gpt2", "decode", small=True)
    (kept,) = (tmp_path / "linalg").iterdir()
    assert kept.read_text().partition("\n")[2] == text

    def refuse(*_):
        raise AssertionError("lowered although it is in the cache")

    monkeypatch.setattr(export, "lower_together", refuse)
    assert export.linalg_text(small(GPT2), "decode", 1, 32) == text


@pytest.fixture
def lowered(monkeypatch):
    """The numbers of the blocks that were lowered each time, to texts that name their contexts."""
    pytest.importorskip("torch_mlir")
    told: list[int] = []

    def lower(_, calls):
        told.append(len(calls))
        return [f"text of {each['context']}\n" for each in calls]

    monkeypatch.setattr(export, "lower_together", lower)
    return told


@pytest.mark.torch
@pytest.mark.parametrize("content", [b"", b"text of 5\n", b"\xff\xfe", None])
def test_a_text_that_is_not_what_was_kept_is_lowered_anew_and_said(content, tmp_path, lowered, capsys):
    asked = [export.BlockRequest(small(GPT2), "decode", 1, context) for context in (4, 8)]
    texts = export.linalg_texts(asked, tmp_path)
    assert export.linalg_texts(asked, tmp_path) == texts == ["text of 4\n", "text of 8\n"]
    assert lowered == [2]
    file = next(each for each in (tmp_path / "linalg").iterdir() if each.read_text().endswith("text of 4\n"))
    file.write_bytes(file.read_bytes().replace(b"of 4", b"of 5") if content is None else content)
    assert capsys.readouterr().err == ""
    assert export.linalg_texts(asked, tmp_path) == texts
    assert export.linalg_texts(asked, tmp_path) == texts
    assert lowered == [2, 1]
    assert capsys.readouterr().err == f"note: {file}: not what was kept there, by its digest; it is made anew\n"


@pytest.mark.torch
def test_without_a_cache_it_goes_on(tmp_path, lowered):
    (tmp_path / "linalg").write_text("a file")
    for _ in range(2):
        assert export.linalg_text(small(GPT2), "decode", 1, 4, cache_dir=tmp_path) == "text of 4\n"
    assert lowered == [1, 1]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("builder", "message"),
    [
        ("int8_matmul", r"aten.mm.default on int8\[8, 8\], int8\[8, 8\]: .*SIGSEGV"),
        ("unknown_to_mlir", "_linalg_eigh.* failed to legalize"),
        ("not_exportable", "cannot export the module: GuardOnDataDependent"),
        ("leaves_index_arithmetic", r"lowering leaves arith.cmpi, which compares integers"),
    ],
)
def test_what_cannot_be_lowered_is_named(builder, message):
    pytest.importorskip("torch_mlir")
    import crashing

    with pytest.raises(InputError, match=message):
        isolated.lower_isolated(getattr(crashing, builder), {})


@pytest.mark.torch
def test_blocks_that_are_lowered_together_are_those_lowered_alone(tmp_path):
    pytest.importorskip("torch_mlir")
    asked = [export.BlockRequest(small(GPT2), "decode", 1, context) for context in (4, 8, 4)]
    texts = export.linalg_texts(asked, tmp_path / "together")
    assert texts == [export.linalg_text(small(GPT2), "decode", 1, each, cache_dir=tmp_path) for each in (4, 8, 4)]
    assert len(list((tmp_path / "together" / "linalg").iterdir())) == 2


@pytest.mark.torch
def test_among_several_the_one_that_cannot_be_lowered_is_named():
    pytest.importorskip("torch_mlir")
    import crashing

    with pytest.raises(InputError, match=r"aten.mm.default on int8\[8, 8\], int8\[8, 8\]: .*SIGSEGV"):
        isolated.lower_together(crashing.good_or_bad, [{"good": True}, {"good": False}, {"good": True}])


@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.usefixtures("unforked")
def test_a_crash_stays_in_its_process():
    pytest.importorskip("torch_mlir")
    import crashing

    with pytest.raises(InputError, match=r"aten.mm.default on int8.*SIGSEGV"):
        isolated.lower_isolated(crashing.int8_matmul, {})
