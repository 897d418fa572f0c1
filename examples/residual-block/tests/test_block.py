"""What the residual block must do.  Run with `pytest`; `pytest --update-golden` after an intended change."""

BLOCK = "../designs/block.json"
ROW = 32


def test_it_completes(timed_graph, assert_completes):
    assert_completes(timed_graph(BLOCK))


def test_the_residual_fifo_has_to_hold_a_row(timed_graph, assert_deadlocks):
    shallow = timed_graph(BLOCK).with_depths({"residual": ROW - 1})
    assert_deadlocks(shallow, cycle={"load", "add", "norm"}, fix={"residual": ROW})


def test_cycles(timed_graph, assert_cycles):
    assert_cycles(timed_graph(BLOCK), golden="block", rel=0.01)


def test_a_deeper_residual_gains_nothing(timed_graph, simulate):
    """The norm bounds the block: it never waits for the residual."""
    graph = timed_graph(BLOCK)
    assert simulate(graph, depths={"residual": 4 * ROW}).cycles == simulate(graph).cycles


def test_both_engines_agree(timed_graph, simulate):
    graph = timed_graph(BLOCK)
    assert simulate(graph).cycles == simulate(graph, engine="simpy").cycles
