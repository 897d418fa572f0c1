import csv
from pathlib import Path

STREAMHLS = Path(__file__).parents[1] / "data" / "streamhls"


def streamhls_rows() -> list[dict[str, str]]:
    with (STREAMHLS / "expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))
