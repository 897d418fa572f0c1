"""What a block of ours computes by the names of streams: a module's output, [tokens, channels] each."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sttest.crosscheck.transformers_streams import ROPE
from sttest.models.config import DecoderConfig, LayerKind
from sttest.models.tables import prefill_inputs

if TYPE_CHECKING:
    from torch import Tensor, nn

Streams = dict[str, "Tensor"]
"""Values by the name of a stream, [tokens, channels]."""
_PADDED = ("mlp_gate_proj", "mlp_up_proj", "mlp_fc1", "mlp_act")
_SOFTMAX = "attn_softmax"


@dataclass(frozen=True)
class BlockRun:
    """What a block made of its input."""

    y: "Tensor"  # [n, hidden]
    streams: Streams = field(default_factory=dict)


def run_with_streams(block: "nn.Module", config: DecoderConfig, x: "Tensor", kind: LayerKind) -> BlockRun:
    """Run a block in floating point over x [n, hidden], in its type, and note what its modules give out.

    Softmax weights are divided by their sum, as nobody but us keeps them apart; columns that fill the network up to
    whole tiles are left out.
    """
    import torch

    from sttest.models.blocks import tensors_of

    tables = tensors_of(prefill_inputs(config, len(x), kind))
    with torch.no_grad(), _recorded(block) as found:
        y = block(x=x, **tables)[0]
    streams = {name: _joined(name, config, outputs) for name, outputs in found.items()}
    streams["mask"] = (tables["mask"] >= 0).to(x.dtype)
    if ROPE in tables:
        streams[ROPE] = torch.cat([tables[ROPE][:, 0, 0], tables[ROPE][:, 1, 0]], -1)
    return BlockRun(y, streams)


def _joined(name: str, config: DecoderConfig, outputs: "list[Any]") -> "Tensor":
    import torch

    parts = [_first(name, each) for each in outputs]
    rows = torch.cat(parts) if len(parts) > 1 else parts[0]
    rows = rows.reshape(len(rows), -1)
    return rows[:, : config.ffn - config.ffn_padding] if name in _PADDED and not config.experts else rows


def _first(name: str, output: Any) -> "Tensor":
    if name == _SOFTMAX:
        exponentials, denominator = output
        return exponentials / denominator.unsqueeze(-1)
    return output[0] if isinstance(output, tuple) else output


@contextmanager
def _recorded(block: "nn.Module") -> "Iterator[dict[str, list[Any]]]":
    """Outputs of a block's modules, of each the calls one after the other, in the order of their first call."""
    found: dict[str, list[Any]] = {}

    def recorder(name: str) -> Any:
        return lambda _module, _inputs, output: found.setdefault(name, []).append(output)

    hooks = [
        module.register_forward_hook(recorder(name.replace(".", "_"))) for name, module in block.named_modules() if name
    ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
