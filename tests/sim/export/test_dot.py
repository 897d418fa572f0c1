"""Graphviz text: every process and FIFO once, the cycle of waits in red."""

import re
import shutil
import subprocess

import pytest
from sim_graphs import chain, graph

from sttest.sim import Fifo, load, simulate
from sttest.sim.export import to_dot
from sttest.testing.corpus import case, cases


def test_a_chain():
    text = to_dot(chain(2, initial_tokens=1))
    assert text.splitlines()[3:] == [
        '  "src" [label="src", shape=box];',
        '  "dst" [label="dst", shape=box];',
        '  "src" -> "dst" [label="a\\n2 × 8 bit, srl\\n1 tokens at the start"];',
        "}",
    ]


@pytest.mark.parametrize("name", cases())
def test_the_cycle_is_red_and_nothing_else(name):
    design = load(case(name).path)
    lines = to_dot(design, simulate(design).deadlock).splitlines()
    red = [line for line in lines if 'color="red"' in line]
    nodes = {re.match(r'  "(\w+)" \[', line)[1] for line in red if "->" not in line}
    fifos = {re.search(r'label="(\w+)', line)[1] for line in red if "->" in line}
    assert nodes == {process for process, _, _ in case(name).cycle}
    assert fifos == {fifo for _, _, fifo in case(name).cycle}
    assert 'color="red"' not in to_dot(design)


def test_names_are_quoted():
    strange = chain(2)
    text = to_dot(graph([Fifo("a", 2, 8)], strange.processes, name='g"\\x'))
    assert text.startswith('digraph "g\\"\\\\x" {')


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
@pytest.mark.parametrize("name", cases())
def test_graphviz_takes_it(name):
    design = load(case(name).path)
    text = to_dot(design, simulate(design).deadlock)
    subprocess.run(["dot", "-Tsvg"], input=text.encode(), check=True, capture_output=True, timeout=60)
