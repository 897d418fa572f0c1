"""The wheel of this tree, and an environment that has nothing but it."""

import sys

import pytest
from bare import BareEnvironment, build_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory, wheel):
    """By name, as from an index: no extras, no tests, no checkout."""
    environment = BareEnvironment.beside(tmp_path_factory.mktemp("installed"))
    for line in (f"{sys.executable} -m venv venv", f"pip install -q --find-links {wheel.parent} sttest"):
        done = environment.run(line, environment.folder)
        assert done.exit_code == 0, done.stderr
    return environment
