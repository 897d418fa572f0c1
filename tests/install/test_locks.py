"""The locks hold what pyproject.toml asks for, for every Python, with hashes; the bill of materials holds the same."""

import json
import re
import subprocess
import sys
import tomllib

import pytest
from bare import ROOT, BareEnvironment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from write_locks import EXTRAS, ONLY_FOR_CUDA, entries

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "locks").glob("*.txt"))}
WHOLE = LOCKS["requirements.txt"] + LOCKS["torch-cuda.txt"]
VERSIONS = [
    found[1] for found in map(re.compile(r".*Python :: (3\.\d+)").fullmatch, PROJECT["project"]["classifiers"]) if found
]


def environment(version):
    return {
        "python_version": version,
        "python_full_version": f"{version}.7",
        "sys_platform": "linux",
        "platform_machine": "x86_64",
        "platform_system": "Linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_version": "",
        "implementation_version": f"{version}.7",
        "extra": "",
    }


def locked(version, text=WHOLE):
    """Versions by name of what is installed under a Python; a name that stands there twice is an error."""
    found = {}
    for entry in entries(text):
        told = Requirement(entry.partition("\\")[0].strip())
        if told.marker is None or told.marker.evaluate(environment(version)):
            name = canonicalize_name(told.name)
            assert name not in found, f"{name} twice under Python {version}"
            (pin,) = told.specifier
            found[name] = Version(pin.version)
    return found


def asked(version):
    project = PROJECT["project"]
    lines = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    lines += [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    told = map(Requirement, lines)
    return [each for each in told if each.marker is None or each.marker.evaluate(environment(version))]


def test_there_are_versions():
    assert VERSIONS == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_lock_satisfies_the_project(version):
    found = locked(version)
    told = {each: found.get(canonicalize_name(each.name)) for each in asked(version)}
    assert [str(each) for each, pin in told.items() if pin is None] == []
    assert [str(each) for each, pin in told.items() if not each.specifier.contains(pin, prereleases=True)] == []


def test_an_older_package_would_be_seen():
    older = re.sub(r"^pydantic==\S+", "pydantic==2.1", WHOLE, flags=re.M)
    (told,) = [each for each in asked("3.11") if each.name == "pydantic"]
    assert not told.specifier.contains(locked("3.11", older)["pydantic"])


@pytest.mark.parametrize("name", LOCKS)
def test_every_entry_has_hashes_and_nothing_names_a_host(name):
    found = entries(LOCKS[name])
    assert found
    assert "".join(found) == "".join(line for line in LOCKS[name].splitlines(keepends=True) if line[0] != "#")
    for entry in found:
        lines = [line.strip(" \\\n") for line in entry.splitlines()[1:]]
        assert lines, entry
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", line) for line in lines), entry
    assert not re.search(r"://|index-url|find-links", LOCKS[name])


def test_torch_stands_apart():
    assert not any(ONLY_FOR_CUDA.match(entry) for entry in entries(LOCKS["requirements.txt"]))
    (cpu,) = entries(LOCKS["torch-cpu.txt"])
    assert cpu.startswith(f"torch=={locked('3.11')['torch']}+cpu ")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"TORCH ?= torch=={locked('3.11')['torch']}\n" in makefile


@pytest.mark.nightly
def test_the_bill_of_materials_is_that_of_the_lock(tmp_path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^\t\$\(BIN\)/(cyclonedx-py .*?[^\\])$", makefile, re.M | re.S)
    line = recipe.replace("\\\n", " ").replace("$(LOCK)", "locks/requirements.txt")
    words = [word if word != "build/sttest.cdx.json" else str(tmp_path / "bill.json") for word in line.split()[1:]]
    command = [sys.executable, "-m", "cyclonedx_py", *words]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    first = (tmp_path / "bill.json").read_bytes()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert (tmp_path / "bill.json").read_bytes() == first
    bill = json.loads(first)
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "sttest"
    told = {(canonicalize_name(each["name"]), each["version"]) for each in bill["components"]}
    lines = [Requirement(entry.partition("\\")[0].strip()) for entry in entries(LOCKS["requirements.txt"])]
    assert told == {(canonicalize_name(each.name), str(each.specifier).removeprefix("==")) for each in lines}


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_it_installs(tmp_path):
    """With the build of torch whose hash is known for this Python."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    text = WHOLE if version != "3.11" else LOCKS["requirements.txt"] + LOCKS["torch-cpu.txt"]
    build = "cuda" if text is WHOLE else "cpu"
    bare = BareEnvironment.beside(tmp_path)
    line = f"make install LOCKED=1 TORCH_BUILD={build} PYTHON={sys.executable} VENV={tmp_path}/venv"
    done = bare.run(line, ROOT)
    assert done.exit_code == 0, done.stdout + done.stderr
    listed = json.loads(bare.run("pip list --format=json", tmp_path).stdout)
    there = {canonicalize_name(each["name"]): Version(each["version"]) for each in listed}
    wanted = locked(version, text)
    assert {name: there.get(name) for name in wanted} == wanted
