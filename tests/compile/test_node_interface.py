"""Every node of the dialect is known in each place that docs/extend/add-an-operation.md names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sttest.compile import reference_graph
from sttest.compile.dialects import df
from sttest.compile.hls.kernel import _Emitter
from sttest.compile.resources.nodes import NodeModel
from sttest.compile.rtl import processes
from sttest.compile.schedule.kernel_schedule import NodeSchedules

ROOT = Path(__file__).parents[2]
# Nothing makes a `df.join` yet.
NODES = [op for op in df.DF.operations if issubclass(op, df.NodeOp) and op is not df.JoinOp]
PLACES = {
    "times": (NodeSchedules.__dict__["_parts"].dispatcher, ()),
    "logic": (NodeModel.__dict__["_logic"].dispatcher, ()),
    "values": (reference_graph._node, ()),
    # Converters have two functions.
    "code": (_Emitter.__dict__["_emit"].dispatcher, (df.ConverterOp,)),
    # Tasks, converters and DMAs have modules of their own.
    "hardware": (processes._passing, (df.TaskOp, df.ConverterOp, df.DmaReadOp, df.DmaWriteOp)),
}


@pytest.mark.parametrize("place", PLACES)
def test_every_node_is_known(place: str) -> None:
    dispatcher, without = PLACES[place]
    default = dispatcher.dispatch(object)
    assert {op for op in NODES if dispatcher.dispatch(op) is default} == {*without}


def test_an_operation_touches_the_dialect_and_at_most_six_files() -> None:
    text = (ROOT / "docs" / "extend" / "add-an-operation.md").read_text(encoding="utf-8")
    numbered = re.findall(r"^(\d)\. `", text, re.M)
    assert {"hls", "rtl"} <= set(re.findall(r"`sttest/compile/(\w+)/", text)), "both ways to hardware"
    assert len(numbered) == 1 + 6
