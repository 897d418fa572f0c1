"""Searches: the same seed gives the same points, nothing good is pruned, every Pareto point can be made again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sttest.core.errors import EnginesDisagreeError, InputError, note_renamed
from sttest.explore.evaluate import Evaluation, Evaluator
from sttest.explore.objectives import dominates
from sttest.explore.proposals import BATCH, LAG
from sttest.explore.report import HIDA_WAYS, Record, SearchReport, ablation, read_record, rebuild, write_records
from sttest.explore.search import run
from tests.explore.tiny_searches import tiny_search

SMALL_BATCH = 5
TRIALS = (LAG + 2) * SMALL_BATCH


@pytest.fixture
def small_batches(monkeypatch):
    """Batches in which little has to be judged before the first results count."""
    for module in ("search", "proposals"):
        monkeypatch.setattr(f"sttest.explore.{module}.BATCH", SMALL_BATCH)


def points(tried):
    return [(each.slot, dict(each.point), each.evaluation) for each in tried]


@pytest.mark.slow
@pytest.mark.parametrize(
    "objectives", [pytest.param(("latency",), marks=pytest.mark.nightly), ("tokens-per-joule", "area")]
)
def test_the_same_seed_gives_the_same_answer(tmp_path, small_batches, objectives):
    one, again, other = (
        run(tiny_search(tmp_path / f"{name}.db", objectives, seed), TRIALS, 1, lambda _: None, resume=False)
        for name, seed in (("one", 1), ("again", 1), ("other", 2))
    )
    assert points(one) == points(again)
    assert points(one) != points(other)


@pytest.mark.nightly
@pytest.mark.slow
def test_what_was_pruned_was_no_better(tmp_path):
    search = tiny_search(tmp_path / "search.db", ("latency",))
    tried = run(search, (LAG + 1) * BATCH, 1, lambda _: None, resume=False)
    pruned = [each for each in tried if each.evaluation.status == "bounded"]
    assert pruned
    evaluator = search.evaluator()
    for each in pruned:
        known = [
            other.evaluation.losses for other in tried[: (each.slot // BATCH - LAG + 1) * BATCH]
            if other.evaluation.status == "simulated"
        ]  # fmt: skip
        simulated = evaluator.evaluate(each.point)
        assert any(dominates(losses, simulated.losses) for losses in known)


@pytest.mark.nightly
def test_going_on_adds_points_and_changes_none(tmp_path, small_batches):
    search = tiny_search(tmp_path / "search.db")
    first = run(search, SMALL_BATCH + 3, 1, lambda _: None, resume=False)
    more = run(search, TRIALS, 1, lambda _: None, resume=True)
    whole = run(tiny_search(tmp_path / "whole.db"), TRIALS, 1, lambda _: None, resume=False)
    assert points(more)[: SMALL_BATCH + 3] == points(first)
    assert points(more) == points(whole)


def test_a_search_that_was_interrupted_goes_on_in_the_same_process(tmp_path, monkeypatch):
    search = tiny_search(tmp_path / "search.db")
    judged = Evaluator.evaluate

    def interrupted(self, point, known=()):
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(point)
        return judged(self, point, known)

    seen: list[object] = []
    monkeypatch.setattr(Evaluator, "evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(search, 8, 1, lambda _: None, resume=False)
    monkeypatch.setattr(Evaluator, "evaluate", lambda *given: seen.append(given[1]) or judged(*given))
    found = run(search, 8, 1, lambda _: None, resume=True)
    assert len(found) == len(seen) == 8


def test_designs_that_another_process_judged_are_not_made_again(tmp_path, monkeypatch):
    search = tiny_search(tmp_path / "search.db")
    found = run(search, 4, 1, lambda _: None, resume=False)
    evaluator = search.evaluator()
    evaluator.remember(each.evaluation for each in found)
    monkeypatch.setattr(Evaluator, "_measured", lambda *_: pytest.fail("made again"))
    assert [evaluator.evaluate(each.point) for each in found] == [each.evaluation for each in found]


def test_another_search_in_the_same_place_is_refused(tmp_path):
    search = tiny_search(tmp_path / "search.db")
    run(search, 1, 1, lambda _: None, resume=False)
    with pytest.raises(InputError) as refusal:
        run(search, 1, 1, lambda _: None, resume=False)
    assert refusal.value.code == "search-exists"
    with pytest.raises(InputError) as refusal:
        run(replace(search, program="a newer one"), 1, 1, lambda _: None, resume=True)
    assert refusal.value.code == "other-search"
    assert "program" in str(refusal.value)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    path = tmp_path / "search.db"
    path.write_text("not a database, but long enough to be looked at as one" * 40)
    with pytest.raises(InputError) as refusal:
        run(tiny_search(path), 1, 1, lambda _: None, resume=False)
    assert refusal.value.code == "bad-storage"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    search = tiny_search(tmp_path_factory.mktemp("store") / "search.db")
    evaluator = search.evaluator()
    space = search.space(evaluator)
    tried = run(search, BATCH, 1, lambda _: None, resume=False)
    report = SearchReport("tiny", search, space, tried)
    placed = {each.slot: evaluator.placed_cycles(each.evaluation.options) for each in report.pareto}
    return replace(report, placed=placed, ablated=list(ablation(evaluator, space))[:6])


def test_every_pareto_point_is_made_again_from_its_row(report, tmp_path):
    write_records(tmp_path / "pareto.csv", report.records())
    assert len(report.records()) > 1
    for record in report.records():
        read = read_record(tmp_path / "pareto.csv", record.point)
        assert read == replace(record, figures={name: float(value) for name, value in record.figures.items()})
        assert rebuild(read, report.search.evaluator()) == record.figures


def test_a_row_and_a_stored_point_that_say_knobs_are_read(report, tmp_path, capsys):
    note_renamed.cache_clear()
    path, record = tmp_path / "pareto.csv", report.records()[0]
    write_records(path, [record])
    path.write_text(path.read_text().replace(",options,", ",knobs,", 1))
    assert read_record(path, record.point).options == record.options
    assert "note: 'knobs' is called 'options' now" in capsys.readouterr().err
    stored = report.pareto[0].evaluation.to_dict()
    assert Evaluation.from_dict({**stored, "knobs": stored.pop("options")}) == report.pareto[0].evaluation


def test_a_row_that_was_changed_is_told(report):
    record = report.records()[0]
    wrong = replace(record, figures={**record.figures, "cycles": record.figures["cycles"] + 1})
    with pytest.raises(EnginesDisagreeError) as refusal:
        rebuild(wrong, report.search.evaluator())
    assert "cycles" in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "code"), [("", "no-such-point"), ("point\n7\n", "bad-point"), ("point,options\n7,{}\n", "bad-point")]
)
def test_a_file_without_points_is_refused(tmp_path, text, code):
    path = tmp_path / "pareto.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refusal:
        read_record(path, 7)
    assert refusal.value.code == code


def test_rows_say_what_they_are(report, tmp_path):
    rows = list(report.rows())
    assert all(row.unit and row.kind for row in rows)
    simulated = next(row for row in rows if row.metric.startswith("cycles [point"))
    assert (simulated.kind, simulated.engine, simulated.unit) == ("simulated", "maxplus", "cycles")
    report.write_points(tmp_path / "points.csv")
    assert len((tmp_path / "points.csv").read_text().splitlines()) == 1 + len(report.tried)
    assert sum(report.counts.values()) == len(report.tried)


def test_the_ablation_has_every_way_at_one_budget(report):
    assert {each.way for each in report.ablated} > set(HIDA_WAYS)
    assert len({each.budget_percent for each in report.ablated}) == 1


def test_records_name_all_that_a_design_depends_on(report):
    record = report.records()[0]
    assert isinstance(record, Record)
    assert record.options.lanes
    assert set(record.target) == {
        "model", "phase", "tokens", "context", "batch", "board", "precision", "layers", "launch_us",
    }  # fmt: skip
