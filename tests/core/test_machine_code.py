"""Compiled functions work where numba may keep nothing, as in a read-only installation for a user without a home."""

import pytest

from sttest.core import machine_code


def double(number):
    return 2 * number


@pytest.fixture(autouse=True)
def unsaid():
    machine_code._say_once.cache_clear()
    yield
    machine_code._say_once.cache_clear()


def refusing(told):
    from numba import njit

    def compiler(cache=False, **options):
        if cache:
            raise RuntimeError(told)
        return njit(**options)

    return compiler


def test_what_cannot_be_kept_is_compiled_all_the_same_and_said_once(monkeypatch, capsys):
    monkeypatch.setattr(machine_code, "_njit", refusing("cannot cache function 'double': no locator available"))
    for _ in range(2):
        assert machine_code.kept_on_disk(double)(21) == 42
    (line,) = capsys.readouterr().err.splitlines()
    assert "NUMBA_CACHE_DIR" in line


def test_other_errors_of_the_compiler_stay_errors(monkeypatch):
    monkeypatch.setattr(machine_code, "_njit", refusing("out of paper"))
    with pytest.raises(RuntimeError, match="out of paper"):
        machine_code.kept_on_disk(double)
