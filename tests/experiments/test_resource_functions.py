"""Functions of several loops: the tables are of the rows they describe, and all parts are charged."""

from collections.abc import Hashable, Mapping
from math import prod
from typing import Any

import pandas as pd
import pytest

from experiments.resource_functions import DATA, integer_pipelines, source_functions, storage_of
from experiments.resource_operators import report_operators
from experiments.resource_rows import pipeline_cases
from sttest.boards.resources import Resources, pipeline_resources

ARRAY: Mapping[Hashable, Any] = {
    "kind": "memory",
    "impl": "lutram",
    "banks": 1,
    "words": 16,
    "bits": 8,
    "writers": 1,
    "readers": 1,
}


@pytest.fixture(scope="module")
def rows():
    found = pd.read_csv(DATA / "processes.csv")
    return found[found.suite == "codo"]


def test_the_sources_have_the_iterations_and_products_of_the_rows(rows):
    functions = source_functions()
    assert len(functions) == len(rows)
    for row in rows.to_dict("records"):
        loops = functions[row["design"], row["module"]].loops
        if row["dtype"] != "fp32":
            assert sum(loop.operations["products"] for loop in loops) == row["src_mul"]
        if "allo" in row["design"]:
            continue
        # Line buffers are filled by loops that the iterations of the row hold, too.
        inner = max(loop.trip for loop in loops if not loop.around)
        around = [loop.trip for loop in loops if loop.around]
        assert row["trip_main"] in {inner, *(loop.trip * prod(around) for loop in loops)}


def test_a_bank_that_loops_of_a_process_share_is_chosen_for():
    alone = storage_of({**ARRAY, "loops_of_process": 1})
    assert alone == Resources(lut=9, ff=8)
    shared = storage_of({**ARRAY, "loops_of_process": 2})
    assert shared.lut - alone.lut == 4 * 9 + 2 * 9
    thrice = storage_of({**ARRAY, "loops_of_process": 3, "readers": 2, "banks": 4})
    assert thrice.lut == 4 * (9 + 4 * 9 + 2 * 14)


def test_every_second_product_of_a_sum_goes_into_a_dsp_unless_a_factor_is_of_4_bits():
    function = source_functions()["resnet18_scaling/8", "main_graph_node29"]
    library = report_operators()
    for packs, dsps in ((True, 18), (False, 0)):
        pipelines = integer_pipelines(function, packs=packs)
        assert sum(pipeline_resources(each, library).dsp for each in pipelines) == dsps
        products = [each.operators["mac8_dsp"] + each.operators["mul8_fabric"] for each in pipelines]
        assert sum(products) == 36


def test_what_surrounds_the_products_is_a_good_part_of_a_convolution():
    library = report_operators()
    cases = [case for case in pipeline_cases() if case.group == "CODO int8, convolutions"]
    assert len(cases) == 100
    for case in cases:
        main = max(case.pipelines, key=lambda each: sum(each.operators.values()))
        assert pipeline_resources(main, library).lut < 0.6 * case.predicted(library).lut
