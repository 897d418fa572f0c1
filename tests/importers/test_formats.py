"""Formats by name: what each is asked, what it has not, and what is missing to read it."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.importers import formats as room
from sttest.importers.formats import format_named, formats
from sttest.sim import TimedGraph

EXAMPLES = Path(__file__).parents[2] / "examples"
SOLUTION = EXAMPLES / "hls-residual" / "hls_residual" / "solution1"
VADD = EXAMPLES / "tapa-vadd" / "graph.json"


def refused(make) -> InputError:
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.where == "import"
    return caught.value


@pytest.mark.parametrize("name", formats())
def test_what_a_format_says_of_itself_is_there(name: str) -> None:
    found = format_named(name)
    module = found._module()
    assert found.name == name
    assert callable(getattr(module, f"read_{name}"))
    assert (bool(found.writes), bool(found.template)) == (hasattr(module, "write_depths"), hasattr(module, "template"))
    parameters = inspect.signature(getattr(module, f"read_{name}")).parameters
    assert set(found.options) <= set(parameters) - {"source"}


def test_the_nearest_format_is_named() -> None:
    error = refused(lambda: format_named("hsl"))
    assert (error.code, str(error)) == ("unknown-format", "import: no format 'hsl'; did you mean 'hls'?")
    assert len(str(refused(lambda: format_named("x" * 10_000)))) < 300


def test_options_that_are_none_are_left_out_and_others_are_refused() -> None:
    notes: list[str] = []
    found = formats()["hls"].read(SOLUTION, {"reports": None, "rates": None, "notes": notes})
    assert isinstance(found, TimedGraph)
    assert len(found.fifos) == 4
    assert refused(lambda: formats()["hls"].read(SOLUTION, {"rates": ""})).code == "no-such-option"
    error = refused(lambda: formats()["hls"].read(SOLUTION, {"rates": Path("r.yaml")}))
    assert error.code == "no-such-option"
    assert str(error) == "import: hls has no 'rates'; leave it out or see 'sttest import' for what hls reads"


def test_a_template_is_of_the_formats_that_need_one() -> None:
    assert "Add:" in formats()["tapa"].template_of(VADD, {"reports": None})
    error = refused(lambda: formats()["finn"].template_of(VADD, {}))
    assert (error.code, str(error)) == ("no-template", "import: nothing is to be stated for finn; tapa has one")


def test_depths_go_back_to_the_formats_that_have_a_way(tmp_path: Path) -> None:
    graph = formats()["hls"].read(SOLUTION, {})
    formats()["hls"].write_depths(graph.with_depths({"skip": 9}), SOLUTION, tmp_path / "d.tcl")
    assert (tmp_path / "d.tcl").read_text() == 'set_directive_stream -depth 9 "residual" skip\n'
    error = refused(lambda: formats()["lightningsim"].write_depths(graph, SOLUTION, tmp_path / "d.txt"))
    assert (error.code, error.hints) == ("no-way-back", ("depths go back to streamhls, hls, finn, tapa, aie",))
    assert not (tmp_path / "d.txt").exists()


def test_a_library_that_is_missing_is_named_and_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(missing: str):
        def load(_: str) -> None:
            raise ModuleNotFoundError(f"No module named '{missing}'", name=missing)

        return load

    monkeypatch.setattr(room, "import_module", lacks("onnx"))
    with pytest.raises(ToolMissingError) as caught:
        formats()["finn"].read(SOLUTION, {})
    assert caught.value.code == "no-import-library"
    assert str(caught.value) == ("import: finn is read with onnx, which is not installed; pip install 'sttest[finn]'")
    monkeypatch.setattr(room, "import_module", lacks("sttest.importers.gone"))
    with pytest.raises(ModuleNotFoundError, match=r"sttest\.importers\.gone"):
        formats()["finn"].read(SOLUTION, {})
