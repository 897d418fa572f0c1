"""Linking a design that has data in DDR: banks as it was timed with, and no build where its image has no room there."""

from __future__ import annotations

from pathlib import Path

import pytest

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.cli.build import BuildRequest, prepare
from sttest.compile.options import CompileOptions
from sttest.core.errors import DoesNotFitError
from sttest.package import DesignPackage
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.vitis.linking import choose_banks


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiers") / "package"
    compile_package(
        Request("small-llama", "decode", None, 32, "u280", CompileOptions(tiers=("mlp.*:ddr",)), work_dir=folder)
    )
    return folder


def with_ddr_of(bytes_per_channel: int, hbm_bytes: int | None = None) -> FpgaBoard:
    board = require_hbm(load_board("u280"))
    assert board.memory.ddr is not None
    size = board.memory.ddr.bytes_per_channel.model_copy(update={"value": bytes_per_channel})
    memory = board.memory.model_copy(update={"ddr": board.memory.ddr.model_copy(update={"bytes_per_channel": size})})
    if hbm_bytes is not None:
        hbm = board.hbm.bytes_per_channel.model_copy(update={"value": hbm_bytes})
        memory = memory.model_copy(update={"hbm": board.hbm.model_copy(update={"bytes_per_channel": hbm})})
    return board.model_copy(update={"memory": memory})


def test_the_link_configuration_names_the_memory(package: Path) -> None:
    _, linking = prepare(BuildRequest(package, "hw", dry_run=True))
    lines = (package / "hls" / "link.cfg").read_text().splitlines()
    below = {line.partition(":")[0].rpartition(".")[2] for line in lines if ":DDR[" in line}
    names = (each.name for each in linking.design.kernels[0].buffers)
    assert below == {name for name in names if name.startswith("mlp_") and "proj" in name}
    assert linking.cycles == linking.compiled_cycles


def test_all_layers_must_have_room_in_their_memory(package: Path) -> None:
    board = require_hbm(load_board("u280"))
    read = DesignPackage.read(package)
    placement = choose_banks(read, board).placement
    needed = max(placement.resident_bytes[bank] for bank in board.banks("ddr"))
    assert choose_banks(read, with_ddr_of(needed)).placement.banks == placement.banks
    with pytest.raises(DoesNotFitError, match="no room in the DDR"):
        choose_banks(read, with_ddr_of(needed - 1))


def test_where_the_hbm_is_too_small_as_timed_the_rest_stays_in_the_ddr(package: Path) -> None:
    board = require_hbm(load_board("u280"))
    read = DesignPackage.read(package)
    placement = choose_banks(read, board).placement
    most = max(used for bank, used in placement.resident_bytes.items() if bank < board.banks("ddr").start)
    moved = choose_banks(read, with_ddr_of(2**34, most - 1)).placement
    assert moved.banks != placement.banks
    assert {port for port, banks in moved.banks.items() if banks[0] >= 32} == {
        port for port, banks in placement.banks.items() if banks[0] >= 32
    }
