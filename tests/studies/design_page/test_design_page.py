"""The page of a design says what `sttest simulate --json` says, escapes what files say, and is bounded."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from design_pages import HOSTILE, ROOT, chain
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.sim import load, simulate, write_timed_graph
from sttest.studies.design_page import facts, grouping, subject, write_page
from sttest.studies.design_page.subject import Subject
from sttest.studies.design_page.timelines import FIRST
from sttest.testing.corpus import case, cases

TEMPLATES = ROOT / "sttest/studies/design_page/templates"
STREAMHLS = ROOT / "tests/data/streamhls"
BUSY = {"busy": "busy", "stall_in": "stall_in", "stall_out": "stall_out", "memory": "memory_wait"}


def simulated(sttest, design, engine="simpy"):
    """What the command line says, by the engine that the page did not use."""
    return json.loads(sttest("simulate", design, "--engine", engine, "--json").stdout)


@pytest.mark.parametrize(
    "design", [case("stage_skew").live_path, STREAMHLS / "2560_dsps_opt1_gesummv.json", "package"], ids=str
)
def test_figures_are_those_of_the_command_line(sttest, page_of, placed_package, design):
    design = placed_package if design == "package" else design
    engine = "maxplus" if "gesummv" in str(design) else "simpy"  # SimPy would take its time for a million tokens
    page, told = page_of(design), simulated(sttest, design, engine)
    data = page.data
    assert (data["cycles"], data["verdict"]) == (told["cycles"], told["verdict"])
    us = told["cycles"] / data["clock_mhz"]
    assert f"after {told['cycles']:,} cycles = {us:,.2f} µs at {data['clock_mhz']:g} MHz." in page.words
    assert data["critical_path"]["by_process"] == told["critical_path"]["by_process"]
    assert data["critical_path"]["by_kind"] == told["critical_path"]["by_kind"]
    assert set(data["processes"]["name"]) == set(told["finish"])
    for name in data["processes"]["name"]:
        own, theirs = page.process(name), told["breakdown"][name]
        assert {key: own[key] for key in BUSY} == {key: theirs[f"{word}_cycles"] for key, word in BUSY.items()}
        assert own["finish"] == told["finish"][name]
        assert own["first"] <= own["stall_in"]
    assert dict(zip(data["fifos"]["name"], data["fifos"]["held"], strict=True)) == told["max_occupancy"]
    path = sorted(told["critical_path"]["by_process"].items(), key=lambda each: -each[1])
    name, cycles = path[0]
    assert [name, f"{cycles:,}", f"{100 * cycles / told['cycles']:.1f} %", ""] in page.rows


def test_least_depths_are_those_of_sizing(sttest, page_of, placed_package):
    """The package takes its time to be sized, so its other bound is left to the tests of sizing."""
    for design, targets in (
        (case("stage_skew").path, {"live": ["--target", "no-deadlock"], "lossless": []}),
        (placed_package, {"live": ["--method", "lp"]}),
    ):
        fifos = page_of(design).data["fifos"]
        for key, options in targets.items():
            told = json.loads(sttest("size", design, *options, "--json").stdout)["lower_bounds"]
            assert dict(zip(fifos["name"], fifos[key], strict=True)) == told


@pytest.mark.parametrize(
    ("design", "why"),
    [
        ("missing_tokens", "deadlocks with FIFOs of any depth, tokens are missing"),
        ("samplerate", "actors that fire for ever come to no end"),
    ],
)
def test_least_depths_that_are_not_known_have_their_reason(page_of, design, why):
    path = ROOT / "tests/data/sdf3/samplerate.xml" if design == "samplerate" else case(design).path
    page = page_of(path)
    assert f"Here those are not known: {why}. " in "".join(page.words)
    assert set(page.data["fifos"]["live"]) == set(page.data["fifos"]["lossless"]) == {None}


def test_the_top_says_what_it_is_and_whether_it_finishes_and_fits(sttest, page_of, placed_package, tmp_path):
    """Before anything else, in the figures of the manifest."""
    sttest(
        "compile", "small-gpt2", "--phase", "decode", "--context", "32", "--design", "default", "-o", tmp_path / "tight"
    )
    for package, verdict in ((placed_package, "Fits:"), (tmp_path / "tight", "Does not fit:")):
        manifest = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
        shares, budget = manifest["resources"]["share_of_budget"], manifest["resources"]["budget"]
        told = manifest["resources"]["over_budget"] or [max(shares, key=shares.get)]
        said = ", ".join(f"{kind.upper()} {100 * shares[kind]:.0f} %" for kind in told)
        title, about, name, *words = [word.strip() for word in page_of(package).words if word.strip()]
        assert title == f"{manifest['name']}: a design in sttest"
        # With 8 bits the weights of both products of the feed-forward network come in two halves that are gathered.
        assert about.startswith("Design package for the u55c: small-gpt2, decode, context 32; 180 processes, 234 FIFOs")
        assert name == manifest["name"]
        assert words[0] == "Finishes"
        assert words[2:4] == [verdict, f"{said} of the {budget} budget of the u55c."]
    words = page_of(case("fork_join_residual").path).words
    assert words[words.index("Deadlocks:") + 2] == "3 processes wait for each other."


def test_libraries_are_those_that_their_readme_names(page_of):
    """As published, by their digests, and in the page, packed, by those of its policy."""
    readme = (TEMPLATES / "vendor/README.md").read_text(encoding="utf-8")
    page = page_of(case("stage_skew").live_path)
    (policy,) = [each["content"] for tag, each in page.tags if each.get("http-equiv") == "Content-Security-Policy"]
    packed = re.findall(r'<script type="text/gzip">(.*?)</script>', page.text, re.DOTALL)
    files = sorted((TEMPLATES / "vendor").glob("*.js"))
    assert len(files) == len(packed) == 2
    for file, each in zip(files, packed, strict=True):
        text = gzip.decompress(base64.b64decode(each)).decode()
        assert text == file.read_text(encoding="utf-8").strip("\n")
        assert hashlib.sha256(file.read_bytes()).hexdigest() in readme
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy
    weights = sum(file.stat().st_size for file in files), sum(map(len, packed))
    assert "{:.1f} MB as {:.1f} MB".format(*(weight / 1e6 for weight in weights)) in readme


def test_slices_cover_a_process_and_add_up(placed_package):
    found = Subject.read(placed_package, "maxplus")
    data = facts.facts_of(found).data
    columns = data["processes"]
    kinds = ("busy", "stall_in", "stall_out", "memory")
    for place, packed in enumerate(columns["slices"]):
        spent = np.zeros(5, np.int64)
        np.add.at(spent, packed[1::2], packed[2::2])
        assert packed[0] + sum(spent) == columns["finish"][place]
        assert spent[FIRST] == columns["first"][place]
        spent[1] += spent[FIRST]
        assert spent[:4].tolist() == [columns[kind][place] for kind in kinds]
    # The wait for the first token ends with the first access: here found by looking at all of them.
    times = found.run.write_times | {f"r {name}": cycles for name, cycles in found.run.read_times.items()}
    assert columns["first"][columns["name"].index("fork_load_x")] == min(times["r load_x__fork_load_x"]) - 0


def test_full_cycles_are_those_counted_one_by_one():
    run = simulate(load(case("stage_skew").live_path), record=True)
    assert run.cycles is not None
    data = facts.facts_of(Subject.read(case("stage_skew").live_path, "maxplus")).data
    for place, name in enumerate(data["fifos"]["name"]):
        writes, reads = run.write_times[name], run.read_times[name]
        held = [sum(writes <= cycle) - sum(reads + 1 <= cycle) for cycle in range(run.cycles)]
        assert data["fifos"]["full"][place] == sum(each >= data["fifos"]["depth"][place] for each in held)
        assert max(held) == data["fifos"]["held"][place]


@pytest.mark.parametrize("name", list(cases()))
def test_a_deadlock_is_told_in_the_words_of_its_certificate(sttest, page_of, name):
    design = case(name)
    page, told = page_of(design.path), simulated(sttest, design.path, "maxplus")
    waits = [
        (page.data["processes"]["name"][each["process"]], each["to"], page.data["fifos"]["name"][each["fifo"]])
        for each in page.data["deadlock"]["waits"]
    ]
    assert waits == [(each["process"], each["waits_to"], each["fifo"]) for each in told["deadlock"]["cycle"]]
    assert [[fifo, depth] for _, fifo, depth in page.data["deadlock"]["fix"]] == [
        [each["fifo"], each["depth"]] for each in told["deadlock"]["fix"]
    ]
    lines = sttest("simulate", design.path).stdout.splitlines()
    words = [word.lower() for word in page.words]
    for line in lines[1 : len(waits) + 3]:
        assert line.strip().lower() in words


def test_a_package_has_its_resources_and_slrs(page_of, placed_package):
    page = page_of(placed_package)
    manifest = json.loads((placed_package / "manifest.json").read_text(encoding="utf-8"))
    total = manifest["resources"]["total"]
    assert page.rows_of("all")[0][2:4] == [f"{total['dsp']:,.0f}", f"{total['lut']:,.0f}"]
    for slr, share in enumerate(manifest["partition"]["fullest_share_per_slr"]):
        shares = [float(cell.split()[-2]) for cell in page.rows_of(f"SLR {slr}")[0][1:]]
        assert max(shares) == pytest.approx(100 * share, abs=0.06)
    lines = (placed_package / "reports/partition.csv").read_text(encoding="utf-8").splitlines()[1:]
    titles = [title.split("\n")[0] for title in page.words]
    assert all(line.split(",")[0] in titles for line in lines)


def test_a_bare_graph_says_in_one_line_that_it_has_none(page_of):
    page = page_of(case("stage_skew").live_path)
    assert "A bare timed graph has no resources and no floorplan; a design package has." in page.words
    assert "figure" not in [tag for tag, _ in page.tags]


def test_names_from_files_are_text(page_of, tmp_path):
    graph = chain(3, name=HOSTILE[0], names=HOSTILE)
    graph = replace(
        graph, processes=tuple(replace(each, origin=each.name, category=each.name) for each in graph.processes)
    )
    write_timed_graph(graph, tmp_path / "g.json")
    page = page_of(tmp_path / "g.json")
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert len(scripts) == 4
    assert "img" not in [tag for tag, _ in page.tags]
    assert page.data["processes"]["name"] == list(HOSTILE)
    assert all(page.rows_of(name) for name in HOSTILE[1:])  # of the critical path


def test_actors_that_fire_for_ever_have_a_throughput_and_one_iteration(page_of, monkeypatch):
    page = page_of(ROOT / "tests/data/sdf3/samplerate.xml")
    assert (page.data["cycles"], page.data["throughput"]) == (None, [1, 960])
    assert page.data["end"] == 1001
    assert "Critical paths are of pipelines and memory ports; this design has actors." in page.words
    monkeypatch.setattr(subject, "MAX_ITERATION_FIRINGS", 10)
    short = page_of(ROOT / "tests/data/sdf3/samplerate.xml")
    assert (short.data["end"], short.data["curves"]) == (0, [])
    assert any("too many firings to draw" in words for words in short.words)


def test_a_large_graph_is_cut_and_lines_say_so(page_of, tmp_path, monkeypatch):
    monkeypatch.setattr(
        facts, "LIMITS", facts.PageLimits(processes=400, fifos=300, slices=4000, samples=4000, segments=9)
    )
    write_timed_graph(chain(450, extra=200), tmp_path / "g.json")
    page = page_of(tmp_path / "g.json")
    assert page.data["counts"] == {"processes": 450, "fifos": 650}
    assert len(page.data["processes"]["name"]) == 400
    said = "\n".join(page.words)
    for words in (
        "400 of 450 processes are shown",
        "300 of 650 FIFOs are named",
        "of the 100 FIFOs that held most",
        "its 9 longest stretches",
    ):
        assert words in said


@pytest.mark.nightly
def test_ten_thousand_fifos_are_a_page_of_less_than_two_megabytes(page_of, tmp_path):
    write_timed_graph(chain(5000, extra=5000), tmp_path / "g.json")
    page = page_of(tmp_path / "g.json")
    assert len(page.text) < 2e6
    assert page.data["counts"] == {"processes": 5000, "fifos": 10_000}


def test_data_that_is_too_long_is_halved_until_it_fits(tmp_path, monkeypatch):
    write_timed_graph(chain(100, names=[f"{'long' * 40}{number}" for number in range(100)]), tmp_path / "g.json")
    monkeypatch.setattr(facts, "MAX_BYTES", 30_000)
    found = facts.facts_of(Subject.read(tmp_path / "g.json", "maxplus"))
    assert len(json.dumps(found.data, separators=(",", ":"))) <= 30_000
    assert found.notes[0].split()[0] == f"{len(found.data['processes']['name'])}"


def test_groups_are_the_operations_of_the_model(placed_package):
    data = facts.facts_of(Subject.read(placed_package, "maxplus")).data
    labels = [each["label"] for each in data["tree"]]
    assert {"attn_norm", "attn.q_proj", "attn.softmax", "mlp.fc1"} <= set(labels)
    assert labels.index("attn.q_proj") < labels.index("attn.softmax") < labels.index("mlp.fc1")
    (softmax,) = (each for each in data["tree"] if each["label"] == "attn.softmax")
    names = [each["about"] for each in softmax["entries"]]
    assert all("softmax" in name or "scores" in name or "mix" in name for name in names)


def flat(entries):
    return [number for entry in entries for number in ([entry] if isinstance(entry, int) else flat(entry.entries))]


def levels(entries):
    yield entries
    for entry in entries:
        if not isinstance(entry, int):
            yield from levels(entry.entries)


@given(st.integers(2, 400), st.sampled_from(["stage{}", "same{}_{}", "{}"]))
def test_groups_hold_each_process_once_and_stay_small(stages, pattern):
    graph = chain(stages, names=[pattern.format(number, number % 7) for number in range(stages)])
    made = grouping.tree(graph, range(stages))
    assert sorted(flat(made)) == list(range(stages))
    assert max(map(len, levels(made))) <= grouping.MOST


def test_what_is_no_page_of_a_design_is_not_overwritten(tmp_path):
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is no earlier report"):
        write_page(case("stage_skew").path, tmp_path / "mine.html", say=lambda _: None)
