"""The JSON schema: round trips, and refusals that say what to do."""

import json
import pickle
import zipfile
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, memory_graphs, pipeline_graphs

from sttest.core.errors import InputError
from sttest.core.files import STANDARD_INPUT
from sttest.sim import Actor, ActorPhase, Channel, Fifo, MemoryPort, TimedGraph, load, simulate, write_timed_graph
from sttest.sim.graph_json import parse_timed_graph

TWO = {
    "schema": "sttest.timed-graph/1",
    "name": "two",
    "clock_mhz": 300.0,
    "fifos": [{"name": "a", "depth": 2, "bits": 32, "impl": "auto", "initial_tokens": 0}],
    "processes": [
        {
            "name": "src",
            "kind": "pipeline",
            "start": 0,
            "loops": [
                {
                    "trips": [4, 8],
                    "ii": 1,
                    "latency": 3,
                    "entry_gap": 2,
                    "events": [{"fifo": "a", "op": "write", "stage": 2, "when": [None, 0]}],
                }
            ],
        },
        {"name": "dst", "kind": "pipeline", "trace": "dst", "end": 40},
    ],
    "traces": "two.npz",
}


@pytest.fixture
def two(tmp_path):
    """Writes the example of the documentation, changed by a function, and gives its path."""

    def write(change=lambda data: None):
        data = json.loads(json.dumps(TWO))
        change(data)
        np.savez(tmp_path / "two.npz", **{"dst/tick": np.arange(4) * 8, "dst/op": np.zeros(4, np.int32)})
        path = tmp_path / "two.json"
        path.write_text(json.dumps(data))
        return path

    return write


def test_the_documented_example(two):
    """src writes at 2, 10, 18, 26; dst reads one later and ends 16 stages after its last read."""
    result = simulate(load(two()), "simpy", record=True)
    assert result.write_times["a"].tolist() == [2, 10, 18, 26]
    assert result.read_times["a"].tolist() == [3, 11, 19, 27]
    assert result.cycles == 27 + 40 - 24


@settings(max_examples=60, deadline=None)
@given(st.one_of(pipeline_graphs(), memory_graphs()))
def test_round_trip(tmp_path_factory, design):
    path = tmp_path_factory.mktemp("graph") / "g.json"
    write_timed_graph(design, path)
    assert load(path) == design


@pytest.mark.parametrize("design", ["220_dsps_opt5_atax", "mlps_opt5_resmlp"])
def test_round_trip_of_traces(tmp_path, design):
    graph = load(STREAMHLS / f"{design}.json")
    write_timed_graph(graph, tmp_path / "g.json")
    assert load(tmp_path / "g.json") == graph


def test_round_trip_of_actors(tmp_path):
    phases = (ActorPhase(2, {"a": 1}, {"b": 2}), ActorPhase(0, {"a": 3}, {}))
    actors = (
        Actor("x", phases, origin="tile", category="compute"),
        Actor("y", (ActorPhase(1, {"b": 1}, {"a": 2}),), 7),
    )
    graph = TimedGraph("g", 1.5, (Fifo("a", 9, 1, "ram", 4, "q"), Fifo("b", 3, 1)), actors)
    write_timed_graph(graph, tmp_path / "g.json")
    assert load(tmp_path / "g.json") == graph


MEMORY = {
    "schema": "sttest.timed-graph/1",
    "name": "memory",
    "clock_mhz": 300.0,
    "fifos": [{"name": name, "depth": 4, "bits": 32} for name in "ab"],
    "processes": [
        {
            "name": "in", "kind": "memory", "op": "read", "fifo": "a", "tokens": 8, "token_bytes": 4,
            "channels": ["c", "d"], "pattern": "random", "ids": "many",
        },
        {
            "name": "out", "kind": "memory", "op": "write", "fifo": "b", "tokens": 8, "token_bytes": 4,
            "channels": ["e"], "burst_bytes": 8, "gap": 3, "early": True,
        },
        {
            "name": "p", "kind": "pipeline",
            "loops": [{"trips": [8], "ii": 1, "latency": 1, "events": [
                {"fifo": "a", "op": "read", "stage": 0}, {"fifo": "b", "op": "write", "stage": 0},
            ]}],
        },
    ],
    "channels": [
        {
            "name": "c", "latency": 9, "beat_bytes": 4, "beats_num": 4, "beats_den": 5, "write_den": 6,
            "busy_latency": 19, "response": 7, "busy_response": 17, "random_bytes": 8, "random_short": 3,
            "random_long": 30, "id_wait": 2, "read_turns": 5, "write_turns": 4,
        },
        {"name": "d", "latency": 9, "beat_bytes": 4},
        {"name": "e", "latency": 9, "beat_bytes": 4},
    ],
}  # fmt: skip
"""A graph in which every field of a port and of a channel stands."""


def test_every_field_of_memory_is_read_and_written(tmp_path):
    """What stands in a file is in the graph, and comes back; what does not is as it is by default, and stays away."""
    path = tmp_path / "g.json"
    path.write_text(json.dumps(MEMORY))
    design = load(path)
    scattered, gapped, _ = design.processes
    assert isinstance(scattered, MemoryPort)
    assert isinstance(gapped, MemoryPort)
    assert (scattered.pattern, scattered.ids, scattered.gap, scattered.early) == ("random", "many", 0, False)
    assert (gapped.pattern, gapped.ids, gapped.gap, gapped.early) == ("sequential", "one", 3, True)
    assert design.channels[0] == Channel("c", 9, 4, 4, 5, 6, 19, 7, 17, 8, 3, 30, 2, 5, 4)
    assert design.channels[1] == Channel("d", 9, 4)
    write_timed_graph(design, path)
    again = json.loads(path.read_text())
    assert {name: again[name] for name in ("processes", "channels")} == {
        name: MEMORY[name] for name in ("processes", "channels")
    }
    assert {*MEMORY["channels"][0]} == {field.name for field in fields(Channel)}
    assert load(path) == design


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("processes", 1, "early"), 1, "early: input should be a valid boolean, given 1"),
        (("processes", 1, "gap"), "3", "gap: input should be a valid integer, given '3'"),
        (("processes", 0, "ids"), 2, "ids: input should be a valid string, given 2"),
        (("processes", 0, "id"), "many", "unknown key 'id'; did you mean 'ids'?"),
        (("processes", 0, "pattern"), "rand", "unknown pattern 'rand'"),
        (("processes", 0, "gap"), 1, "'gap' is of ports that write; leave it out"),
        (("processes", 0, "channels"), ["c", "d", "c"], "channel 'c' is listed twice"),
        (("channels", 0, "busy_latency"), 8, "busy_latency is 8, at least 9 is needed"),
        (("channels", 0, "write_den"), 0.5, "write_den: input should be a valid integer, given 0.5"),
        (("channels", 0, "read_turn"), 2, "unknown key 'read_turn'; did you mean 'read_turns'?"),
    ],
)
def test_refusals_of_memory(tmp_path, path, value, message):
    data = json.loads(json.dumps(MEMORY))
    at(path, value)(data)
    (tmp_path / "g.json").write_text(json.dumps(data))
    with pytest.raises(InputError) as caught:
        load(tmp_path / "g.json")
    assert message in str(caught.value)


def at(path, value):
    """A change of one value, by its path in the data; None removes it."""

    def change(data):
        for key in path[:-1]:
            data = data[key]
        if value is REMOVED:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


REMOVED = object()
EVENT = ("processes", 0, "loops", 0, "events", 0)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("fifos", 0, "dpeth"), 3, "unknown key 'dpeth'; did you mean 'depth'?"),
        (("channel",), [], "unknown key 'channel'; did you mean 'channels'?"),
        (("processes", 0, "loops", 0, "iii"), 1, "did you mean 'ii'?"),
        ((*EVENT, "stages"), 1, "did you mean 'stage'?"),
        (("processes", 0, "kind"), "pipelin", "unknown kind 'pipelin'; did you mean 'pipeline'?"),
        (("processes", 0, "firings"), 3, "unknown key 'firings'"),
        (("processes", 0, "kind"), REMOVED, "key 'kind' is missing"),
        (("schema",), "sttest.timed-graph/9", "not 'sttest.timed-graph/1'"),
        (("name",), REMOVED, "key 'name' is missing"),
        (("fifos",), {}, "fifos: input should be a valid array"),
        (("fifos", 0), 3, "fifos[0]: input should be an object, given 3"),
        (("fifos", 0, "depth"), "2", "fifos[0].depth: input should be a valid integer, given '2'"),
        (("fifos", 0, "depth"), 2.5, "fifos[0].depth: input should be a valid integer, given 2.5"),
        (("fifos", 0, "depth"), True, "fifos[0].depth: input should be a valid integer, given True"),
        (("fifos", 0, "depth"), 0, "depth is 0, at least 1 is needed"),
        (("fifos", 0, "depth"), -4, "depth is -4, at least 1 is needed"),
        (("fifos", 0, "depth"), 10**30, "at most"),
        (("fifos", 0, "impl"), "rom", "unknown impl 'rom'; did you mean 'ram'?"),
        (("fifos", 0, "initial_tokens"), 3, "initial_tokens is 3, at most 2 is possible"),
        ((*EVENT, "fifo"), "aa", "no FIFO 'aa'; did you mean 'a'?"),
        ((*EVENT, "op"), "wirte", "unknown op 'wirte'; did you mean 'write'?"),
        ((*EVENT, "op"), "read", "FIFO 'a': two readers, 'src' and 'dst'"),
        ((*EVENT, "stage"), 3, "stage is 3, at most 2 is possible"),
        ((*EVENT, "tokens"), 0, "tokens is 0, at least 1 is needed"),
        ((*EVENT, "when"), [None], "when has 1 entries for 2 loop dims"),
        ((*EVENT, "when"), [None, 8], "index of when is 8, at most 7 is possible"),
        ((*EVENT, "when"), [None, [0, 3]], "when[1]: is not one of int, tuple[int, int, int], given [0, 3]"),
        ((*EVENT, "when"), [None, [5, 3, 1]], "first index of when is 5, at most 3 is possible"),
        (("processes", 0, "loops", 0, "trips"), [4, 0], "trip count is 0, at least 1 is needed"),
        (("processes", 0, "loops", 0, "trips"), [1 << 40, 1 << 40], "length in stages is"),
        (("processes", 0, "loops", 0, "trips"), [1 << 28, 8], "number of FIFO accesses in one run is"),
        (("processes", 0, "loops", 0, "ii"), 0, "ii is 0, at least 1 is needed"),
        (("processes", 0, "loops", 0, "latency"), 0, "latency is 0, at least 1 is needed"),
        (("processes", 0, "repeat"), 1 << 60, "repeat is"),
        (("processes", 0, "repeat"), 1 << 30, "number of FIFO accesses in all is"),
        (("processes", 0, "end"), 3, "end is 3 but its loops run to 34"),
        (("processes", 1, "end"), 3, "end is 3 but its trace runs to stage 24"),
        (("processes", 1, "name"), "src", "two process entries are called 'src'"),
        (("processes", 1, "trace"), "dts", "no array 'dts/tick'"),
        (("processes",), [], "no processes"),
        (("clock_mhz",), 0, "clock_mhz is 0"),
        (("traces",), "../two.npz", "not a file in the graph's folder"),
        (("traces",), "/etc/passwd", "not a file in the graph's folder"),
        (("traces",), "three.npz", "the traces file 'three.npz' is missing"),
        (("traces",), REMOVED, "there is no key 'traces'"),
    ],
)
def test_refusals(two, path, value, message):
    with pytest.raises(InputError) as caught:
        load(two(at(path, value)))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "neither JSON nor XML"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"name": NaN}', "NaN is not a number in JSON"),
        ('{"name": "a", "name": "b"}', "key 'name' stands twice in one object"),
        ("[]", "expected an object, found list"),
    ],
)
def test_what_is_not_json(tmp_path, text, message):
    path = tmp_path / "g.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load(path)


def test_what_is_not_text(tmp_path):
    path = tmp_path / "g.json"
    path.write_bytes(b'{"name": "\xff\xfe"}')
    with pytest.raises(InputError, match="not UTF-8"):
        load(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"dst/tick": np.arange(4), "dst/op": np.zeros(3, np.int32)}, "both must be lists of one length"),
        ({"dst/tick": np.arange(4.0), "dst/op": np.zeros(4, np.int32)}, "tick is float64"),
        ({"dst/tick": np.arange(4)[::-1], "dst/op": np.zeros(4, np.int32)}, "ticks fall"),
        ({"dst/tick": np.arange(4) - 2, "dst/op": np.zeros(4, np.int32)}, "start below 0"),
        ({"dst/tick": np.arange(4), "dst/op": np.full(4, 2, np.int32)}, "op 2 names no FIFO"),
        ({"dst/tick": np.arange(4)}, "no array 'dst/op'"),
    ],
)
def test_refusals_of_traces(two, tmp_path, arrays, message):
    path = two()
    np.savez(tmp_path / "two.npz", **arrays)
    with pytest.raises(InputError, match=message):
        load(path)


def test_pickles_are_not_loaded(two, tmp_path):
    path = two()
    with zipfile.ZipFile(tmp_path / "two.npz", "w") as archive:
        archive.writestr("dst/tick.npy", pickle.dumps("tick"))
        archive.writestr("dst/op.npy", pickle.dumps("op"))
    with pytest.raises(InputError, match=r"two\.npz"):
        load(path)


def test_a_damaged_archive(two, tmp_path):
    path = two()
    content = (tmp_path / "two.npz").read_bytes()
    (tmp_path / "two.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="not a readable"):
        load(path)


def test_a_link_out_of_the_folder_is_refused(two, tmp_path):
    path = two()
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "two.json").write_text(path.read_text())
    (inner / "two.npz").symlink_to(tmp_path / "two.npz")
    with pytest.raises(InputError, match="not a file in the graph's folder"):
        load(inner / "two.json")


def test_standard_input_has_no_file_beside_it(two):
    data = two().read_bytes()
    with pytest.raises(InputError, match=r"traces are in 'two\.npz', a file beside it, which standard input") as caught:
        parse_timed_graph(data, STANDARD_INPUT)
    assert caught.value.code == "missing-file"
    assert str(caught.value).endswith("; name the graph's file instead")


def test_a_folder_is_no_graph(tmp_path):
    with pytest.raises(InputError, match="a folder, not a file"):
        load(tmp_path)


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        load(tmp_path / "nothing.json")
