"""TAPA graphs: a vector addition, hierarchy, arrays, detached tasks, rates and reports, damaged and hostile files."""

import json
from pathlib import Path
from typing import Any

import pytest

from sttest.core.errors import InputError
from sttest.importers.tapa import read_tapa, template, write_depths
from sttest.importers.tapa_rates import rates_template, read_rates
from sttest.sim import Pipeline, read_timed_graph, simulate, write_timed_graph

EXAMPLE = Path(__file__).parents[2] / "examples/tapa-vadd"
VADD = EXAMPLE / "graph.json"
NESTED = EXAMPLE / "nested.json"
VADD_RATES = """\
clock_mhz: 250
tasks:
  Load: {iterations: 1024, interval: 1, latency: 70, streams: {elements: 1}}
  Add: {iterations: 1024, interval: 1, latency: 8, streams: {left: 1, right: 1, sum: 1}}
  Store: {iterations: 1024, interval: 2, latency: 5, streams: {elements: 1}}
"""


def written(path: Path, text: str) -> Path:
    """A file of a text."""
    path.write_text(text)
    return path


def graph_of(path: Path, tasks: dict[str, Any], top: str = "Top") -> Path:
    """A graph in TAPA's form."""
    return written(path, json.dumps({"cflags": [], "top": top, "tasks": tasks}))


def lower(**ports: str) -> dict[str, Any]:
    """A lower-level task with ports of 32 bits."""
    entries = [{"cat": cat, "name": name, "type": "float", "width": 32} for name, cat in ports.items()]
    return {"code": "", "level": "lower", "target": "hls", "ports": entries}


def instance(**args: str) -> dict[str, Any]:
    """An instance; arguments are category and name, joined by a blank."""
    pairs = {port.replace("__", "[") + ("]" if "__" in port else ""): arg.split() for port, arg in args.items()}
    return {"step": 0, "args": {port: {"cat": cat, "arg": arg} for port, (cat, arg) in pairs.items()}}


def upper(tasks: dict[str, Any], fifos: dict[str, int | None], **ports: str) -> dict[str, Any]:
    """An upper-level task; a stream without a depth comes from above."""
    entries = {name: {} if depth is None else {"depth": depth} for name, depth in fifos.items()}
    return {**lower(**ports), "level": "upper", "tasks": tasks, "fifos": entries}


def network(tmp_path: Path) -> Path:
    """The shape of TAPA's network example: arrays of streams, and detached switches two levels down."""
    ends = {"pkt_in_q0": "istream in_q[0]", "pkt_in_q1": "istream in_q[1]"}
    switch = {**ends, "pkt_out_q__0": "ostream out_q[0]", "pkt_out_q__1": "ostream out_q[1]"}
    stage = {
        "in_q__0": "istream qs[0]", "in_q__1": "istream qs[1]", "out_q__0": "ostream qs[2]", "out_q__1": "ostream qs[3]"
    }  # fmt: skip
    detached = {**instance(**switch), "step": -1}
    tasks = {
        "Network": upper(
            {
                "Produce": [instance(out_q__0="ostream qs[0]", out_q__1="ostream qs[1]", n="scalar n")],
                "Stage": [instance(**stage)],
                "Consume": [instance(in_q__0="istream qs[2]", in_q__1="istream qs[3]")],
            },
            {f"qs[{number}]": 16 for number in range(4)},
            n="scalar",
        ),
        "Stage": upper({"Switch": [detached]}, {}, in_q="istreams", out_q="ostreams"),
        "Switch": lower(pkt_in_q0="istream", pkt_in_q1="istream", pkt_out_q="ostreams"),
        "Produce": lower(out_q="ostreams", n="scalar"),
        "Consume": lower(in_q="istreams"),
    }
    return graph_of(tmp_path / "network.json", tasks, "Network")


NETWORK_RATES = """\
tasks:
  Produce: {iterations: 100, interval: 1, latency: 4, streams: {out_q: 1}}
  Switch: {iterations: 100, interval: 1, latency: 1, streams: {pkt_in_q0: 1, pkt_in_q1: 1, pkt_out_q: 1}}
  Consume: {iterations: 100, interval: 1, latency: 2, streams: {"in_q[0]": 1, in_q: 1}}
"""


# --- A vector addition


def test_a_graph_is_simulated(tmp_path: Path) -> None:
    """Its slowest task takes two cycles a token."""
    graph = read_tapa(VADD, written(tmp_path / "rates.yaml", VADD_RATES))
    assert {fifo.name: (fifo.depth, fifo.bits) for fifo in graph.fifos} == {
        "left_AddVectors": (2, 33), "right_AddVectors": (2, 33), "sum_AddVectors": (2, 33),
    }  # fmt: skip
    assert [process.name for process in graph.processes] == ["Add_0", "Load_0", "Load_1", "Store_0"]
    assert graph.clock_mhz == 250
    # Filling the three pipelines, two FIFOs of a cycle each, and 1,023 times two cycles.
    assert simulate(graph).cycles == 69 + 1 + 7 + 1 + 1023 * 2 + 5
    assert simulate(graph, engine="simpy").cycles == simulate(graph).cycles


def test_a_level_more_changes_nothing_but_names(tmp_path: Path) -> None:
    """The same design, flattened from two levels."""
    rates = written(tmp_path / "rates.yaml", VADD_RATES)
    graph = read_tapa(NESTED, rates)
    assert simulate(graph).cycles == simulate(read_tapa(VADD, rates)).cycles
    assert "AddAndStore_0/Add_0" in [process.name for process in graph.processes]
    assert "AddAndStore_0/sum_AddAndStore" in graph.fifo_index


def test_a_graph_alone_has_no_rates() -> None:
    """All tasks are named, and where to state what they do."""
    with pytest.raises(InputError, match=r"3 of its tasks do: Add, Load, Store; fill in .*--template"):
        read_tapa(VADD)


def test_the_template_is_filled_in(tmp_path: Path) -> None:
    """It names every task and stream, and is read when each question is answered."""
    text = template(VADD)
    rates = written(tmp_path / "rates.yaml", text)
    with pytest.raises(InputError, match="given 'TODO'"):
        read_tapa(VADD, rates)
    for key, value in (("iterations", 9), ("interval", 1), ("latency", 3)):
        text = text.replace(f"{key}: TODO", f"{key}: {value}")
    graph = read_tapa(VADD, written(rates, text.replace(": TODO", ": 1")))
    assert simulate(graph).verdict == "done"


# --- There and back


def test_depths_go_back_into_the_graph(tmp_path: Path) -> None:
    """Nothing else of the file changes, and what is read again has the depths."""
    rates = written(tmp_path / "rates.yaml", VADD_RATES)
    graph = read_tapa(NESTED, rates).with_depths({"left_AddVectors": 7, "AddAndStore_0/sum_AddAndStore": 9})
    write_depths(graph, NESTED, tmp_path / "sized.json")
    assert read_tapa(tmp_path / "sized.json", rates) == graph
    before, after = json.loads(NESTED.read_text()), json.loads((tmp_path / "sized.json").read_text())
    before["tasks"]["AddVectors"]["fifos"]["left_AddVectors"]["depth"] = 7
    before["tasks"]["AddAndStore"]["fifos"]["sum_AddAndStore"]["depth"] = 9
    assert before == after


def test_depths_go_back_as_declarations(tmp_path: Path) -> None:
    """In the source, an array of streams has one depth; what does not differ is not listed."""
    rates = written(tmp_path / "rates.yaml", NETWORK_RATES)
    design = network(tmp_path)
    graph = read_tapa(design, rates).with_depths({"qs[1]": 40, "qs[2]": 4})
    write_depths(graph, design, tmp_path / "depths.txt")
    assert (tmp_path / "depths.txt").read_text() == 'Network: tapa::streams<T, 4, 40> qs("qs");  // was 16\n'
    vadd = read_tapa(VADD, written(tmp_path / "vadd.yaml", VADD_RATES))
    write_depths(vadd.with_depths({"left_AddVectors": 3}), VADD, tmp_path / "depths.txt")
    assert (tmp_path / "depths.txt").read_text() == 'AddVectors: tapa::stream<T, 3> left("left");  // was 2\n'
    write_depths(vadd, VADD, tmp_path / "depths.txt")
    assert (tmp_path / "depths.txt").read_text() == "// No depth differs from those of the design.\n"


def test_depths_of_another_design_are_refused(tmp_path: Path) -> None:
    """Streams are matched by name."""
    graph = read_tapa(VADD, written(tmp_path / "rates.yaml", VADD_RATES))
    with pytest.raises(InputError, match="no FIFO"):
        write_depths(graph, network(tmp_path), tmp_path / "sized.json")


def test_an_imported_graph_is_written_and_read(tmp_path: Path) -> None:
    """The JSON holds all of it."""
    graph = read_tapa(VADD, written(tmp_path / "rates.yaml", VADD_RATES))
    write_timed_graph(graph, tmp_path / "design.json")
    assert read_timed_graph(tmp_path / "design.json") == graph


# --- Hierarchy, arrays, detached tasks, ports of the top


def test_arrays_and_detached_tasks(tmp_path: Path) -> None:
    """An array's rate holds for its elements; what is detached ends after what is stated, and that is said."""
    notes: list[str] = []
    graph = read_tapa(network(tmp_path), written(tmp_path / "rates.yaml", NETWORK_RATES), notes=notes)
    assert [process.name for process in graph.processes] == ["Produce_0", "Stage_0/Switch_0", "Consume_0"]
    assert notes == [
        "a clock of 300 MHz: neither stated nor in a report",
        "detached tasks end after the iterations that are stated: Switch",
    ]
    assert simulate(graph).cycles == 3 + 1 + 0 + 1 + 99 + 2
    assert "pkt_out_q: TODO" in template(network(tmp_path))


def test_streams_of_the_top_get_a_source_and_a_sink(tmp_path: Path) -> None:
    """As many tokens as the tasks take and give."""
    tasks = {
        "Top": upper({"Pass": [instance(i="istream data_in", o="ostream data_out")]}, {"data_in": None, "data_out": None}, data_in="istream", data_out="ostream"),  # noqa: E501
        "Pass": lower(i="istream", o="ostream"),
    }  # fmt: skip
    rates = "tasks: {Pass: {iterations: 12, interval: 1, latency: 2, streams: {i: 1, o: {every: 4}}}}"
    graph = read_tapa(graph_of(tmp_path / "top.json", tasks), written(tmp_path / "rates.yaml", rates))
    sink = next(process for process in graph.processes if process.name == "outside data_out")
    assert isinstance(sink, Pipeline)
    assert sink.loops[0].iterations == 3
    assert simulate(graph).verdict == "done"


def residual(tmp_path: Path, depth: int) -> Path:
    """Split, a branch that collects eight tokens before it gives any, and a join."""
    tasks = {
        "Top": upper(
            {
                "Split": [instance(i="ostream near", j="ostream far")],
                "Block": [instance(i="istream far", o="ostream out")],
                "Join": [instance(a="istream near", b="istream out")],
            },
            {"near": depth, "far": 2, "out": 2},
        ),
        "Split": lower(i="ostream", j="ostream"),
        "Block": lower(i="istream", o="ostream"),
        "Join": lower(a="istream", b="istream"),
    }
    return graph_of(tmp_path / f"residual{depth}.json", tasks)


def test_a_deadlock_of_a_tapa_design(tmp_path: Path) -> None:
    """Loops one after the other: the block reads eight tokens, then writes eight."""
    rates = """\
tasks:
  Split: {iterations: 8, interval: 1, latency: 1, streams: {i: 1, j: 1}}
  Block:
    loops:
    - {iterations: 8, interval: 1, latency: 1, streams: {i: 1}}
    - {iterations: 8, interval: 1, latency: 1, streams: {o: 1}}
  Join: {iterations: 8, interval: 1, latency: 1, streams: {a: 1, b: 1}}
"""
    path = written(tmp_path / "rates.yaml", rates)
    deadlock = simulate(read_tapa(residual(tmp_path, 2), path)).deadlock
    assert deadlock is not None
    assert deadlock.fix == {"near": 8}
    assert simulate(read_tapa(residual(tmp_path, 8), path)).verdict == "done"
    assert simulate(read_tapa(residual(tmp_path, 7), path)).verdict == "deadlock"


# --- Reports


def reported(folder: Path, task: str, trips: str, around: str = "") -> None:
    """A report of one task with one loop, in the shape that Vitis HLS 2020.2 gives it."""
    folder.mkdir(exist_ok=True)
    loop = f"<Loop1><Name>Loop1</Name><Slack>1</Slack><TripCount>{trips}</TripCount><Latency>99</Latency><PipelineII>2</PipelineII><PipelineDepth>9</PipelineDepth></Loop1>"  # noqa: E501
    if around:
        loop = f"<{around}><Name>{around}</Name><TripCount>8</TripCount><Latency>792</Latency>{loop}</{around}>"
    (folder / f"{task}_csynth.xml").write_text(f"""<profile>
<ReportVersion><Version>2020.2</Version></ReportVersion>
<UserAssignments><unit>ns</unit><Part>xcu55c-fsvh2892-2L-e</Part><TopModelName>{task}</TopModelName><TargetClockPeriod>4.00</TargetClockPeriod></UserAssignments>
<PerformanceEstimates><SummaryOfTimingAnalysis><EstimatedClockPeriod>2.9</EstimatedClockPeriod></SummaryOfTimingAnalysis>
<SummaryOfOverallLatency><Worst-caseLatency>undef</Worst-caseLatency><Interval-max>undef</Interval-max></SummaryOfOverallLatency>
<SummaryOfLoopLatency>{loop}</SummaryOfLoopLatency></PerformanceEstimates>
<AreaEstimates><Resources><DSP>0</DSP><LUT>9</LUT><FF>9</FF><BRAM_18K>0</BRAM_18K><URAM>0</URAM></Resources></AreaEstimates>
</profile>""")


def test_a_work_directory_gives_what_its_reports_say(tmp_path: Path) -> None:
    """The interval, the latency and the clock; iterations only where the tool knows them."""
    work = tmp_path / "work.out"
    work.mkdir()
    (work / "graph.json").write_text(VADD.read_text())
    for task, trips in (("Add", "undef"), ("Load", "1024"), ("Store", "1024")):
        reported(work / "report", task, trips)
    line = "- {iterations: TODO, interval: 2, latency: 9, streams: {left: TODO, right: TODO, sum: TODO}}"
    assert f"Add:\n    loops:\n    {line}" in template(work)
    lines = (
        "Load: {streams: {elements: 1}}",
        "Store: {streams: {elements: 1}}",
        "Add: {streams: {left: 1, right: 1, sum: 1}}",
    )
    rates = written(tmp_path / "rates.yaml", "tasks:\n" + "".join(f"  {line}\n" for line in lines))
    with pytest.raises(InputError, match="Add_0: iterations of loop 0 stand in no report"):
        read_tapa(work, rates)
    rates.write_text(rates.read_text().replace("Add: {", "Add: {iterations: 1024, "))
    graph = read_tapa(work, rates)
    assert graph.clock_mhz == 250
    add = next(process for process in graph.processes if process.name == "Add_0")
    assert isinstance(add, Pipeline)
    assert (add.loops[0].ii, add.loops[0].latency) == (2, 9)
    assert read_tapa(work / "graph.json", rates, reports=work / "report") == graph


def test_a_loop_that_is_repeated_has_no_known_iterations(tmp_path: Path) -> None:
    """The report says how long it runs each time, not how often."""
    reported(tmp_path / "report", "Add", "64", around="Outer")
    assert "{iterations: TODO, interval: 2, latency: 9" in template(VADD, tmp_path / "report")


def test_a_report_of_other_loops_gives_nothing(tmp_path: Path) -> None:
    """What is stated whole needs none; of what is not, the two numbers of loops are named."""
    reported(tmp_path / "report", "Load", "1024")
    one = "{iterations: 512, interval: 1, latency: 70, streams: {elements: 1}}"
    text = VADD_RATES.replace(VADD_RATES.splitlines()[2].partition(": ")[2], f"{{loops: [{one}, {one}]}}")
    whole = read_tapa(VADD, written(tmp_path / "rates.yaml", text), reports=tmp_path / "report")
    (load, _) = (process for process in whole.processes if process.name.startswith("Load"))
    assert isinstance(load, Pipeline)
    assert [(loop.iterations, loop.latency) for loop in load.loops] == [(512, 70), (512, 70)]
    rates = written(tmp_path / "rates.yaml", text.replace("interval: 1, latency: 70, streams", "interval: 1, streams"))
    with pytest.raises(InputError) as caught:
        read_tapa(VADD, rates, reports=tmp_path / "report")
    assert caught.value.code == "other-loops"
    assert str(caught.value).endswith("2 loops are stated, its report has 1; state every number of its loops")


@pytest.mark.parametrize("name", ["yes", "No", "1st", "a b", "it's", "ü", "a_1", "plain"])
def test_a_name_of_a_template_is_read_as_it_is(tmp_path: Path, name: str) -> None:
    """Also one that YAML takes for something else than text."""
    rates = written(tmp_path / "rates.yaml", rates_template({name: [name]}, {}).replace("TODO", "1"))
    assert list(read_rates(rates).tasks) == [name]
    assert list(read_rates(rates).tasks[name].loops[0].streams) == [name]


# --- A lower-level task alone, and what the files leave out


def test_a_task_alone_has_its_ports_outside(tmp_path: Path) -> None:
    """A design of one task: what it reads comes, what it writes is taken."""
    design = graph_of(tmp_path / "one.json", {"Top": lower(a="istream", b="ostream", n="scalar")})
    rates = written(
        tmp_path / "rates.yaml", "tasks: {Top: {iterations: 5, interval: 2, latency: 3, streams: {a: 1, b: 1}}}"
    )
    graph = read_tapa(design, rates)
    assert {process.name for process in graph.processes} == {"Top", "outside a", "outside b"}
    assert simulate(graph).cycles == simulate(graph, engine="simpy").cycles


def test_a_stream_that_nobody_declares_has_no_width(tmp_path: Path) -> None:
    """A port may be left out at one end, not at both."""
    tasks = {
        "Top": upper({"A": [instance(o="ostream q")], "B": [instance(i="istream q")]}, {"q": 2}),
        "A": lower(o="ostream"), "B": lower(i="istream"),
    }  # fmt: skip
    rates = written(
        tmp_path / "rates.yaml",
        "tasks:\n  A: {iterations: 3, interval: 1, latency: 1, streams: {o: 1}}\n"
        "  B: {iterations: 3, interval: 1, latency: 1, streams: {i: 1}}\n",
    )
    tasks["A"]["ports"] = []
    assert read_tapa(graph_of(tmp_path / "q.json", tasks), rates).fifos[0].bits == 33
    tasks["B"]["ports"] = []
    with pytest.raises(InputError) as caught:
        read_tapa(graph_of(tmp_path / "q.json", tasks), rates)
    assert str(caught.value) == "Top: stream 'q': no task at its ends declares its width"


# --- What is refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tasks: {Load: 3}", "tasks.Load: input should be a mapping for TaskRates, given 3"),
        ("tasks: {Load: {loops: 3}}", "tasks.Load.loops"),
        ("tasks: {Load: {loops: [3]}}", r"tasks.Load.loops\[0\]"),
        ("tasks: {Load: {streams: 3}}", r"tasks.Load.*streams"),
        ("tasks: 3", "tasks: input should be a"),
        ("instances: {Load_0: {loops: [], streams: {}}}", "instances.Load_0"),
    ],
)
def test_rates_of_another_form_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """With the key and in one line, whatever stands where a mapping is expected."""
    with pytest.raises(InputError, match=message) as caught:
        read_tapa(VADD, written(tmp_path / "rates.yaml", text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Add:", "Sub:"), "no task 'Sub'"),
        (("iterations: 1024, interval: 1, latency: 8", "interval: 1, latency: 8"), "iterations of loop 0"),
        (("interval: 1, latency: 8", "interval: 0, latency: 8"), "interval"),
        (("iterations: 1024, interval: 1, latency: 8", "iterations: 9, interval: 1, latency: 8"), "writes 1024 tokens"),
        (("sum: 1", "d: 1"), "no stream 'd'"),
        ((", sum: 1", ""), "no rate is stated for sum"),
        (("sum: 1", "sum: {every: 2000}"), "no access in any of 1024"),
        (("sum: 1", "sum: {evry: 2}"), "did you mean 'every'"),
        (("clock_mhz: 250", "clock_mhz: -1"), "clock_mhz"),
        (("tasks:", "instances: {Add_7: {streams: {}}}\ntasks:"), "no instance 'Add_7'"),
        (("latency: 70", "latency: 1.5"), "latency"),
    ],
)  # fmt: skip
def test_rates_that_do_not_fit_are_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    """In one line, with the task or the stream."""
    rates = written(tmp_path / "rates.yaml", VADD_RATES.replace(*change, 1))
    with pytest.raises(InputError, match=message) as caught:
        read_tapa(VADD, rates)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ({"Other": lower()}, "no task 'Top'"),
        ({"Top": upper({"Gone": [instance()]}, {})}, "no task 'Gone'"),
        ({"Top": upper({"Top": [instance()]}, {})}, "part of itself"),
        ({"Top": upper({"A": [instance(o="ostream q")]}, {}), "A": lower(o="ostream")}, "no stream 'q'"),
        ({"Top": upper({"A": [instance(o="ostream q")]}, {"q": None}), "A": lower(o="ostream")}, "comes from nowhere"),
        ({"Top": upper({"A": [instance(o="ostream q")]}, {"q": 0}), "A": lower(o="ostream")}, "depth"),
        ({"Top": upper({"A\x1b[31m": [instance()]}, {}), "A\x1b[31m": lower()}, "printable"),
        ({"Top": {"level": 3}}, "level"),
    ],
)  # fmt: skip
def test_graphs_that_cannot_be_are_refused(tmp_path: Path, tasks: dict[str, Any], message: str) -> None:
    """In one line that a terminal takes."""
    with pytest.raises(InputError, match=message) as caught:
        template(graph_of(tmp_path / "bad.json", tasks))
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"top": 1, "tasks": {}}', '{"top": "a", "tasks": []}', "nonsense"])
def test_files_that_are_no_graph_are_refused(tmp_path: Path, text: str) -> None:
    """Whatever stands in them."""
    with pytest.raises(InputError):
        template(written(tmp_path / "bad.json", text))


def test_a_small_file_cannot_ask_for_a_giant(tmp_path: Path) -> None:
    """Ten levels of ten instances each are ten thousand million."""
    tasks: dict[str, Any] = {f"T{level}": upper({f"T{level + 1}": [instance()] * 10}, {}) for level in range(10)}
    tasks["T10"] = lower()
    with pytest.raises(InputError, match="number of instances"):
        template(graph_of(tmp_path / "giant.json", tasks, "T0"))
