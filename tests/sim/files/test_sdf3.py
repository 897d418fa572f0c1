"""SDF3's XML: classic graphs with known throughput, cyclo-static sequences, and hostile files."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.sim import Actor, load, simulate
from sttest.sim.throughput import NEVER_FULL

CLASSICS = Path(__file__).parents[2] / "data" / "sdf3"


def document(body: str, kind: str = "sdf", head: str = '<?xml version="1.0"?>') -> str:
    return f'{head}<sdf3 type="{kind}"><applicationGraph name="g">{body}</applicationGraph></sdf3>'


def actor(name: str, *ports: str) -> str:
    return f'<actor name="{name}">{"".join(ports)}</actor>'


def port(name: str, side: str, rate: object = 1) -> str:
    return f'<port name="{name}" type="{side}" rate="{rate}"/>'


def channel(name: str, source: str, target: str, options: str = "") -> str:
    ends = (*source.split("."), *target.split("."))
    return '<channel name="{}" srcActor="{}" srcPort="{}" dstActor="{}" dstPort="{}" {}/>'.format(name, *ends, options)


def times(name: str, time: object = 1, options: str = 'default="true"') -> str:
    processor = f'<processor type="p" {options}><executionTime time="{time}"/></processor>'
    return f'<actorProperties actor="{name}">{processor}</actorProperties>'


def ring(rate="1", time="2", channel_options='initialTokens="1"', kind="sdf", more="") -> str:
    """One actor in a loop with itself."""
    graph = actor("a", port("o", "out", rate), port("i", "in", rate)) + channel("s", "a.o", "a.i", channel_options)
    return document(
        f'<{kind} name="g">{graph}</{kind}><{kind}Properties>{times("a", time)}{more}</{kind}Properties>', kind
    )


@pytest.fixture
def read(tmp_path):
    def written(text: str | bytes):
        path = tmp_path / "g.xml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path)

    return written


@pytest.mark.parametrize("engine", ["maxplus", "simpy"])
@pytest.mark.parametrize(("name", "cycles"), [("modem", 16), ("samplerate", 960), ("h263decoder", 332046)])
def test_classics_run_at_their_published_throughput(name, cycles, engine):
    graph = load(CLASSICS / f"{name}.xml")
    assert simulate(graph, engine).throughput == Fraction(1, cycles)
    assert simulate(graph, engine, unbounded=True).throughput == Fraction(1, cycles)


def test_channels_without_a_size_are_never_full_and_others_have_theirs(read):
    assert {fifo.depth for fifo in load(CLASSICS / "modem.xml").fifos} == {NEVER_FULL}
    sizes = '<channelProperties channel="s"><bufferSize sz="7"/><tokenSize sz="32"/></channelProperties>'
    fifo = read(ring(more=sizes)).fifos[0]
    assert (fifo.depth, fifo.bits, fifo.initial_tokens) == (7, 32, 1)


def test_a_size_that_is_to_be_filled_in_is_no_limit_and_is_said(read):
    sizes = '<channelProperties channel="s"><bufferSize sz="$B5"/></channelProperties>'
    found = simulate(read(ring(more=sizes)))
    assert found.throughput == Fraction(1, 2)
    assert found.notes == ["FIFO 's' is taken as never full: size $B5 is no number, which --depth can give"]
    assert simulate(read(ring(more=sizes)).with_depths({"s": 1})).notes == []


def test_the_last_default_processor_counts():
    """The decoder's vld has two, arm at 26018 and encoder at 13009; SDF3's trade-off was made with the latter."""
    actors = {process.name: process for process in load(CLASSICS / "h263decoder.xml").processes}
    vld = actors["vld"]
    assert isinstance(vld, Actor)
    assert vld.phases[0].time == 13009
    assert vld.firings is None


def test_cyclo_static_sequences_take_turns(read):
    """Phases of 1, 1 and 4 cycles that pass 1, 1 and 0 tokens around: 6 cycles for three firings."""
    graph = read(ring(rate="2*1,0", time="1,1,4", kind="csdf"))
    (process,) = graph.processes
    assert isinstance(process, Actor)
    assert [phase.time for phase in process.phases] == [1, 1, 4]
    assert [phase.reads["s"] for phase in process.phases] == [1, 1, 0]
    assert simulate(graph).verdict == "done"


def test_attributes_of_the_schema_are_known(read):
    """A channel's ``size`` is that of a token, as Kiter writes it, unless its properties say another one."""
    network = 'initialTokens="1" size="9" nrConnections="2" inBandwidth="1.5" outBandwidth="0.25"'
    assert read(ring(channel_options=network)).fifos[0].bits == 9
    sizes = '<channelProperties channel="s"><tokenSize sz="32"/></channelProperties>'
    assert read(ring(channel_options=network, more=sizes)).fifos[0].bits == 32
    assert read(ring(rate="1.0", time="2.00").replace("<actor ", '<actor size="3" ')) == read(ring())


def test_a_cyclo_static_graph_in_an_element_sdf(read):
    text = ring(rate="2*1,0", time="1,1,4", kind="sdf").replace('<sdf3 type="sdf">', '<sdf3 type="csdf">')
    assert read(text) == read(ring(rate="2*1,0", time="1,1,4", kind="csdf"))
    assert read(text.replace("<sdf3 ", '<sdf3 xmlns="uri:own" ')) == read(text)


def test_initial_phases_come_once_and_before_a_semicolon(read):
    """In the ring, 3 cycles once and then 2 and 5 for ever: two firings in 7 cycles."""
    graph = read(ring(rate="1;1,1", time="3;2,5", kind="csdf"))
    (process,) = graph.processes
    assert isinstance(process, Actor)
    assert [phase.time for phase in process.initial_phases] == [3]
    assert [phase.time for phase in process.phases] == [2, 5]
    for engine in ("maxplus", "simpy"):
        assert simulate(graph, engine).throughput == Fraction(1, 7)


def test_initial_phases_put_tokens_that_nothing_else_does(read):
    """Without the first token of a's initial phase, a and b wait for each other."""

    def pair(first: str) -> str:
        ports = (
            actor("a", port("o", "out", f"{first};1"), port("i", "in", "0;1")),
            actor("b", port("i", "in"), port("o", "out")),
        )
        channels = channel("c", "a.o", "b.i") + channel("d", "b.o", "a.i")
        return document(
            f"<csdf>{''.join(ports)}{channels}</csdf>"
            f"<csdfProperties>{times('a', '4;2')}{times('b', 3)}</csdfProperties>",
            "csdf",
        )

    assert simulate(read(pair("1"))).throughput == Fraction(1, 5)
    assert simulate(read(pair("0"))).verdict == "deadlock"
    with pytest.raises(InputError, match="its sequences have 0, 1, 1 initial phases, not as many"):
        read(pair("1").replace('time="4;2"', 'time="2"'))


def test_initial_phases_that_take_what_others_have_yet_to_put(read):
    """b takes 3 tokens before its first round, for which a fires ahead of their balance: no deadlock."""
    ports = actor("a", port("o", "out"), port("i", "in")), actor("b", port("i", "in", "3;1"), port("o", "out", "4;1"))
    channels = channel("c", "a.o", "b.i") + channel("d", "b.o", "a.i", 'initialTokens="3"')
    own = f"<csdfProperties>{times('a', 2)}{times('b', '1;3')}</csdfProperties>"
    found = simulate(read(document(f"<csdf>{''.join(ports)}{channels}</csdf>{own}", "csdf")))
    assert (found.verdict, found.deadlock) == ("done", None)
    less = document(
        f"<csdf>{''.join(ports)}{channels}</csdf>{own}".replace('initialTokens="3"', 'initialTokens="2"'), "csdf"
    )
    assert simulate(read(less)).verdict == "deadlock"


ENTITY = '<?xml version="1.0"?><!DOCTYPE sdf3 [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
EXTERNAL = '<?xml version="1.0"?><!DOCTYPE sdf3 SYSTEM "file:///etc/passwd">'
TWO = actor("a", port("o", "out")) + actor("b", port("i", "in"))
SIZE_7 = '<channelProperties channel="s"><bufferSize sz="7"/></channelProperties>'
PROPERTIES = f"<sdfProperties>{times('a')}{times('b')}</sdfProperties>"


def two(channels: str, actors: str = TWO) -> str:
    return document(f'<sdf name="g">{actors}{channels}</sdf>{PROPERTIES}')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not well-formed XML"),
        ("<sdf3", "not well-formed XML"),
        (document("", head=ENTITY), "has a DOCTYPE"),
        (document("", head=EXTERNAL), "has a DOCTYPE"),
        ("<x>" * 50, "nested more than 40 deep"),
        ("<x/>", "outermost element is 'x'"),
        (document("", "fsmsadf"), "type 'fsmsadf'; only sdf and csdf"),
        ('<sdf3 type="sadf" xmlns="uri:sadf"><sadf/></sdf3>', "type 'sadf'; only sdf and csdf"),
        (document(""), "0 elements 'sdf'"),
        (two('<chanel name="c"/>'), "unknown element 'chanel' in 'sdf'; did you mean 'channel'"),
        (two(channel("c", "a.o", "b.i", 'initialtokens="1"')), "unknown attribute 'initialtokens' of a channel"),
        (two(channel("c", "a.o", "b.i", 'initialTokens="-1"')), "initialTokens is '-1', not a whole number"),
        (two(channel("c", "a.o", "b.i", f'initialTokens="{"9" * 400}"')), "not a whole number"),
        (two(channel("c", "x.o", "b.i")), "no actor 'x'"),
        (two(channel("c", "a.p", "b.i")), "no port 'p'"),
        (two(channel("c", "b.i", "a.o")), "port 'b.i' is not of type out"),
        (two(channel("c", "a.o", "b.i") + channel("d", "a.o", "b.i")), "port 'a.o' has two channels, 'c' and 'd'"),
        (two(channel("c", "a.o", "b.i") * 2), "two channel elements are called 'c'"),
        (two(""), "port 'a.o': no channel is connected"),
        (two("", actor("a") * 2), "two actor elements are called 'a'"),
        (two("", actor("a", port("o", "both")) + actor("b")), "type is 'both', neither in nor out"),
        (two("", actor("a", '<port name="o" type="out"/>') + actor("b")), "attribute 'rate' is missing"),
        (two("", actor("a")), "actorProperties of 'b', which is no actor"),
        (document(f'<sdf name="g">{actor("a")}</sdf>'), "actor 'a': no execution time"),
        (ring(time="x"), "number is 'x', not a whole number"),
        (ring(rate="1,1", time="1,1,1", kind="csdf"), "which don't fit together"),
        (ring(rate="9999999999*1", kind="csdf"), "repetition is 9999999999, at most"),
        (ring(channel_options='initialTokens="9"', more=SIZE_7), "initial_tokens is 9, at most 7"),
        (b"\xff\xfe\x00", "not well-formed XML"),
    ],
)
def test_refused_in_one_line(text, said, read):
    with pytest.raises(InputError) as refused:
        read(text)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_large_file_is_not_even_read(tmp_path, monkeypatch):
    monkeypatch.setattr("sttest.core.files.MAX_XML_BYTES", 100)
    path = tmp_path / "g.xml"
    path.write_text(ring())
    with pytest.raises(InputError, match=r"too large .*bound 100 bytes"):
        load(path)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1500), st.binary(max_size=12), st.integers(0, 40))
def test_damaged_files_are_refused_or_read(tmp_path_factory, place, inserted, cut):
    """Whatever is done to a file, there is a graph or one clear error."""
    data = (CLASSICS / "samplerate.xml").read_bytes()
    path = tmp_path_factory.mktemp("damaged") / "g.xml"
    path.write_bytes(data[:place] + inserted + data[place + cut :])
    said = ""
    try:
        load(path)
    except InputError as error:
        said = str(error)
    assert "\n" not in said
