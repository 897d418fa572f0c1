"""`sttest doctor` and `sttest models`: what is installed, and which models are known by name."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sttest.cli.common import Json, print_json
from sttest.core.tables import print_table
from sttest.crosscheck.backends import backends
from sttest.models.config import DecoderConfig
from sttest.models.parameters import block_parameters
from sttest.models.registry import known_models
from sttest.targets.doctor import CAPABILITIES, PARTS, Capability, ExternalTool, PartStatus, survey


def doctor_verb(as_json: Json = False) -> None:
    """Tell which tools and cards are here, and what a missing one disables; exit code 0 whatever is found.

    Examples:

      sttest doctor

      sttest doctor --json
    """
    parts, capabilities = all_parts(), all_capabilities()
    found = survey(parts)
    if as_json:
        print_json(_survey_document(parts, capabilities, found))
        return
    works = [able.name for able in capabilities if able.works(found)]
    lacks = [part.name for part in parts if not found[part.name].usable]
    print(
        f"{len(works)} of {len(capabilities)} things that sttest does work here; "
        f"missing: {', '.join(lacks) or 'nothing'}"
    )
    rows = ((able.name, _WORKS[able.works(found)], _because(able, found)) for able in capabilities)
    print_table(("what", "works here", "because of"), rows)
    answers = ((part, found[part.name]) for part in parts)
    rows = ((part.name, answer.status, answer.version or "", _remark(part, found)) for part, answer in answers)
    print_table(("part", "status", "version", "remark"), rows)


def all_parts() -> tuple[ExternalTool, ...]:
    """What is looked for, last what backends of extensions need of their own."""
    return (*PARTS, *(part for each in backends().values() for part in each.parts))


def all_capabilities() -> tuple[Capability, ...]:
    """What is told of: verbs, and the backends of the cross-check."""
    return (*CAPABILITIES, *(Capability(f"engine {each.name}", each.needs) for each in backends().values()))


def models_verb(as_json: Json = False) -> None:
    """List the models that are known by name; any other of their families goes by its config.json.

    Examples:

      sttest models
    """
    if as_json:
        models = [
            {**asdict(config), "block_parameters": block_parameters(config)} for config in known_models().values()
        ]
        print_json({"schema": "sttest.models/1", "models": models})
        return
    print_table(MODEL_COLUMNS, (_model_row(config) for config in known_models().values()))
    print("heads: of queries/of keys and values x width; ffn: of one expert; params: of one")
    print("block, all experts. Sources: --json.")
    print("Each is there as small-NAME, at sizes for tests; others by their config.json or its folder.")


SCHEMA = "sttest.doctor/1"
_WORKS = {True: "yes", False: "no", None: "not known"}


def _disabled_by(part: ExternalTool, capabilities: Sequence[Capability], found: Mapping[str, PartStatus]) -> list[str]:
    """Names of what does not work for want of a part; empty if it is there, or did not answer."""
    return [able.name for able in capabilities if part.name in able.lacks(found)]


def _remark(part: ExternalTool, found: Mapping[str, PartStatus]) -> str:
    finding = found[part.name]
    if finding.usable or not part.remedy:
        return finding.detail
    return f"{finding.detail}; {part.remedy}"


def _because(able: Capability, found: Mapping[str, PartStatus]) -> str:
    """The parts that stand in the way."""
    return ", ".join(able.lacks(found) or [name for name in able.needs if found[name].usable is None])


def _survey_document(
    parts: Sequence[ExternalTool], capabilities: Sequence[Capability], found: Mapping[str, PartStatus]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "parts": [_entry(part, found, _disabled_by(part, capabilities, found)) for part in parts],
        "capabilities": [
            {"name": able.name, "works": able.works(found), "needs": list(able.needs), "lacks": able.lacks(found)}
            for able in capabilities
        ],
    }


def _entry(part: ExternalTool, found: Mapping[str, PartStatus], disabled: list[str]) -> dict[str, Any]:
    finding = found[part.name]
    return {
        "name": part.name,
        "serves": part.serves,
        "status": finding.status,
        "version": finding.version,
        "expected": part.expected or None,
        "detail": finding.detail,
        "install": part.install or None,
        "advice": part.advice or None,
        "disables": disabled,
    }


MODEL_COLUMNS = ("model", "published as", "layers", "hidden", "ffn", "heads", "params")


def _model_row(config: DecoderConfig) -> tuple[object, ...]:
    count = block_parameters(config)
    return (
        config.name,
        config.public_name,
        config.layers,
        config.hidden,
        config.ffn,
        f"{config.heads}/{config.kv_heads}x{config.head_dim}",
        f"{count / 1e6:.1f}M" if count < 1e9 else f"{count / 1e9:.2f}G",
    )
