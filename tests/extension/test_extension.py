"""A distribution outside of the tree adds to sttest without an edit in it."""

import json
import shutil
from importlib.metadata import EntryPoint

import pytest

from sttest.cli import app, verbs
from sttest.core import closure, extensions
from sttest.core.errors import InputError
from sttest.core.extensions import Extension, Offer, offers
from sttest.testing.corpus import case

pytestmark = pytest.mark.slow


def test_a_verb_is_listed_and_runs_as_all_verbs_do(with_sample):
    listed = with_sample("--help")
    assert "Extensions:\n  count " in listed.stdout
    design = case("stage_skew").live_path
    told = json.loads(with_sample("count", design, "--json").stdout)
    graph = json.loads(design.read_text())
    assert told == {
        "schema": "sttest-sample.count/1",
        "processes": len(graph["processes"]),
        "fifos": len(graph["fifos"]),
    }
    assert with_sample("count", design, "--csv").stdout.splitlines()[0] == "what,count"
    refused = with_sample("count", "missing.json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[-1].startswith("error: missing.json: no such file")
    assert "Count the processes" in with_sample("count", "--help").stdout


def test_a_name_that_is_taken_stays_with_who_has_it(with_sample):
    told = with_sample("--help")
    assert "note: 'size' of the extension sample is left out: sttest has one of verbs so called" in told.stderr
    assert "Size FIFOs" in with_sample("size", "--help").stdout


def test_a_format_is_read_checked_and_written_as_all_formats_are(with_sample, tmp_path):
    (tmp_path / "chain.txt").write_text("pipes\nab 2\nbc 2\n")
    assert "pipes: Pipes: a chain of processes." in with_sample("import").stdout
    done = with_sample("import", "pipes", "chain.txt", "--top", "chain", "-o", "chain.json")
    assert "chain.json: chain, 3 processes, 2 FIFOs" in done.stdout, done.stderr
    assert json.loads(with_sample("simulate", "chain.json", "--json").stdout)["verdict"] == "done"
    found = json.loads(with_sample("check", "chain.txt", "--json").stdout)["findings"]
    assert [(each["form"], each["verdict"], each["processes"]) for each in found] == [("pipes", "done", 3)]
    (tmp_path / "sized.json").write_text(with_sample("size", "chain.json", "--json").stdout)
    with_sample("import", "pipes", "chain.txt", "--top", "chain", "--depths", "sized.json", "-o", "sized.txt")
    assert (tmp_path / "sized.txt").read_text().startswith("pipes\nab ")
    refused = with_sample("import", "pipes", "chain.txt", "--rates", "r.yaml")
    assert "pipes has no 'rates'" in refused.stderr


@pytest.mark.torch
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_a_weight_type_is_quantized_coded_and_decoded_as_all_types_are(with_sample, tmp_path):
    arguments = ("small-gpt2", "--phase", "decode", "--context", 64, "--precision", "quinary-a8")
    compiled = with_sample("compile", *arguments, "-o", "quinary")
    assert "9 in integers" in compiled.stdout, compiled.stderr
    passes = [each["pass"] for each in json.loads((tmp_path / "quinary" / "manifest.json").read_text())["passes"]]
    assert 'code-parameters{codes="pairs"}' in passes
    told = with_sample("crosscheck", *arguments, "--engines", "torch,reference,csim", "--json")
    assert told.returncode == 0, told.stderr
    assert {each["engine"] for each in json.loads(told.stdout)["engines"]} >= {"torch", "reference", "csim"}


@pytest.mark.torch
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_a_family_and_its_model_are_compiled_simulated_and_crosschecked(with_sample):
    arguments = ("small-bare-gpt2", "--phase", "decode", "--context", 16)
    assert "bare-gpt2" in with_sample("models", "--wide").stdout
    compiled = with_sample("compile", *arguments, "-o", "bare")
    assert compiled.returncode == 0, compiled.stderr
    assert json.loads(with_sample("simulate", "bare", "--json").stdout)["verdict"] == "done"
    told = with_sample("crosscheck", *arguments, "--engines", "torch,reference,simpy,maxplus,csim", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    drawn = with_sample("dot", "bare").stdout
    assert ("attn_o_proj" in drawn, "mlp_fc1" in drawn) == (True, False)


def test_a_study_is_reproduced_and_stands_beside_its_paper(with_sample, tmp_path):
    assert "a chain of three processes" in with_sample("reproduce").stdout
    done = with_sample("reproduce", "waits", "--out", "results/waits")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "results" / "waits" / "manifest.json").read_text())
    assert manifest["program_of"] == ["sttest_sample.waits.experiment"]
    beside = with_sample("studies", "chain", "--results", "results")
    assert "cycles with FIFOs of 4" in beside.stdout, beside.stderr


def test_a_study_is_stale_once_its_own_files_say_something_else(installed, monkeypatch):
    folder = installed / "sttest_sample"
    monkeypatch.setattr(closure, "extension_packages", lambda: {"sttest_sample": folder})
    files = closure.Closures(closure._program()).of(["sttest_sample.waits.experiment"])
    assert {"sttest_sample/waits/experiment.py", "sttest_sample/pipes.py", "sttest/core/results.py"} <= files.keys()
    assert not any(file.startswith(("sttest_sample/bare", "/")) for file in files)


def test_without_it_the_verb_is_unknown(sttest):
    assert "No such command 'count'" in sttest("count").stderr


def test_where_the_studies_are_missing_an_unknown_verb_says_what_else_there_is(entries, monkeypatch, sttest):
    entries()
    monkeypatch.setattr(verbs, "all_verbs", lambda: offers("verbs"))
    monkeypatch.setattr(app, "all_verbs", lambda: offers("verbs"))
    told = sttest("faults").stderr
    assert "No such command 'faults'" in told
    assert "more verbs are in sttest-systems, which is not installed" in told


# --- Extensions that are broken


@pytest.fixture
def entries(monkeypatch):
    """Entry points that are installed beside sttest."""

    def install(**values: str) -> None:
        found = [EntryPoint(name, value, extensions.GROUP) for name, value in values.items()]
        monkeypatch.setattr(extensions, "entry_points", lambda group: found if group == extensions.GROUP else [])
        extensions.extensions.cache_clear()

    yield install
    monkeypatch.undo()
    extensions.extensions.cache_clear()


def test_one_that_cannot_be_imported_is_said_and_left_out(entries, capsys):
    entries(lost="no_such_module:EXTENSION")
    assert [each.name for each in extensions.extensions()] == ["sttest"]
    told = capsys.readouterr().err
    assert "the extension lost of nobody is left out: ModuleNotFoundError: No module named 'no_such_module'" in told


def test_one_that_is_something_else_is_said_and_left_out(entries, capsys):
    entries(other="json:dumps")
    assert [each.name for each in extensions.extensions()] == ["sttest"]
    assert "json:dumps is no sttest.core.extensions.Extension" in capsys.readouterr().err


def test_two_extensions_do_not_share_a_name(monkeypatch, capsys):
    given = [Extension(name, (Offer("verbs", "same", "json:dumps"),)) for name in ("first", "second")]
    monkeypatch.setattr(extensions, "extensions", lambda: given)
    assert list(extensions.offers("verbs")) == ["same"]
    told = "note: 'same' of the extension second is left out: first has one of verbs so called"
    assert told in capsys.readouterr().err


def test_what_it_names_has_to_be_there():
    with pytest.raises(InputError, match="missing is to be 'no_such' of json, which has none") as caught:
        Offer("verbs", "missing", "json:no_such").load()
    assert (caught.value.code, caught.value.exit_code) == ("broken-extension", 2)


def test_all_that_sttest_offers_can_be_loaded():
    offered = extensions.extensions()[0].offers
    assert len({(each.door, each.name) for each in offered}) == len(offered) > 25
    assert all(each.load() for each in offered)


def test_extensions_come_by_name_after_sttest(entries):
    own = Extension("b", (Offer("verbs", "b-verb", "json:dumps"),))
    import sttest.built_in as module

    module.PROBE = own  # pyright: ignore[reportAttributeAccessIssue]
    try:
        entries(z="sttest.built_in:PROBE")
        assert [each.name for each in extensions.extensions()] == ["sttest", "b"]
        assert list(extensions.offers("verbs"))[-1] == "b-verb"
    finally:
        del module.PROBE


def of_extension(monkeypatch, *offers: Offer) -> None:
    given = [extensions.extensions()[0], Extension("own", offers)]
    for module in (extensions, verbs):
        monkeypatch.setattr(module, "extensions", lambda: given)
    verbs.all_verbs.cache_clear()


@pytest.fixture
def fresh_verbs():
    yield
    verbs.all_verbs.cache_clear()


@pytest.mark.usefixtures("fresh_verbs")
def test_a_verb_that_cannot_be_loaded_is_refused_by_its_name(monkeypatch):
    of_extension(monkeypatch, Offer("verbs", "gone", "no_such_module:gone"))
    with pytest.raises(InputError, match="gone: the verb of an extension cannot be loaded: ModuleNotFoundError"):
        verbs.load_verb("gone")


@pytest.mark.usefixtures("fresh_verbs")
def test_what_is_offered_where_no_door_is_is_said(monkeypatch, capsys):
    of_extension(monkeypatch, Offer("verb", "mine", "json:dumps"))
    verbs.all_verbs()
    assert "'mine' of an extension is left out: no door 'verb', did you mean 'verbs'?" in capsys.readouterr().err
