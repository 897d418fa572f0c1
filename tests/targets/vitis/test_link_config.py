"""``link.cfg``: what is written is read back, and what somebody broke is refused."""

import pytest

from sttest.core.errors import InputError
from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature, ScalarArgument
from sttest.targets.vitis.steps import link_config_text, read_link_config

DESIGN = DesignSignature(
    design="two",
    board="u55c",
    kernels=(
        KernelSignature(
            name="add",
            instances=("add_1", "add_2"),
            arguments=(
                BufferArgument(name="a", index=0, element="int8", bytes=64, access="read", banks=(3,)),
                BufferArgument(name="b", index=1, element="int8", bytes=64, access="write", banks=(4, 5)),
                ScalarArgument(name="n", index=2, type="int32"),
            ),
        ),
        KernelSignature(
            name="sink",
            arguments=(BufferArgument(name="x", index=0, element="int8", bytes=64, access="read", banks=(31,)),),
        ),
    ),
)
GOLDEN = """\
# title
[connectivity]
nk=add:2:add_1.add_2
nk=sink:1:sink_1
slr=add_1:SLR0
slr=add_2:SLR0
slr=sink_1:SLR0
sp=add_1.a:HBM[3]
sp=add_1.b:HBM[4:5]
sp=add_2.a:HBM[3]
sp=add_2.b:HBM[4:5]
sp=sink_1.x:HBM[31]

[clock]
defaultFreqHz=250000000

[profile]
exec=all:all
"""


def test_the_file_is_as_the_linker_wants_it():
    assert link_config_text(DESIGN, 250.0, slr=0, title="title") == GOLDEN


def test_it_is_read_back(tmp_path):
    path = tmp_path / "link.cfg"
    path.write_text(link_config_text(DESIGN, 250.0, slr=None, title="title"))
    found = read_link_config(path)
    assert found.units == {"add": ("add_1", "add_2"), "sink": ("sink_1",)}
    assert found.banks["add_2", "b"] == (4, 5)
    assert found.slrs == {}
    assert found.clock_hz == 250_000_000


def test_banks_behind_those_of_the_hbm_are_of_the_ddr(tmp_path):
    below = DESIGN.kernels[1].arguments[0].model_copy(update={"banks": (33,)})
    sink = DESIGN.kernels[1].model_copy(update={"arguments": (below,)})
    text = link_config_text(DESIGN.model_copy(update={"kernels": (sink,)}), 250.0, slr=None, title="title")
    assert "sp=sink_1.x:DDR[1]" in text
    path = tmp_path / "link.cfg"
    path.write_text(text)
    assert read_link_config(path).banks["sink_1", "x"] == (33,)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sp=add_1.a:HBM[3]", "sp=add_1.a:PLRAM[0]"),
        ("nk=sink:1:sink_1", "nk=sink"),
        ("[clock]", "[advanced]"),
        ("defaultFreqHz=250000000", "defaultFreqHz=fast"),
        ("sp=sink_1.x:HBM[31]", "nonsense"),
    ],
)
def test_what_we_do_not_write_is_refused(old, new, tmp_path):
    path = tmp_path / "link.cfg"
    path.write_text(GOLDEN.replace(old, new))
    with pytest.raises(InputError, match=r"link\.cfg"):
        read_link_config(path)
