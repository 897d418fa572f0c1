"""`sttest board`: what is known of a board, its memories measured as others did, and why a kernel is slow."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from sttest.boards.load import board_notes, known_boards, load_board, quantities, require_hbm
from sttest.boards.part import Quantity
from sttest.boards.tiers import TierName
from sttest.cli.common import Json, print_json
from sttest.cli.memory import print_measured, print_why
from sttest.core.errors import InputError
from sttest.core.tables import print_table
from sttest.studies.board_check import BandwidthCheck, check_bandwidth
from sttest.studies.memory.benchmark import Ids, Op, Pattern
from sttest.studies.memory.families import Asked, FamilyName, Master


def board_verb(
    name: Annotated[
        str | None, typer.Argument(help="A board's name, or a YAML file; without it, a list of all.")
    ] = None,
    measure_like: Annotated[
        FamilyName | None, typer.Option("--measure-like", help="Simulate a public benchmark on one of its memories.")
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Tell why a kernel with such ports does not get its channel's bandwidth.")
    ] = False,
    memory: Annotated[TierName, typer.Option(help="Which of its memories.")] = "hbm",
    op: Annotated[Op | None, typer.Option(help="What ports do; both: on the same channels [read].")] = None,
    pattern: Annotated[Pattern | None, typer.Option(help="Bursts in sequence, or each in a row of its own.")] = None,
    ids: Annotated[Ids | None, typer.Option(help="AXI IDs of a port; those of Vitis HLS have one.")] = None,
    master: Annotated[Master | None, typer.Option(help="Vitis' m_axi adapter, or RTL of your own [hls].")] = None,
    clock: Annotated[
        float | None, typer.Option(min=1.0, max=2000.0, metavar="MHZ", help="Of the kernel [300].")
    ] = None,
    width: Annotated[int | None, typer.Option(min=8, max=4096, metavar="BITS", help="Of a port [512].")] = None,
    burst: Annotated[
        int | None, typer.Option(min=1, max=1 << 20, metavar="BYTES", help="Of a transaction [16 beats].")
    ] = None,
    outstanding: Annotated[int | None, typer.Option(min=1, max=4096, help="Bursts in flight per port [16].")] = None,
    channels: Annotated[int | None, typer.Option(min=1, max=256, help="That a port is spread over [1].")] = None,
    sharing: Annotated[int | None, typer.Option(min=1, max=64, help="Such kernels on the same channels [1].")] = None,
    kernel_cycles: Annotated[
        int | None,
        typer.Option("--kernel-cycles", min=0, max=1 << 20, help="That it takes per transaction [its beats]."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a board, measure its memories as public benchmarks do, or ask why a kernel is slow.

    A board is shown with unit, kind and source of each quantity, and a check of its memory bandwidth.  Without a name,
    boards that designs can be compiled for are listed first.  --measure-like prints a public benchmark simulated on a
    memory, beside the published figures; options set other conditions.  --why takes a kernel's ports from them.

    Examples:

      sttest board

      sttest board u55c

      sttest board what-if.yaml --json

      sttest board u280 --measure-like axi-burst --memory ddr

      sttest board u50 --measure-like random-access --channels 4 --ids one --burst 64

      sttest board u55c --why --width 32 --burst 64 --outstanding 1
    """
    asked = Asked(
        op=op,
        clock_mhz=clock,
        port_bits=width,
        burst_bytes=burst,
        outstanding=outstanding,
        channels=channels,
        masters=sharing,
        pattern=pattern,
        ids=ids,
        master=master,
        kernel_cycles=kernel_cycles,
    )
    if measure_like is not None or why or asked != Asked():
        _ask(name, measure_like, memory, asked, why=why, as_json=as_json)
        return
    if name is None:
        _list_boards(as_json=as_json)
        return
    board = load_board(name)
    check = check_bandwidth(board.target) if board.target else None
    found = dict(quantities(board))
    if as_json:
        print_json({**_board_document(board.name, board.title, found, check), "notes": board_notes(name)})
        return
    rows = ((key, q.value, q.unit, q.kind, q.source) for key, q in found.items())
    print(f"{board.name}: {board.title}")
    print(_check_text(check) if check else "bandwidth check: none, no HBM pseudo-channels for dataflow kernels")
    print_table(("quantity", "value", "unit", "kind", "source"), rows, one_line=True)


def _ask(
    name: str | None, family: FamilyName | None, memory: TierName, asked: Asked, *, why: bool, as_json: bool
) -> None:
    """What is asked of a memory."""
    if name is None:
        raise InputError("no-board", "no board is named", where="board", hints=["name one, as in sttest board u55c"])
    if why == (family is not None):
        told = "both --why and --measure-like" if why else "conditions of ports, and no question"
        raise InputError("two-questions" if why else "no-question", told, where="board", hints=["give one of the two"])
    board = require_hbm(load_board(name))
    tier = board.tier(memory)
    if family is None:
        print_why(board.name, tier, asked, as_json=as_json)
    else:
        print_measured(board.name, tier, family, asked, as_json=as_json)


def _list_boards(*, as_json: bool) -> None:
    """The boards that are known by name, those first that kernels can be compiled for."""
    known = sorted(known_boards(), key=lambda board: board.target is None)
    targets = [board.name for board in known if board.target]
    if as_json:
        titles = {board.name: board.title for board in known}
        print_json({"schema": "sttest.boards/1", "boards": titles, "targets": targets})
        return
    rows = [(board.name, "target" if board.target else "opponent", board.title) for board in known]
    print_table(("board", "designs", "what it is"), rows)
    print(f"targets: {len(targets)} boards that designs can be compiled for; opponents: others, to compare them with")


def _board_document(name: str, title: str, found: dict[str, Quantity], check: BandwidthCheck | None) -> dict[str, Any]:
    ratios = ("reached_over_sustained", "reached_over_peak")
    return {
        "schema": "sttest.board/1",
        "name": name,
        "title": title,
        "quantities": {key: quantity.model_dump() for key, quantity in found.items()},
        "bandwidth": {**asdict(check), **{name: getattr(check, name) for name in ratios}} if check else None,
    }


def _check_text(check: BandwidthCheck) -> str:
    is_bound = check.ports_gb_per_s < check.sustained_gb_per_s
    ports = f"; a kernel's ports take {check.ports_gb_per_s:.1f} GB/s at its clock" if is_bound else ""
    return (
        f"bandwidth check: {check.streamed_bytes:,} bytes over {check.channels} channels in {check.cycles:,} cycles: "
        f"{check.reached_gb_per_s:.1f} GB/s reached, {check.reached_over_sustained:.1%} of the declared sustained "
        f"{check.sustained_gb_per_s:.1f}, {check.reached_over_peak:.1%} of the declared peak {check.peak_gb_per_s:.1f}"
        f"{ports}"
    )
