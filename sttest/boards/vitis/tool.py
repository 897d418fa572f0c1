"""The installed Vitis: which version, asked of itself."""

from __future__ import annotations

from sttest.boards.tools.parts import PARTS
from sttest.errors import InputError, ToolMissingError


def vitis_version(expected: str, *, any_version: bool) -> str:
    """What ``v++ --version`` says.

    Args:
        expected: start of the version that the board's platform goes with.
        any_version: take any other one too.

    Raises:
        ToolMissingError: there is none, or it does not answer.
        InputError: another version, or one that cannot be made out.
    """
    part = next(part for part in PARTS if part.name == "v++")
    found = part.probe()
    if found.status in ("missing", "failed", "silent"):
        raise ToolMissingError("tools-missing", f"v++: {found.detail}", where="build", levers=[f"get it {part.remedy}"])
    version = found.version or ""
    if not version and not any_version:
        raise InputError(
            "unknown-version", f"v++ does not tell its version ({found.detail})", where="v++",
            levers=["source its settings64.sh", "build all the same with --any-version"],
        )  # fmt: skip
    if not version.startswith(expected) and not any_version:
        raise InputError(
            "other-version", f"v++ is {version}, the platform goes with {expected}", where="v++",
            levers=[f"source the settings64.sh of {expected}", "build all the same with --any-version"],
        )  # fmt: skip
    return version or "unknown"
