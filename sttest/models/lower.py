"""The process in which lowering runs: ``python -m sttest.models.lower``.

Reads a pickled request from standard input: the function that builds the
:class:`~sttest.models.program.Program`, its keyword arguments, the file to
write, and whether to probe.  A probe lowers the program op by op, so that the
last op reported is the one that fails.  Standard output carries one line per
event: ``stage <name>``, ``op <name>``, ``error <json>`` or ``failed <message>``.
"""

from __future__ import annotations

import json
import pickle
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.errors import SttestError
from sttest.models.lowering import export, lower, to_linalg
from sttest.models.program import Program

if TYPE_CHECKING:
    from torch import nn
    from torch.fx import Node


def main() -> int:
    """Serve one request; 0 if it went well."""
    builder, arguments, output, probing = pickle.load(sys.stdin.buffer)
    try:
        program: Program = builder(**arguments)
        if probing:
            _probe(program)
        else:
            Path(output).write_text(lower(program, lambda stage: _say("stage", stage)), encoding="utf-8")
    except SttestError as error:
        _say("error", json.dumps(error.to_dict()))
        return error.exit_code
    except Exception as error:
        message = str(error).strip() or "no message"
        _say("failed", f"{type(error).__name__}: {message.splitlines()[0]}")
        raise
    return 0


def _say(event: str, text: str) -> None:
    print(event, text, flush=True)


def _probe(program: Program) -> None:
    import torch

    for node in export(program).graph.nodes:
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        operands = [n.meta["val"] for n in node.all_input_nodes]
        shown = ", ".join(f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in operands)
        _say("op", f"{node.target} on {shown}")
        tensors = tuple(torch.empty(t.shape, dtype=t.dtype, device="meta") for t in operands)
        to_linalg(torch.export.export(_one_op(node), tensors, strict=False))


def _one_op(node: Node) -> nn.Module:
    """A module that runs only ``node``, its tensor operands as arguments."""
    import torch
    from torch.fx import Node as FxNode

    tree_map_only = import_module("torch.utils._pytree").tree_map_only

    class OneOp(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            given = dict(zip(node.all_input_nodes, tensors, strict=True))
            args, kwargs = tree_map_only(FxNode, given.__getitem__, (node.args, dict(node.kwargs)))
            return node.target(*args, **kwargs)  # pyright: ignore[reportCallIssue] - checked by the caller

    return OneOp()


if __name__ == "__main__":
    sys.exit(main())
