"""The program's version, those of the packages that it stands on, and where its caches are."""

import os
from functools import cache
from pathlib import Path

__version__ = "0.1.0"
_PACKAGES = ("numpy", "scipy", "numba", "xdsl", "simpy")


@cache
def package_versions() -> dict[str, str]:
    """Versions of the packages that a simulated result depends on, by name."""
    from importlib.metadata import version  # takes as long as all else that `import sttest` does

    return {package: version(package) for package in _PACKAGES}


def default_cache_dir() -> Path:
    """``$STTEST_CACHE``, or ``~/.cache/sttest``; for a user without a home a place where nothing can be kept."""
    if given := os.environ.get("STTEST_CACHE"):
        return Path(given)
    try:
        return Path.home() / ".cache" / "sttest"
    except RuntimeError:
        return Path(os.devnull) / "sttest"
