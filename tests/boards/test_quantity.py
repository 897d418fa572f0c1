import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sttest.boards.part import Count, GigabytesPerSecond, Quantity


def quantity(value: object = 14.375, unit: str = "GB/s", source: str = "AMD UG1393", kind: str = "datasheet") -> dict:
    return {"value": value, "unit": unit, "source": source, "kind": kind}


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (14.375, "GB/s", "14.375 GB/s (datasheet)"),
        (1303680, "count", "1,303,680 (datasheet)"),
        (0.9, "ratio", "0.9 (datasheet)"),
        (536870912, "bytes", "536,870,912 bytes (datasheet)"),
    ],
)
def test_short_rendering(value, unit, shown):
    assert str(Quantity.model_validate(quantity(value, unit))) == shown


@pytest.mark.parametrize("value", [-1, -0.001, math.nan, math.inf, True, "3", None, [3]])
def test_refuses_values_that_are_no_amounts(value):
    with pytest.raises(ValidationError):
        Quantity.model_validate(quantity(value))


@pytest.mark.parametrize("field", ["value", "unit", "source", "kind"])
def test_all_four_parts_are_needed(field):
    data = quantity()
    del data[field]
    with pytest.raises(ValidationError, match=field):
        Quantity.model_validate(data)


@pytest.mark.parametrize("change", [{"kind": "guessed"}, {"unit": ""}, {"source": ""}, {"note": "extra"}])
def test_refuses_bad_provenance(change):
    with pytest.raises(ValidationError):
        Quantity.model_validate(quantity() | change)


def test_is_frozen():
    with pytest.raises(ValidationError):
        Quantity.model_validate(quantity()).value = 1.0


def test_fields_check_their_unit():
    with pytest.raises(ValidationError, match="unit 'MB/s' where 'GB/s' is expected"):
        TypeAdapter(GigabytesPerSecond).validate_python(quantity(unit="MB/s"))


@pytest.mark.parametrize("value", [0, 2.5])
def test_counts_are_whole_and_positive(value):
    with pytest.raises(ValidationError):
        TypeAdapter(Count).validate_python(quantity(value, "count"))


@given(st.floats(min_value=0, allow_infinity=False))
def test_round_trip_keeps_the_value_exactly(value):
    once = Quantity.model_validate(quantity(value))
    assert Quantity.model_validate_json(once.model_dump_json()) == once
