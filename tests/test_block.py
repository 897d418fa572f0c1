BLOCK = "../designs/block.json"  # a timed graph or a design package, relative to this file


def test_it_completes(timed_graph, assert_completes):
    assert_completes(timed_graph(BLOCK))


def test_the_residual_fifo_has_to_hold_a_row(timed_graph, assert_deadlocks):
    shallow = timed_graph(BLOCK).with_depths({"residual": 31})
    assert_deadlocks(shallow, cycle={"load", "add", "norm"}, fix={"residual": 32})


def test_cycles(timed_graph, assert_cycles):
    assert_cycles(timed_graph(BLOCK), golden="block", rel=0.01)
