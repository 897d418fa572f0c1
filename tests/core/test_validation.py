"""Complaints of pydantic in one line: the key, what is wrong with it, and the nearest right one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sttest.core.errors import InputError
from sttest.core.validation import as_input_error, validated


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Ddr(Strict):
    kind: Literal["ddr"]
    channels: int


class Hbm(Strict):
    kind: Literal["hbm"]
    stacks: Annotated[int, Field(ge=1)]


class Quantity(Strict):
    value: float
    unit: str


@dataclass
class Corner:
    volts: float
    degrees: float = 25.0


def even(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


class Board(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "board"
    memory: Annotated[Ddr | Hbm, Field(discriminator="kind")] | None = None
    parts: tuple[Annotated[Ddr | Hbm, Field(discriminator="kind")], ...] = Field((), strict=False)
    clock: Quantity | None = None
    corners: dict[str, Corner] = {}
    lanes: int | list[int] = 1
    rows: Annotated[int, AfterValidator(even)] | Literal["all"] = 2
    sizes: list[int] = []


def complaint(data: object) -> InputError:
    with pytest.raises(InputError) as caught:
        validated(Board, data, "my.yaml")
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("data", "code", "text"),
    [
        ({"nmae": "x"}, "unknown-key", "my.yaml: nmae: unknown key 'nmae'; did you mean 'name'?"),
        (
            # an unknown key comes before all else: the other complaint may follow from it
            {"name": 3, "memroy": {}},
            "unknown-key",
            "my.yaml: memroy: unknown key 'memroy'; did you mean 'memory'?",
        ),
        ({"name": 3}, "bad-value", "my.yaml: name: input should be a valid string, given 3"),
        ({"name": None}, "bad-value", "my.yaml: name: input should be a valid string"),
        (
            {"sizes": [1, "x" * 50]},
            "bad-value",
            "my.yaml: sizes[1]: input should be a valid integer, unable to parse string as an integer, "
            f"given '{'x' * 36}...",
        ),
        (3, "bad-value", "my.yaml: input should be a mapping for Board, given 3"),
        (
            {"memory": {"kind": "dram", "channels": 1}},
            "unknown-kind",
            "my.yaml: memory: unknown kind 'dram'; choose one of ddr, hbm",
        ),
        ({"memory": {"channels": 1}}, "missing-key", "my.yaml: memory: key 'kind' is missing"),
        ({"memory": {"kind": "ddr"}}, "missing-key", "my.yaml: memory.channels: key 'channels' is missing"),
        (
            {"memory": {"kind": "hbm", "stacks": 0}},
            "bad-value",
            "my.yaml: memory.stacks: input should be greater than or equal to 1, given 0",
        ),
        (
            {"memory": {"kind": "hbm", "stakcs": 1}},
            "unknown-key",
            "my.yaml: memory.stakcs: unknown key 'stakcs'; did you mean 'stacks'?",
        ),
        (
            # only the keys of the kind that is given are known there
            {"parts": [{"kind": "ddr", "channels": 1}, {"kind": "ddr", "stacks": 2, "channels": 1}]},
            "unknown-key",
            "my.yaml: parts[1].stacks: unknown key 'stacks'; choose one of channels, kind",
        ),
        (
            {"clock": 300},
            "bad-value",
            "my.yaml: clock: input should be a mapping for Quantity, given 300; "
            "write {value: …, unit: …, source: …, kind: …}",
        ),
        (
            {"corners": {"slow": {"volts": 0.7, "degres": 85.0}}},
            "unknown-key",
            "my.yaml: corners.slow.degres: unknown key 'degres'; did you mean 'degrees'?",
        ),
        ({"corners": {"slow": {}}}, "missing-key", "my.yaml: corners.slow.volts: key 'volts' is missing"),
        ({"lanes": "all"}, "bad-value", "my.yaml: lanes: is not one of int, list[int], given 'all'"),
        ({"lanes": [1, "x"]}, "bad-value", "my.yaml: lanes: is not one of int, list[int], given [1, 'x']"),
        ({"rows": 3}, "bad-value", "my.yaml: rows: 3 is odd"),
    ],
)
def test_the_first_complaint_names_its_key(data: object, code: str, text: str) -> None:
    error = complaint(data)
    assert (error.code, str(error)) == (code, text)


def test_what_is_right_is_a_model() -> None:
    board = validated(Board, {"memory": {"kind": "hbm", "stacks": 2}, "corners": {"slow": {"volts": 0.7}}}, "my.yaml")
    assert (board.memory, board.corners) == (Hbm(kind="hbm", stacks=2), {"slow": Corner(0.7, 25.0)})


def test_a_text_that_is_no_json_is_called_so() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Board).validate_json(b"{")
    error = as_input_error(caught.value, Board, None, "my.json")
    assert error.code == "not-json"
    assert str(error).startswith("my.json: not valid JSON (Invalid JSON: EOF while parsing")
