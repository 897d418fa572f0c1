"""Which tests run by day, by what they took."""

from dataclasses import dataclass

import day_and_night
import pytest
from day_and_night import LONGEST_S, QUICK_CASE_S, QUICK_FILE_S, long_files, nightly, record, recorded

SHORT, LONG = QUICK_CASE_S / 2, LONGEST_S * 2
BETWEEN = (QUICK_CASE_S + LONGEST_S) / 2


@dataclass(frozen=True)
class Item:
    """A test that was collected, as far as it is looked at."""

    nodeid: str
    marks: tuple[str, ...] = ()

    def get_closest_marker(self, name):
        return name if name in self.marks else None


def at_night(seconds, *marks):
    return {item.nodeid for item in nightly([Item(name, marks) for name in seconds], seconds)}


def test_what_is_quick_runs_by_day_and_of_others_the_quickest_case():
    assert at_night({"a.py::one[x]": SHORT, "a.py::one[y]": BETWEEN, "a.py::one[z]": LONG}) == {
        "a.py::one[y]",
        "a.py::one[z]",
    }
    assert at_night({"a.py::two[x]": BETWEEN, "a.py::two[y]": LONG}) == {"a.py::two[y]"}
    assert at_night({"a.py::three": BETWEEN}) == set()


def test_what_has_no_quick_case_is_for_the_night_unless_it_guards_a_room():
    seconds = {"a.py::one[x]": LONG, "a.py::one[y]": 2 * LONG}
    assert at_night(seconds) == {*seconds}
    assert at_night(seconds, "daily") == {"a.py::one[y]"}


def test_a_test_without_a_record_runs_by_day():
    assert [*nightly([Item("a.py::new")], {})] == []


def test_a_quick_run_counts_what_runs_by_day():
    seconds = {"a.py::one": QUICK_FILE_S, "a.py": 0.6, "b.py::one": QUICK_FILE_S, "c.py::night": 2 * QUICK_FILE_S}
    items = [Item("a.py::one"), Item("b.py::one"), Item("c.py::night", ("nightly",))]
    assert long_files(items, seconds) == {"a.py"}


def test_a_record_keeps_what_was_skipped_and_adds_up_what_is_short(tmp_path, monkeypatch):
    monkeypatch.setattr(day_and_night, "RECORD", tmp_path / "durations.csv")
    day_and_night.RECORD.write_text("name,seconds\na.py::night,70.0\na.py::gone,9.0\n")
    record({"a.py::one": 2.04, "a.py::two": 0.4, "a.py::three": 0.3}, {"a.py::night"})
    assert recorded() == pytest.approx({"a.py": 0.7, "a.py::night": 70.0, "a.py::one": 2.0})
