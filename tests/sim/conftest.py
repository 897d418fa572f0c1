import csv

from sim_graphs import STREAMHLS


def streamhls_rows() -> list[dict[str, str]]:
    with (STREAMHLS / "expected.csv").open(newline="") as file:
        return list(csv.DictReader(file))
