"""`sttest doctor`: the report, whatever is found."""

import json

import pytest

from sttest.cli.doctor import SCHEMA
from sttest.targets.doctor import CAPABILITIES, PARTS, PartStatus

OK = PartStatus("ok", "1.0", "here")


@pytest.fixture
def doctor(sttest, monkeypatch):
    """Runs the verb on findings that are all good but for some."""

    def run(*arguments, **others):
        found = {part.name: OK for part in PARTS} | {name.replace("_", " "): given for name, given in others.items()}
        monkeypatch.setattr("sttest.cli.doctor.survey", lambda parts: found)
        return sttest("doctor", *arguments)

    return run


def report(outcome):
    told = json.loads(outcome.stdout)
    assert outcome.exit_code == 0
    assert told["schema"] == SCHEMA
    return {part["name"]: part for part in told["parts"]}, {able["name"]: able for able in told["capabilities"]}


def test_with_everything_everything_works(doctor):
    parts, abilities = report(doctor("--json"))
    assert list(parts) == [part.name for part in PARTS]
    assert {able["works"] for able in abilities.values()} == {True}
    assert all(part["disables"] == [] for part in parts.values())


def test_a_missing_part_names_what_it_disables_and_the_line_that_installs_it(doctor):
    parts, abilities = report(doctor("--json", verilator=PartStatus("missing", None, "no verilator on PATH")))
    assert parts["verilator"]["install"] == "apt-get install verilator"
    assert parts["verilator"]["disables"] == ["emulate --simulator verilator", "engine rtl"]
    assert abilities["emulate --simulator verilator"]["lacks"] == ["verilator"]
    assert abilities["emulate --simulator icarus"]["works"] is True


def test_what_did_not_answer_is_not_known_to_be_missing(doctor):
    parts, abilities = report(doctor("--json", XRT=PartStatus("silent", None, "no answer within 1.2 s")))
    assert abilities["run --backend device"]["works"] is None
    assert abilities["run --backend device"]["lacks"] == parts["XRT"]["disables"] == []


def test_another_version_disables_nothing(doctor):
    _, abilities = report(doctor("--json", torch=PartStatus("other-version", "2.12.0")))
    assert {able["works"] for able in abilities.values()} == {True}


def test_without_its_packages_nothing_works(doctor):
    _, abilities = report(doctor("--json", python_packages=PartStatus("missing", None, "not installed: numpy")))
    assert {able["works"] for able in abilities.values()} == {False}


def test_text_for_people(doctor):
    missing, silent = (
        PartStatus("missing", None, "no v++ on PATH"),
        PartStatus("silent", None, "no answer within 1.2 s"),
    )
    outcome = doctor(**{"v++": missing, "pyxrt": silent, "g++": PartStatus("failed", None, "exit code 1")})
    lines = {line.split("  ")[1].strip(): line for line in outcome.stdout.splitlines() if line.startswith("  ")}
    assert outcome.exit_code == 0
    assert "apt-get install g++" in lines["g++"]
    assert "no v++ on PATH; from AMD's download pages" in lines["v++"]
    assert lines["run --backend hw_emu"].split()[-2:] == ["no", "v++"]
    assert lines["run --backend device"].split()[-3:] == ["not", "known", "pyxrt"]
    assert lines["engine csim"].split()[-2:] == ["no", "g++"]
    assert [able.name for able in CAPABILITIES if able.name not in lines] == []


def test_the_real_report_can_be_made_here(sttest):
    parts, _ = report(sttest("doctor", "--json"))
    assert parts["python"]["status"] == "ok"
    assert all(isinstance(part["detail"], str) for part in parts.values())
