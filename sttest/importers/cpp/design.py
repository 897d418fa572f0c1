"""A design for Vitis HLS from its C++: compiled, run and laid out in stages."""

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.importers.cpp.compiler import HEADERS, compile_bitcode, link, lower, preprocess, run_limited, undeclared
from sttest.importers.cpp.ir import scalar_name
from sttest.importers.cpp.layout import Layout, polls
from sttest.importers.cpp.network import NetworkMaker, NetworkRuns, ScheduleRun, read_run
from sttest.importers.cpp.rewrite import marked
from sttest.importers.cpp.verdict import verdict_of
from sttest.importers.hls.project import HlsProject, read_project
from sttest.importers.hls.reports import SynthesisReports, read_reports
from sttest.sim.graph import MIN_DEPTH, max_accesses

CLOCK_MHZ = 300.0
"""Of a design without reports."""
TASK_TOKENS = 64
"""That come from outside for tasks that run for ever, unless ``tokens`` is given."""
_STREAM = re.compile(r"\s*(?:set_directive_stream\s|syn\.directive\.stream\s*=)(.*)")
_FIFO_CHANNELS = re.compile(r"config_dataflow\b.*?-default_channel\s+fifo|\s*syn\.dataflow\.default_channel\s*=\s*fifo")
_FIFO_DEPTH = re.compile(r"(?:config_dataflow\b.*?-fifo_depth\s+|\s*syn\.dataflow\.fifo_depth\s*=\s*)(\d+)")


_Asked = tuple[Path | None, str, dict[str, str]]
_LAST: dict[Path, tuple[_Asked, NetworkRuns]] = {}
"""The design that was read last, by its path: its places and its own depths are asked for behind it."""


@dataclass
class Source:
    """The files of a design, its reports, and what its project says of streams."""

    project: HlsProject
    reports: SynthesisReports | None = None
    depths: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    default_depth: int = MIN_DEPTH

    @property
    def top(self) -> str:
        """The function that was synthesized; empty where nothing says."""
        return self.project.top or (self.reports.top if self.reports is not None else "")

    @property
    def clock_mhz(self) -> float:
        """Of the reports, else of the project, to the megahertz."""
        if self.reports is not None:
            return self.reports.clock_mhz
        return float(max(1, round(1000 / self.project.clock_ns))) if self.project.clock_ns else CLOCK_MHZ


def read_design(
    source: Path,
    reports: Path | None,
    top: str,
    values: Mapping[str, str],
    notes: list[str] | None,
    checks: list[str] | None,
) -> NetworkRuns:
    """The design at ``source``: a C++ file, or the folder of a solution or a component.

    Args:
        source: file or folder.
        reports: of its synthesis; needed by no one.
        top: the function that is the design.
        values: numbers of scalars by name; ``data`` follows the run for memory full of zeros, ``tokens`` are those
            that come from outside for tasks.
        notes: list that gets what was assumed.
        checks: list that gets what holds under which schedules.

    Raises:
        InputError: the design cannot be read, or what it does is not known without numbers that are not given.
    """
    found = find_source(source, reports)
    with tempfile.TemporaryDirectory(prefix="sttest-hls-") as name:
        try:
            network = _read(found, top or found.top, values, Path(name))
        except InputError as error:
            if not found.project.description or "symbol multiply defined" not in error.what:
                raise
            # A script that adds one or another file: the one that was named.
            found.project.units = [source.resolve()]
            network = _read(found, top or found.top, values, Path(name))
    if notes is not None:
        notes += network.notes
    if checks is not None:
        verdict = verdict_of(network)
        checks += [f"it {verdict.text}", *verdict.safe_depths()]
        if verdict.stuck:
            network = replace(network, shown=verdict.hardest)
    _LAST.clear()
    _LAST[source.resolve()] = (reports, top, dict(values)), network
    return network


def last_read(source: Path, asked: _Asked | None = None) -> NetworkRuns | None:
    """What :func:`read_design` gave last, if it was this design.

    Args:
        source: file or folder.
        asked: reports, top and numbers that it must have been read with; None for whatever it was read with.
    """
    known = _LAST.get(source.resolve())
    return known[1] if known is not None and asked in (None, known[0]) else None


def find_source(source: Path, reports: Path | None) -> Source:
    """The files of a design.

    Raises:
        InputError: there are none.
    """
    project = read_project(source, reports)
    found = Source(project, read_reports(project.reports) if project.reports is not None else None)
    for text in project.settings:
        _directives(text, found)
    return found


def _directives(text: str, found: Source) -> None:
    """Depths of streams that a project's settings say."""
    for line in text.splitlines():
        if stream := _STREAM.match(line):
            _stream_directive(stream[1].replace("depth=", "-depth ").replace("type=", "-type "), found)
            continue
        said = line[max(line.find("config_dataflow"), 0) :]
        if _FIFO_CHANNELS.match(said):
            found.depths["*"] = 0, "fifo"
        if depth := _FIFO_DEPTH.match(said):
            found.default_depth = int(depth[1])


def _stream_directive(options: str, found: Source) -> None:
    depth, kind = re.search(r"-depth\s+(\d+)", options), re.search(r"-type\s+(\w+)", options)
    rest = re.sub(r"-(?:depth|type|dim)\s+\S+|-\w+|variable=", " ", options).replace('"', " ").split()
    if rest:
        found.depths[rest[-1]] = int(depth[1]) if depth else 0, kind[1] if kind else ""


def _read(source: Source, top: str, values: Mapping[str, str], folder: Path) -> NetworkRuns:
    facts = _compiled(source, top, values, folder)
    _refuse_unknown(facts, values)
    # What runs does not depend on times: a first run counts iterations.
    rows = [*(f"loop {each} 0 -1 1 0 0 1" for each in range(len(facts["loops"]))), *polls(facts), ""]
    first = _run(folder, "\n".join(rows), source, values)
    _require_known(facts, first, values)
    blocked = {each["function"] for each in first.facts["processes"] if each["blocked"]}
    layout = Layout(facts, first.facts["loops"], source.reports, blocked)
    _run(folder, layout.table(), source, values, "collect")
    run = _run(folder, layout.table(), source, values)
    if layout.with_ports(run.facts["loops"]):
        run = _run(folder, layout.table(), source, values)
    if run.facts["untimed"]:
        number, inside = run.facts["untimed"].split()[1:]
        loop = layout.loops[int(number)]
        what = f"the report says that an iteration takes {loop.latency} cycles, what is in it takes {inside}"
        raise InputError(
            "report-does-not-fit", what, where=f"loop '{loop.label}'", hints=["give the reports of the same source"]
        )
    maker = NetworkMaker(facts, run, layout, facts["top"], source.clock_mhz, source.default_depth)
    maker.notes += [*_estimated(facts, source, run, layout, values), *layout.notes]
    return maker.network()


def _estimated(
    facts: Mapping[str, Any], source: Source, run: ScheduleRun, layout: Layout, values: Mapping[str, str]
) -> list[str]:
    notes: list[str] = []
    if source.project.description:
        notes.append(f"files, top and settings are those of {source.project.description}, which names the source")
    if source.reports is None:
        notes.append(
            "without reports, intervals and latencies are estimated from pragmas and the table of operators (3.33 ns)"
        )
    if any(each["task"] for each in run.facts["processes"]):
        tokens = values.get("tokens", str(TASK_TOKENS))
        notes.append(
            f"tasks that run for ever are followed for {tokens} token{'s' * (tokens != '1')} from outside; "
            "--set tokens=N for others"
        )
    relaxed = {number for each in run.facts["processes"] for number in each["relaxed"]}
    notes += [
        f"the reported depth of loop '{layout.loops[number].label}' leaves no room for the order of the text"
        for number in sorted(relaxed)
    ]
    profiled = {each["name"].partition("<")[0] for each in facts["functions"] if _is_profile(each["file"])}
    if profiled:
        who = " and ".join(sorted(profiled))
        notes.append(
            f"{who} of AMD's libraries: only how often it reads and writes is known; its latency counts as none, "
            "and its values as zeros"
        )
    if facts["unknown"]:
        names = " and ".join(facts["unknown"])
        notes.append(f"the table of operators does not have {names}: what is not in it counts as no time")
    if facts["double"]:
        notes.append("the table of operators has single precision: double precision counts as that")
    if any(each["cause"] == "data" for each in facts["findings"]):
        notes.append("what is accessed depends on data: followed for memory and streams full of zeros")
    return notes


def _is_profile(file: str) -> bool:
    """Whether a header of ours stands for code of AMD that is not public."""
    return Path(file).name in ("hls_fft.h", "hls_fir.h") and Path(file).parent == HEADERS


def _compiled(source: Source, top: str, values: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Makes the program ``design`` in a folder; gives what is known of it."""
    units, flags = source.project.units, source.project.flags
    for each in units:
        if not str(each).isprintable() or '"' in str(each):
            raise InputError("bad-name", "the name of a source file is not printable", where=repr(str(each)))
    folders = [f"-I{each}" for each in dict.fromkeys(path.parent for path in units)]
    macros: set[str] = set()
    for number, each in enumerate(units):
        unit, text, bitcode = (folder / f"{name}{number}" for name in ("unit", "text", "design"))
        unit.write_text(f'#include "{each}"\n', encoding="utf-8")
        _compile_unit(unit, text, bitcode, [*folders, *flags], values, macros)
    request = {"top": top, "values": dict(values), "headers": str(HEADERS)}
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    parts = [folder / f"design{number}" for number in range(len(units))]
    lower(parts, folder / "request.json", folder / "design")
    facts: dict[str, Any] = json.loads((folder / "design.json").read_text(encoding="utf-8"))
    if "tops" in facts:
        raise _no_top(source, top, facts["tops"])
    link(folder / "design.o", folder / "design")
    return facts | {"macros": macros}


def _compile_unit(
    unit: Path, text: Path, bitcode: Path, flags: Sequence[str], values: Mapping[str, str], macros: set[str]
) -> None:
    """Bitcode of one source; a name that it does not declare is a macro, where its number is given."""
    preprocess(unit, text, [*flags, *(f"-D{name}={values[name]}" for name in sorted(macros))])
    text.write_text(marked(text.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
    try:
        compile_bitcode(text, bitcode)
    except InputError as error:
        name = undeclared(error.what)
        if name is None or name in macros or not values.get(name, "").lstrip("-").isdecimal():
            raise
        macros.add(name)
        _compile_unit(unit, text, bitcode, flags, values, macros)


def _no_top(source: Source, top: str, found: Sequence[str]) -> InputError:
    where = str(source.project.units[0])
    if top:
        return InputError("no-top", f"no function '{top:.80}'", where=where, hints=["name another one with --top"])
    if found:
        return InputError(
            "several-tops", f"{len(found)} functions have a dataflow region", where=where, hints=["name one with --top"]
        )
    hints = ["add '#pragma HLS dataflow', or name the function with --top"]
    return InputError("no-dataflow", "no function has a dataflow region", where=where, hints=hints)


def _run(folder: Path, table: str, source: Source, values: Mapping[str, str], does: str = "place") -> ScheduleRun:
    limits = f"limits {max_accesses()} {values.get('tokens', TASK_TOKENS)} 0 0 0 0 0\n"
    depths = "".join(
        f"stream {depth} 0 0 0 0 0 0 {name} {kind or '-'}\n" for name, (depth, kind) in source.depths.items()
    )
    (folder / "table").write_text(table + limits + depths, encoding="utf-8")
    run_limited([str(folder / "design"), "table", "run", does], folder, "the run of the design")
    return read_run(folder / "run")


def _refuse_unknown(facts: Mapping[str, Any], values: Mapping[str, str]) -> None:
    """Refuses a number of what is not there.

    Raises:
        InputError: there is one.
    """
    scalars = [scalar_name(name) for _, name in facts["parameters"]]
    for name in values.keys() - {*scalars, *facts["macros"], "data", "tokens"}:
        what = f"no scalar of '{facts['top']}' and no macro is called '{name:.80}'"
        raise InputError("unknown-scalar", what, where="--set", hints=[did_you_mean(name, scalars)])


_INTEGER = re.compile(r"i(?:[2-9]|[1-9]\d+)")
"""A number in LLVM's text; a flag of one bit is none that decides how often."""


def _require_known(facts: Mapping[str, Any], run: ScheduleRun, values: Mapping[str, str]) -> None:
    """Refuses a design whose run depends on what is not known.

    Raises:
        InputError: it does.
    """
    failure = run.facts["failure"]
    if failure.startswith("untimed "):
        _, site, method = failure.split()
        where = _site(facts, int(site))
        hints = ["import the trace of a run, see 'sttest import'"]
        raise InputError("not-static", f"'{method}' of a stream depends on time", where=where, hints=hints)
    if failure == "global":
        what = "an hls::task, or a channel of several ends, is declared outside of functions"
        raise InputError("nested-tasks", what, where=facts["top"], hints=["declare it in the top itself"])
    if failure:
        hints = ["give smaller scalars with --set", "a loop that ends only by what comes in never does with zeros"]
        raise InputError("too-large", failure, where=facts["top"], bound=max_accesses(), hints=hints)
    findings = facts["findings"]
    asked = list(dict.fromkeys(each["cause"] for each in findings if each["cause"] != "data"))
    if asked:
        first = next(each for each in findings if each["cause"] != "data")
        most = facts["loops"][first["loop"]]["markers"].get("tripcount", 0) if first["loop"] >= 0 else 0
        said = [f"its pragma says at most {most}: --set {asked[0]}={most}"] if most and len(asked) == 1 else []
        verb = "decides" if len(asked) == 1 else "decide"
        what = f"{' and '.join(map(repr, asked))} of '{facts['top']}' {verb} what is accessed, and how often"
        hints = [*said, " ".join(f"--set {each}=NUMBER" for each in asked)]
        raise InputError("unknown-number", what, where=f"{Path(first['file']).name} line {first['line']}", hints=hints)
    scalars = [scalar_name(name) for kind, name in facts["parameters"] if _INTEGER.fullmatch(kind)]
    silent = [name for name in scalars if name not in values]
    if findings and "data" in values and silent:  # they may get there through a stream or memory
        what = f"accesses depend on data, into which {' and '.join(map(repr, silent))} of '{facts['top']}' may go"
        hints = [" ".join(f"--set {each}=NUMBER" for each in silent)]
        raise InputError("unknown-number", what, where=facts["top"], hints=hints)
    if findings and "data" not in values:
        first = findings[0]
        hints = ["--set data=0 follows it for memory and streams full of zeros", "import the trace of a run"]
        what = "a stream is accessed where data says so"
        if first["decides"] == "time":
            what = "a loop runs where data says so, and so does what comes after it"
            hints.append("#pragma HLS pipeline in the loop around it unrolls it: then it has no time of its own")
        if first["loop"] >= 0:
            what = "how often a loop runs depends on data: it has no constant trip count"
        raise InputError("not-static", what, where=f"{Path(first['file']).name} line {first['line']}", hints=hints)


def _site(facts: Mapping[str, Any], number: int) -> str:
    site = facts["sites"][number] if 0 <= number < len(facts["sites"]) else ["", "", "", 0]
    return f"{Path(site[2]).name} line {site[3]}" if site[2] else ""
