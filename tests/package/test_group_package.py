"""Packages of several groups: what is read of them, and times of their launches by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.groups import GroupedDesign, compile_groups
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.package import load_graph
from sttest.package.compiled import write_groups
from sttest.package.group_package import SCHEMA, GroupPackage, Groups, require_one_design
from sttest.sim import simulate


def groups(count: int, *tensors: tuple[int, tuple[int, ...], int]) -> GroupPackage:
    content = Groups(
        schema=SCHEMA,
        name="g",
        groups=tuple(f"group{number}" for number in range(count)),
        tensors=tuple(
            {"name": f"t{number}", "giver": giver, "takers": takers, "total_bytes": size}  # pyright: ignore
            for number, (giver, takers, size) in enumerate(tensors)
        ),
    )
    return GroupPackage(Path(), content, (None,) * count)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def board() -> FpgaBoard:
    return require_hbm(load_board("u55c"))


def test_over_a_link_goes_what_is_made_before_it_and_taken_behind_it() -> None:
    package = groups(4, (0, (1,), 1), (0, (1, 3), 10), (1, (2,), 100), (2, (3,), 1000))
    assert [package.bytes_over(link) for link in range(3)] == [11, 110, 1010]


def test_one_card_is_configured_for_every_group(board: FpgaBoard) -> None:
    configured = board.launch.reconfiguration_us
    assert configured is not None
    assert groups(3).shared_us(board, 500) == 500 / board.clock_mhz.value + 3 * configured.value


def test_a_board_that_does_not_say_how_long_that_takes(board: FpgaBoard) -> None:
    silent = board.model_copy(update={"launch": board.launch.model_copy(update={"reconfiguration_us": None})})
    with pytest.raises(InputError) as caught:
        groups(2).shared_us(silent, 500)
    assert (caught.value.code, caught.value.where) == ("no-reconfiguration", "launch.reconfiguration_us")
    assert str(caught.value).endswith(f"board '{board.name}' does not say how long a configuration takes; extend u55c")


def test_cards_in_a_row_wait_for_their_links(board: FpgaBoard) -> None:
    clock = board.clock_mhz.value
    rate, latency = board.links.bits_per_cycle(clock), board.links.latency_cycles(clock)
    assert groups(1).on_cards_us(board, 700) == 700 / clock
    one_more_bit_than_a_cycle = int(rate) // 8 + 1
    package = groups(3, (0, (1,), one_more_bit_than_a_cycle))
    assert package.on_cards_us(board, 700) == pytest.approx((700 + 2 * latency + 2) / clock)


@pytest.mark.slow
def test_what_is_written_is_read_and_each_group_is_a_package(tmp_path: Path) -> None:
    made = compile_groups(lowered_text("small-gpt2", "prefill"), "groups", "u55c", CompileOptions(c_max_bytes=30_000))
    written = write_groups(made, tmp_path / "p")
    found = GroupPackage.read(tmp_path / "p")
    assert found.content == written.content
    assert [each.folder.name for each in found.groups] == [f"group{number}" for number in range(len(made.designs))]
    assert [each.timed_graph for each in found.groups] == [design.graph for design in made.designs]
    assert found.groups[0].cycles == simulate(made.designs[0].graph).cycles
    assert [(each.giver, each.takers) for each in found.content.tensors] == [
        (each.giver, tuple(each.takers)) for each in made.tensors
    ]
    for refused in (load_graph, require_one_design):
        with pytest.raises(InputError) as caught:
            refused(tmp_path / "p")
        assert caught.value.hints == (f"name one of them, as in {tmp_path / 'p' / 'group0'}",)
    assert load_graph(tmp_path / "p" / "group0") == made.designs[0].graph
    require_one_design(tmp_path / "p" / "group0")
    (tmp_path / "p" / "group1" / "manifest.json").unlink()
    with pytest.raises(InputError, match="no design package"):
        GroupPackage.read(tmp_path / "p")


@pytest.mark.parametrize("content", ["{}", '{"schema": "sttest.package/1"}', "[", None])
def test_anything_else_is_no_package_of_groups(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    assert not GroupPackage.is_there(tmp_path)
    with pytest.raises(InputError) as caught:
        GroupPackage.read(tmp_path)
    assert caught.value.where == str(tmp_path / "manifest.json")
    assert caught.value.hints == ("compile it with --groups",)


def test_nothing_foreign_is_replaced(tmp_path: Path) -> None:
    made = GroupedDesign("g", (), ())
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": "sttest.package/1"}))
    with pytest.raises(InputError, match="holds something that is no package of groups"):
        write_groups(made, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]
