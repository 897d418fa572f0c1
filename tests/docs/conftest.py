"""The site, built once for all tests and workers."""

import fcntl
import os
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site_config(tmp_path_factory) -> MkDocsConfig:
    """What `make docs` builds the site with; it is strict."""
    ours = tmp_path_factory.getbasetemp()
    shared = ours.parent if os.environ.get("PYTEST_XDIST_WORKER") else ours
    return load_config(str(ROOT / "mkdocs.yml"), site_dir=str(shared / "site"))


@pytest.fixture(scope="session")
def site(site_config) -> Path:
    """The folder of the site; the first worker builds it and the others wait."""
    folder = Path(site_config.site_dir)
    done = folder.with_suffix(".built")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            build(site_config)
            done.touch()
    return folder
