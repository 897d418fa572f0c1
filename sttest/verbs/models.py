"""`sttest models`: the models that are known by name."""

from dataclasses import asdict
from typing import Any

from sttest.core.tables import print_table
from sttest.models.config import DecoderConfig, block_parameters
from sttest.models.registry import CONFIGS
from sttest.verbs.output import print_json

COLUMNS = ("model", "published as", "layers", "hidden", "ffn", "heads", "kv", "head_dim", "params/block", "source")


def run(*, as_json: bool) -> None:
    """Prints the registry."""
    if as_json:
        print_json({"schema": "sttest.models/1", "models": [_entry(config) for config in CONFIGS.values()]})
        return
    print_table(COLUMNS, (_row(config) for config in CONFIGS.values()))
    print("Each is there as small-<model> too, at sizes for tests.")


def _entry(config: DecoderConfig) -> dict[str, Any]:
    return {**asdict(config), "block_parameters": block_parameters(config)}


def _row(config: DecoderConfig) -> tuple[object, ...]:
    return (
        config.name, config.public_name, config.layers, config.hidden, config.ffn, config.heads, config.kv_heads,
        config.head_dim, block_parameters(config), config.source,
    )  # fmt: skip
