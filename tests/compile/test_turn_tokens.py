"""Tasks that take turns on one unit have the same tokens at each port, so that the unit can be emitted."""

import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources
from sttest.compile.sharing.functional_units import engines_of
from sttest.frontend.shipped import SHIPPED_MODELS, lowered_text

# Products of many lanes, and tokens that are narrow beside what some tasks take in a cycle.
OPTIONS = CompileOptions(share="all", gemv_lanes=1024, vector_bits=128)


def design(model: str) -> CompiledDesign:
    return compile_text(lowered_text(model, "decode", small=True), model, "u55c", OPTIONS)


@pytest.mark.daily
@pytest.mark.parametrize("model", SHIPPED_MODELS)
def test_a_port_of_a_unit_has_one_kind_of_token(model):
    made = design(model)
    engines = engines_of(made.module)
    assert any(len(tasks) > 1 for tasks in engines.values())
    for name, tasks in engines.items():
        for ports in zip(*([*task.sources, *task.sinks] for task in tasks), strict=True):
            assert len({df.itensor_of(port).element_shape for port in ports}) == 1, name
    assert "void" in emit_design(made, design_resources(made)).top
