"""The Containerfile: what it copies is there, its lines are shell, and nothing runs in it as root."""

import re
import shlex
import subprocess
import tomllib

import pytest
from bare import ROOT

TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")


def instructions():
    """Pairs of instruction and its rest, lines that go on joined."""
    joined = re.sub(r"\\\n", " ", TEXT)
    lines = (line.strip() for line in joined.splitlines())
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def rests(name):
    return [rest for each, rest in instructions() if each == name]


def test_it_starts_from_an_image_without_a_host_and_ends_as_a_user():
    (image,) = rests("FROM")
    assert re.fullmatch(r"[a-z]+:[\w.-]+", image)
    order = [name for name, _ in instructions()]
    assert rests("USER") == ["user"]
    assert order.index("USER") > max(place for place, name in enumerate(order) if name in ("RUN", "COPY"))


@pytest.mark.parametrize("line", rests("RUN"), ids=lambda line: line.split()[0])
def test_what_it_runs_is_shell_that_stops_at_the_first_error(line):
    subprocess.run(["sh", "-n", "-c", line], check=True)
    assert ";" not in line


def test_what_it_copies_is_there_and_reaches_the_builder():
    sources = [word for rest in rests("COPY") for word in shlex.split(rest)[:-1]]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert allowed[0] == "*"
    assert {f"!{source}" for source in sources} <= {*allowed}


def test_extras_that_it_installs_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (asked,) = re.findall(r"/src\[([\w,]+)\]", TEXT)
    assert {*asked.split(",")} <= extras.keys()


def test_its_tools_are_those_of_the_makefile():
    (tools,) = re.findall(r"^SYSTEM_TOOLS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    (packages,) = re.findall(r"--no-install-recommends (.*?) &&", " ".join(rests("RUN")))
    assert {*tools.split()} <= {*packages.split()}
