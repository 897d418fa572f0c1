"""What is kept of the programs of KernelBench that were tried."""

import csv
import re
from collections import Counter
from pathlib import Path

with Path(__file__).with_name("kernelbench.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
LEAST_DB, LEAST_SHARE = 100, 0.75


def test_none_is_wrong_and_three_of_four_are_right():
    told = Counter(row["outcome"] for row in ROWS)
    assert told["wrong"] == 0
    assert told["right"] >= LEAST_SHARE * (len(ROWS) - told["left out"])
    assert all(float(row["decibels"]) >= LEAST_DB for row in ROWS if row["outcome"] == "right")


def test_refusals_and_what_is_left_out_say_why():
    for row in ROWS:
        if row["outcome"] == "refused":
            assert re.match(r"[a-z-]+: \S", row["cause"]), row
        elif row["outcome"] != "right":
            assert row["cause"], row
