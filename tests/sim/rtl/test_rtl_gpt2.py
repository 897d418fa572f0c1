"""GPT-2 Medium's decoder block as hardware, compiled as `sttest compile` does."""

import pytest
from rtl_graphs import check, needs

# Most of it is the C++ compiler: 17 s of CPU time each, several times that on a machine that others use too.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.usefixtures("quick_build"), needs("verilator")]


# The blocks with their values (test_rtl_values.py) are the same graphs.
@pytest.mark.nightly
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_every_access_is_the_engines(phase, tmp_path):
    from sttest.compile.compiler import compile_text
    from sttest.frontend.shipped import lowered_text

    design = compile_text(lowered_text("gpt2", phase, small=False), f"gpt2-{phase}", "u55c")
    run = check([design.graph], "verilator", tmp_path, "maxplus")[0]
    assert run.verdict == "done"
    assert run.fifo_events > 200_000
