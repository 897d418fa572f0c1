"""Broken hardware is found out: by its own assertions, and by the comparison, each naming the place."""

import pytest
from rtl_graphs import needs
from sim_graphs import chain, graph, sink, source

from sttest.sim import Fifo
from sttest.targets.rtl import compare, emit
from sttest.targets.rtl.drive import build_folder

pytestmark = needs("icarus")


def broken(design, folder, file, right, wrong):
    """The graph's run after one edit of its hardware."""
    emit([design], folder)
    text = (folder / file).read_text()
    assert right in text
    (folder / file).write_text(text.replace(right, wrong))
    return build_folder(folder, "icarus").run()[0]


@pytest.mark.parametrize(
    ("kind", "file", "right", "wrong", "first"),
    [
        (
            "srl",
            "twin_srl.sv",
            "store[place] = store[place - put]",
            "store[place] = store[place]",
            "FIFO 'a': no token came where 0 was due, cycle 9",
        ),
        (
            "ram",
            "twin_ram.sv",
            "tail = tail == DEPTH - 1 ? 0 : tail + 1",
            "tail = tail == DEPTH - 1 ? 1 : tail + 1",
            "FIFO 'a': token 0 came where 4 was due, cycle 13",
        ),
    ],
)
def test_a_fifo_that_mixes_up_tokens(kind, file, right, wrong, first, tmp_path):
    design = graph([Fifo("a", 4, 8, kind)], [source("a", 12), sink("a", 12, start=9)])
    run = broken(design, tmp_path, file, right, wrong)
    assert run.violations[0].fifo == "a"
    found = compare(design, run, "simpy")
    assert str(found.first) == first


@pytest.mark.parametrize(
    ("kind", "depth", "file", "right", "wrong", "first"),
    [
        ("srl", 2, "twin_srl.sv", "assign space = DEPTH - count;", "assign space = DEPTH - count + take;", "never"),
        (
            "ram",
            3,
            "twin_ram.sv",
            "assign space = DEPTH - count;",
            "assign space = DEPTH - count - 1;",
            "FIFO 'a', write of token 2: cycle 3 in hardware, cycle 2 in the engine",
        ),
    ],
)
def test_flags_that_break_the_law(kind, depth, file, right, wrong, first, tmp_path):
    design = chain(depth, 12, kind)
    found = compare(design, broken(design, tmp_path, file, right, wrong), "simpy")
    assert (first == "never") == found.is_exact
    if found.first is not None:
        assert str(found.first) == first


def test_a_process_that_finishes_late(tmp_path):
    design = chain(2, 12, "srl")
    run = broken(design, tmp_path, "processes.sv", "stage == (last_run ? 4'd12", "stage == (last_run ? 4'd13")
    assert (
        str(compare(design, run, "simpy").first)
        == "process 'src' finishes: cycle 13 in hardware, cycle 12 in the engine"
    )
