"""Files just beyond each limit of docs/reference/limits.md, refused by name before they take memory or time."""

import io
import json
import time
import zipfile

import numpy as np
import pytest

from sttest.boards.load import load_board
from sttest.core.errors import MAX_SHOWN_CHARS, InputError, did_you_mean
from sttest.core.files import nesting
from sttest.sim import Actor, ActorPhase, Pipeline, TimedGraph, load, simulate
from sttest.sim import graph as checks
from sttest.sim import graph_json as traces

TOO_LONG_S = 20.0


@pytest.fixture
def write(tmp_path):
    """Writes a file and gives its path."""

    def write(content, name="g.json"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


def top(fifos=(), processes=(), **more):
    return {
        "schema": "sttest.timed-graph/1",
        "name": "g",
        "clock_mhz": 300,
        "fifos": list(fifos),
        "processes": list(processes),
        **more,
    }


def pipeline(name="p", **more):
    return {"name": name, "kind": "pipeline", **more}


def refused(path, code):
    """The text of the error with that code that a file gives, soon."""
    began = time.perf_counter()
    with pytest.raises(InputError) as caught:
        load(path)
    assert caught.value.code == code, str(caught.value)
    assert time.perf_counter() - began < TOO_LONG_S
    text = str(caught.value)
    assert text.replace("\n", "").isprintable()
    assert len(text) < 4 * MAX_SHOWN_CHARS
    return text


EVENT = {"fifo": "a", "op": "write", "stage": 0}
LOOP = {"trips": [1], "ii": 1, "latency": 1}
CHANNEL = {"latency": 1, "beat_bytes": 8}
PHASE = {"time": 1}
ACTOR = {"name": "x", "kind": "actor", "phases": [PHASE]}
RATES = {f"f{i}": 1 for i in range(4)}
PORT = {
    "name": "m",
    "kind": "memory",
    "op": "read",
    "fifo": "a",
    "tokens": 4,
    "token_bytes": 1 << 30,
    "channels": ["c"],
}


ONE = [{"name": "a", "depth": 1, "bits": 1}]
CHANNELS = [{"name": "c", **CHANNEL}]


@pytest.mark.parametrize(
    ("limit", "graph", "words"),
    [
        ("graph.MAX_FIFOS", top([{**ONE[0], "name": f"f{i}"} for i in range(4)], [pipeline()]), "number of FIFOs"),
        ("graph.MAX_PROCESSES", top((), [pipeline(f"p{i}") for i in range(4)]), "number of processes"),
        ("graph.MAX_CHANNELS", top((), [pipeline()], channels=CHANNELS * 4), "number of channels is"),
        ("graph.MAX_LOOPS", top((), [pipeline(loops=[LOOP] * 4)]), "loops in all"),
        ("graph.MAX_LOOP_EVENTS", top(ONE, [pipeline(loops=[{**LOOP, "events": [EVENT] * 4}])]), "events in"),
        ("graph.MAX_PHASES", top((), [{**ACTOR, "phases": [PHASE] * 4}]), "phases in all"),
        ("graph.MAX_RATES", top((), [{**ACTOR, "phases": [{**PHASE, "reads": RATES}]}]), "rates in all"),
        ("graph.MAX_ENDLESS", top((), [ACTOR] * 4), "fire for ever"),
        ("graph.MAX_LANES", top(ONE, [{**PORT, "channels": [*"cdef"]}], channels=CHANNELS), "of all ports"),
        ("graph.DEFAULT_MAX_ACCESSES", top(ONE, [{**PORT, "tokens": 3}], channels=CHANNELS), "number of bursts is"),
        ("graph.DEFAULT_MAX_ACCESSES", top((), [{**ACTOR, "firings": 4}]), "firings and bursts in all"),
    ],
)
def test_too_much_of_something(write, monkeypatch, limit, graph, words):
    monkeypatch.setattr(f"sttest.sim.{limit}", 3)
    assert words in refused(write(graph), "too-large")


def test_accesses_are_bounded_and_the_bound_can_be_moved(write, monkeypatch):
    loops = [{"trips": [1000], "ii": 1, "latency": 1, "events": [EVENT]}]
    reads = [{"trips": [1000], "ii": 1, "latency": 1, "events": [{**EVENT, "op": "read"}]}]
    graph = top([{"name": "a", "depth": 4, "bits": 8}], [pipeline("p", loops=loops), pipeline("q", loops=reads)])
    path = write(graph)
    monkeypatch.setenv(checks.MAX_ACCESSES_VARIABLE, "1999")
    assert "set STTEST_MAX_ACCESSES higher" in refused(path, "too-large")
    monkeypatch.setenv(checks.MAX_ACCESSES_VARIABLE, "2000")
    assert load(path).name == "g"
    for wrong in ("many", "-1", "1" * 13, "٣"):
        monkeypatch.setenv(checks.MAX_ACCESSES_VARIABLE, wrong)
        refused(path, "bad-limit")


def test_sizes_of_files(write):
    refused(write(b" " * (64 * 1024 * 1024 + 1)), "file-too-large")
    refused(write(b" " * (16 * 1024 * 1024 + 1), "g.xml"), "file-too-large")
    with pytest.raises(InputError, match="too large"):
        load_board(write(b"#" * (256 * 1024 + 1), "b.yaml"))


def test_nesting_of_json(write):
    deep = b'{"schema": ' + b"[" * 40 + b"]" * 40 + b"}"
    assert "more than 32 deep" in refused(write(deep), "json-nesting")
    refused(write(b"[" * 1_000_000), "json-nesting")
    refused(write(b'"' * 1_000_001), "not-json")


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("", 0),
        ("1", 0),
        ("[]", 1),
        ('{"a": [1, {}]}', 3),
        ('"[[["', 0),
        (r'["\"[[["]', 1),
        ('["\\\\", [[', 3),
        ('"[', 0),
    ],
)
def test_nesting_looks_past_strings(text, depth):
    assert nesting(text.encode()) == depth


def test_repeated_keys_are_found_soon(write):
    refused(write(b"{" + b",".join(b'"%d":1' % i for i in range(100_000)) + b',"0":2}'), "not-json")


@pytest.mark.parametrize("number", ["1" * 4000, "-" + "9" * 4299])
def test_numbers_of_thousands_of_digits(write, number):
    text = json.dumps(top([{"name": "a", "depth": 1, "bits": 1}], [pipeline()])).replace(
        '"depth": 1', f'"depth": {number}'
    )
    assert "2^" in refused(write(text.encode()), "too-small" if number[0] == "-" else "too-large")
    text = json.dumps(top((), [pipeline()])).replace("300", number)
    refused(write(text.encode()), "bad-clock")


@pytest.mark.parametrize("name", ["\x1b[31m", "a\nb", "\x9b31m", "\u202eb", "\ud800", "x" * 201, "", "\u200b"])
def test_names_that_could_steer_a_terminal(write, name):
    if name == "\ud800":  # half of a character, which is no JSON
        refused(write({**top((), [pipeline()]), "name": name}), "not-json")
        return
    refused(write({**top((), [pipeline()]), "name": name}), "bad-name")
    refused(write(top((), [pipeline(name)])), "bad-name")
    for key in ("origin", "category"):
        if name:
            word = name if len(name) < 9 else name * 11
            refused(write(top((), [pipeline(**{key: word})])), "bad-text")


def test_what_a_file_says_is_quoted_harmlessly(write):
    evil = "\x1b]0;owned\x07" + "x" * 100_000
    refused(write(top((), [pipeline(**{evil: 1})])), "unknown-key")
    refused(write(top((), [{"name": "x", "kind": evil}])), "unknown-kind")
    refused(write({**top(), "schema": evil}), "wrong-schema")
    refused(write({**top((), [pipeline(trace="t")]), "traces": evil}), "outside-folder")
    refused(
        write(top((), [{"name": "x", "kind": "actor", "phases": [{"time": 1, "reads": {evil: 1}}]}])), "unknown-fifo"
    )


def test_suggestions_stay_short_and_quick():
    began = time.perf_counter()
    assert len(did_you_mean("y" * 1_000_000, [f"x{i}" for i in range(1_000_000)])) < 1000
    assert time.perf_counter() - began < TOO_LONG_S


# Traces


def npz(members, **changes):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", changes.get("method", zipfile.ZIP_DEFLATED)) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def npy(array):
    out = io.BytesIO()
    np.lib.format.write_array(out, array)
    return out.getvalue()


TRACED = top(
    [{"name": "a", "depth": 2, "bits": 8}], [pipeline("p", trace="t"), pipeline("q", trace="u")], traces="g.npz"
)


def arrays(size):
    tick, ops = npy(np.zeros(size, np.int64)), (npy(np.zeros(size, np.int32)), npy(np.ones(size, np.int32)))
    return {"t/tick.npy": tick, "t/op.npy": ops[1], "u/tick.npy": tick, "u/op.npy": ops[0]}


def test_zip_bombs_are_seen_before_they_unpack(write, monkeypatch):
    monkeypatch.setenv(checks.MAX_ACCESSES_VARIABLE, "100000")
    monkeypatch.setattr(traces, "_array", lambda *_: pytest.fail("unpacked"))
    write(npz(arrays(60_000)), "g.npz")
    assert "its traces are too large" in refused(write(TRACED), "trace-too-large")


def test_headers_that_promise_more_than_there_is(write):
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1099511627776,), }\n"
    bad = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)
    write(npz(arrays(4) | {"t/tick.npy": bad}), "g.npz")
    assert "shorter than its header says" in refused(write(TRACED), "bad-traces")


def test_headers_that_numpy_would_warn_of(write, recwarn):
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (4L,), }\n"
    old = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)
    write(npz(arrays(4) | {"t/tick.npy": old}), "g.npz")
    refused(write(TRACED), "bad-traces")
    assert not recwarn


def test_graphs_without_fifos():
    for process, cycles in ((Pipeline("p", end=7), 7), (Actor("x", (ActorPhase(3),), 5), 3)):
        assert simulate(TimedGraph("g", 1.0, (), (process,))).cycles == cycles


def test_ticks_whose_differences_overflow(write):
    write(npz(arrays(4) | {"t/tick.npy": npy(np.array([0, 1, 2, np.iinfo(np.int64).min]))}), "g.npz")
    refused(write(TRACED), "trace-order")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_numpy_never_uses(write, method):
    write(npz(arrays(4), method=method), "g.npz")
    assert "not stored, deflated and open" in refused(write(TRACED), "bad-traces")


def test_directories_of_millions_of_members(write):
    directory = b"PK\x01\x02" + bytes(42)
    end = b"PK\x05\x06" + bytes(4) + b"\xff\xff\xff\xff" + (300_000 * 46).to_bytes(4, "little") + bytes(6)
    write(directory * 300_000 + end, "g.npz")
    assert "a directory of 13800000 bytes" in refused(write(TRACED), "bad-traces")


def test_one_trace_of_many_processes_is_read_once(write, monkeypatch):
    read = []
    monkeypatch.setattr(traces, "_array", lambda _, key: read.append(key) or np.zeros(0, np.int64))
    write(npz(arrays(1)), "g.npz")
    refused(write(top((), [pipeline(f"p{i}", trace="t") for i in range(50)], traces="g.npz")), "trace-dtype")
    assert read == ["t/tick", "t/op"]


# SDF3


def sdf(actors, channels=(), **times):
    actors_text = "".join(
        f'<actor name="{name}" type="t">'
        + "".join(f'<port name="{port}" type="{kind}" rate="{rate}"/>' for port, kind, rate in ports)
        + "</actor>"
        for name, ports in actors.items()
    )
    channels_text = "".join(
        f'<channel name="c{i}" srcActor="{a}" srcPort="{p}" dstActor="{b}" dstPort="{q}"/>'
        for i, (a, p, b, q) in enumerate(channels)
    )
    properties = "".join(
        f'<actorProperties actor="{name}"><processor type="p" default="true">'
        f'<executionTime time="{times.get(name, 1)}"/></processor></actorProperties>'
        for name in actors
    )
    graph = f'<csdf name="g" type="G">{actors_text}{channels_text}</csdf><csdfProperties>{properties}</csdfProperties>'
    return f'<sdf3 type="csdf"><applicationGraph name="g">{graph}</applicationGraph></sdf3>'.encode()


def test_repetitions_that_explode(write):
    """Every actor of a chain fires twice as often as the one before it."""
    actors = {"a0": [("o", "out", 2)]}
    actors |= {f"a{i}": [("i", "in", 1), ("o", "out", 2)] for i in range(1, 199)}
    actors["a199"] = [("i", "in", 1)]
    channels = [(f"a{i}", "o", f"a{i + 1}", "i") for i in range(199)]
    graph = load(write(sdf(actors, channels), "g.xml"))
    with pytest.raises(InputError) as caught:
        simulate(graph)
    assert caught.value.code == "rates-explode"
    actors = dict(list(actors.items())[:29]) | {"a29": [("i", "in", 1)]}
    graph = load(write(sdf(actors, channels[:29]), "g.xml"))
    with pytest.raises(InputError, match="nothing bounds the rate"):
        simulate(graph)


def test_rates_that_are_short_to_write(write):
    actors = {f"a{i}": [("i", "in", "65000*1")] for i in range(20)}
    assert "number of rates in all" in refused(write(sdf(actors), "g.xml"), "too-large")
    actors = {"a": [(f"i{i}", "in", "1") for i in range(100)], "b": [(f"o{i}", "out", "1") for i in range(100)]}
    channels = [("b", f"o{i}", "a", f"i{i}") for i in range(100)]
    assert load(write(sdf(actors, channels, a="50*1"), "g.xml")).name == "g"
    assert "number of rates in all" in refused(write(sdf(actors, channels, a="60000*1"), "g.xml"), "too-large")


@pytest.mark.parametrize(
    "document",
    [
        b'<!DOCTYPE sdf3 [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sdf3>&b;</sdf3>',
        b'<!DOCTYPE sdf3 SYSTEM "file:///etc/passwd"><sdf3/>',
        b'<!DOCTYPE sdf3 [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><sdf3/>',
        b"<!DOCTYPE sdf3 []><sdf3/>",
    ],
)
def test_documents_with_a_dtd(write, document):
    refused(write(document, "g.xml"), "xml-dtd")


def test_nesting_of_xml(write):
    refused(write(b"<a>" * 1_000_000, "g.xml"), "xml-nesting")


# Boards


@pytest.mark.parametrize(
    "value",
    [
        "2001-99-99",
        "!!int a",
        '!!int ""',
        "!!bool maybe",
        "!!timestamp x",
        "9" * 4100,
        '"\\e[31m"',
        '"\\u202e"',
        "!!python/object/apply:os.system [id]",
        "[" * 5000,
        "x" * 5000,
    ],
    ids=lambda value: value[:20],
)
def test_boards_with_values_that_only_look_like_some(write, value):
    with pytest.raises(InputError) as caught:
        load_board(write(f"extends: u55c\nname: b\ntitle: {value}\n".encode(), "b.yaml"))
    assert str(caught.value).isprintable()


def test_a_board_that_extends_a_device(write):
    with pytest.raises(InputError, match="it is a device"):
        load_board(write(b"extends: /dev/zero\n", "b.yaml"))
