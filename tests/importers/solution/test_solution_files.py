"""Files of a solution folder: where clock, top, vectors and FIFOs stand, and what is held against them."""

import importlib
import re
import sys

import pytest
from solution_folders import Stages, write_latency, write_solution, write_vectors
from solution_runs import runs_here
from test_axi_lite import COEFFICIENTS, STARTS, lite
from test_import_solution import counter, dataflow, dated

from sttest.core.errors import InputError, PassingError
from sttest.importers.solution import axi_lite, read_and_check, read_solution
from sttest.importers.solution import folder as folders
from sttest.importers.solution.folder import find_solution, first_values
from sttest.sim import simulate

execution = importlib.import_module("sttest.importers.solution.execute")  # the package has a function of that name


def plain(root, report=""):
    """A counter to three, whose synthesis reports so much."""
    folder = counter(root, 3, [(2, 2), (4, 0)])
    (folder / "syn" / "report" / "csynth.xml").write_text(f"<profile>{report}</profile>")
    return folder


def refused(function, *arguments, **options) -> InputError:
    with pytest.raises(InputError) as caught:
        function(*arguments, **options)
    return caught.value


# --- The folder


def test_the_only_solution_of_a_project_is_found(tmp_path):
    folder = counter(tmp_path / "second", 3, [(2, 2), (4, 0)])
    (tmp_path / "first").mkdir()
    assert find_solution(tmp_path).root == folder


def test_one_of_several_solutions_has_to_be_named(tmp_path):
    for name in ("b", "a"):
        counter(tmp_path / name, 3, [(2, 2), (4, 0)])
    error = refused(find_solution, tmp_path)
    assert (error.code, error.what) == ("several-solutions", "several solutions are below it")
    assert error.hints == (f"name {tmp_path / 'a'}", f"name {tmp_path / 'b'}")


CLOCK = "<TargetClockPeriod>4.00</TargetClockPeriod>"


@pytest.mark.parametrize(
    ("name", "text", "megahertz"),
    [
        ("syn/report/csynth.xml", CLOCK, 250),
        ("syn/report/top_csynth.xml", CLOCK, 250),
        (".autopilot/db/top.verbose.sched.rpt", "|  Clock |  Target  |\n| ap_clk |     8.00 | 6.1 |", 125),
    ],
)
def test_the_clock_is_that_of_whatever_report_is_there(tmp_path, name, text, megahertz):
    folder = plain(tmp_path / "s")
    (folder / name).write_text(text)
    assert find_solution(folder, "top").clock_mhz == megahertz


@pytest.mark.parametrize("text", ["", "|  Clock |  Target  |\n| other |     8.00 | 6.1 |"])
def test_a_folder_that_says_no_clock_is_refused(tmp_path, text):
    folder = plain(tmp_path / "s")
    if text:
        (folder / ".autopilot" / "db" / "top.verbose.sched.rpt").write_text(text)
    error = refused(find_solution, folder, "top")
    assert (error.code, error.what) == ("no-clock", "no report of the synthesis says the clock")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hls.app", '<project xmlns="com.autoesl.autopilot.project" name="p" top="dut">'),
        ("s/vivado_hls.app", '<AutoPilot:project xmlns:AutoPilot="com" top="dut" name="p">'),
    ],
)
def test_the_top_is_that_of_the_project_where_no_report_says_it(tmp_path, name, text):
    folder = plain(tmp_path / "s", CLOCK)
    error = refused(find_solution, folder)
    assert (error.code, error.hints) == ("no-top", ("name it: --top",))
    (tmp_path / "begins.app").write_text('<project name="one that names no top">')
    assert refused(find_solution, folder).code == "no-top"
    (tmp_path / name).write_text(text)
    assert find_solution(folder).top == "dut"


# --- Vectors


def test_the_values_are_those_of_the_first_transaction(tmp_path, monkeypatch):
    path = tmp_path / "c.dat"
    path.write_text("[[[runtime]]]\n[[transaction]] 0\n0x3\n  0x4\n[[/transaction]]\n[[transaction]] 1\n0x5\n")
    assert first_values(path) == [3, 4]
    path.write_text("[[[runtime]]]\n[[transaction]] 0\n0x3\n0x4\n0x5")  # cut off
    assert first_values(path) == [3, 4, 5]
    monkeypatch.setattr(folders, "_MOST_VALUES", 2)
    assert first_values(path) == [3, 4]


def test_a_loop_whose_bound_is_not_in_the_folder_makes_no_trip_which_is_said(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    folder = counter(tmp_path / "s", 3, [(2, 2), (4, 0)])
    (vector,) = (folder / "sim" / "tv" / "cdatafile").iterdir()
    vector.unlink()
    notes: list[str] = []
    graph = read_solution(folder, notes=notes)
    # Entry, the header, exit.
    assert simulate(graph).cycles == 2
    assert any(each.startswith("no vectors for n: it got zeros") for each in notes)


# --- What synthesis and co-simulation said

REPORTS = """<P><SummaryOfOverallLatency><Best-caseLatency>14</Best-caseLatency>
<Worst-caseLatency>WORST</Worst-caseLatency></SummaryOfOverallLatency></P>"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (REPORTS.replace("WORST", "14"), "1 of 1 functions of fixed latency equal csynth"),
        (REPORTS.replace("WORST", "undef"), "0 of 0 functions of fixed latency equal csynth"),
        (REPORTS.replace("WORST", "15"), "0 of 0 functions of fixed latency equal csynth"),
        (REPORTS.replace("WORST", "14").replace("</P>", ""), "0 of 0 functions of fixed latency equal csynth"),
    ],
)
def test_only_a_report_of_one_latency_is_compared(tmp_path, monkeypatch, text, said):
    runs_here(monkeypatch, tmp_path)
    folder = counter(tmp_path / "s", 3, [(2, 2), (4, 0)])
    (folder / "syn" / "report" / "top_csynth.xml").write_text(text)
    checks: list[str] = []
    # Entry, four states of each trip, the header's last visit.
    assert simulate(read_solution(folder, checks=checks)).cycles == 1 + 3 * 4 + 1
    assert said in checks


@pytest.mark.parametrize("date", ["Tue Feb 31 14:21:34 2017", "yesterday, in 2017"])
def test_a_schedule_without_a_date_makes_no_co_simulation_older(tmp_path, monkeypatch, date):
    runs_here(monkeypatch, tmp_path)
    folder = dated(tmp_path / "s", date, "Tue Mar  9 16:23:04 2021")
    assert refused(read_solution, folder).code == "does-not-agree"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Tue Mar  9 14:21:34 2021", "2021-03-09 14:21:34"),
        ("Tue Mar  9 14:21:34 CET 2021.", "2021-03-09 14:21:34"),
        ("Fri 14 Jun 19:27:54 BST 2019.", "2019-06-14 19:27:54"),
        ("Sun 26 Jun 2022 03:59:03 PM CEST.", "2022-06-26 15:59:03"),
        ("Wed 29 Jun 2022 12:59:54 AM CEST.", "2022-06-29 00:59:54"),
        ("Wed 29 Jun 2022 12:59:54 PM CEST.", "2022-06-29 12:59:54"),
        ("2022. 01. 06. (목) 18:42:31 KST.", "2022-01-06 18:42:31"),
        ("2021年 02月 19日 星期五 15:11:02 CST.", "2021-02-19 15:11:02"),
        ("ven. 24 juin 2022 16:35:34 CEST.", "None"),
        ("Tue Foo  9 14:21:34 2021", "None"),
        ("Tue Feb 31 14:21:34 2017", "None"),
        ("Tue Feb 21 25:21:34 2017", "None"),
        ("in 2017", "None"),
    ],
)
def test_dates_are_read_as_the_tool_writes_them_in_several_countries(tmp_path, text, told):
    path = tmp_path / "top_cosim.rpt"
    path.write_text(f"Report time       : {text}\nSolution          : solution1.\n", encoding="utf-8")
    assert str(next(iter(folders._dates([path])), None)) == told


def test_a_co_simulation_whose_date_cannot_be_read_is_that_of_its_top(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    folder = dated(tmp_path / "s", "Tue Mar  9 14:21:34 2021", "yesterday")
    assert refused(read_solution, folder).what == "co-simulation 400, this graph 14; nobody knows why"


def test_a_test_bench_that_takes_too_many_rounds_is_not_told(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    monkeypatch.setattr(axi_lite, "_MOST_ROUNDS", 3)
    folder = lite(tmp_path / "s", STARTS + COEFFICIENTS, "2022.1")
    checks: list[str] = []
    assert read_and_check(folder)[1].measured == 16
    read_solution(folder, checks=checks)
    assert checks[0] == "no co-simulation, this graph 16"
    write_latency(folder, 400)
    cause = "its test bench starts it over AXI-lite and polls it for its end, which the graph does not have"
    assert refused(read_solution, folder).what == f"co-simulation 400, this graph 16; {cause}"


def test_several_ports_without_vectors_are_told_together(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    text = "define void @top(i32 %a, i32 %b) {\n  ret void\n}\n"
    notes: list[str] = []
    read_solution(write_solution(tmp_path / "s", text, {"top": Stages([[(0, 0)]], [(0, 0)])}), notes=notes)
    assert any(each.startswith("no vectors for a, b: they got zeros, a mark of one bit ones") for each in notes)


def test_how_far_the_latency_is_off_is_known_where_there_is_a_co_simulation(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    folder = counter(tmp_path / "s", 3, [(2, 2), (4, 0)])
    assert read_and_check(folder)[1].error is None
    write_latency(folder, 16)
    assert read_and_check(folder)[1].error == (14 - 16) / 16


@pytest.mark.parametrize(
    ("protocol", "cause"),
    [
        ("m_axi", "memory of the test bench answers a port m_axi in other times in each version of the tool"),
        ("axis", "register slices of ports axis are not in the graph"),
        ("ap_memory", "nobody knows why"),
    ],
)
def test_what_does_not_agree_is_told_with_what_is_not_in_the_graph(tmp_path, monkeypatch, protocol, cause):
    runs_here(monkeypatch, tmp_path)
    folder = plain(tmp_path / "s", f"{CLOCK}<TopModelName>top</TopModelName><IOProtocol>{protocol}</IOProtocol>")
    write_latency(folder, 400)
    assert refused(read_solution, folder).what == f"co-simulation 400, this graph 14; {cause}"


def test_outputs_that_differ_are_told_with_their_port(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    folder = dataflow(tmp_path / "s", 2, 4)
    write_vectors(folder, "out", "out", [29])  # 0 + 1 + ... + 7 is 28
    assert refused(read_solution, folder).what == "outputs 0/1; the run wrote other values to out"
    notes: list[str] = []
    read_solution(folder, anyway=True, notes=notes)
    assert "outputs of out are not those of the co-simulation" in notes


# --- FIFOs of the Verilog

INSTANCE = "module top();\n{module} {name}(\n    .clk(ap_clk)\n);\nendmodule\n"


@pytest.mark.parametrize(
    ("body", "impl"), [("reg [15:0] SRL_SIG[0:5];", "srl"), ('(* ram_style = "block" *) reg [15:0] mem[0:5];', "ram")]
)
def test_a_fifo_is_made_as_the_verilog_makes_it(tmp_path, monkeypatch, body, impl):
    runs_here(monkeypatch, tmp_path)
    folder = dataflow(tmp_path / "s", 2, 1)
    verilog = folder / "syn" / "verilog"
    verilog.mkdir()
    (verilog / "fifo_w24_d6_A.v").write_text(f"module fifo_w24_d6_A (clk);\n{body}\nendmodule\n")
    (verilog / "top.v").write_text(INSTANCE.format(module="fifo_w24_d6_A", name="q_U"))
    (stream,) = [each for each in read_solution(folder).fifos if each.name == "q"]
    assert (stream.depth, stream.bits, stream.kind) == (6, 24, impl)


def test_an_instance_whose_module_is_not_there_says_nothing(tmp_path, monkeypatch):
    runs_here(monkeypatch, tmp_path)
    folder = dataflow(tmp_path / "s", 2, 1)
    (folder / "syn" / "verilog").mkdir()
    (folder / "syn" / "verilog" / "top.v").write_text(INSTANCE.format(module="fifo_w24_d6_A", name="q_U"))
    (stream,) = [each for each in read_solution(folder).fifos if each.name == "q"]
    assert (stream.depth, stream.bits) == (2, 16)


def test_blank_lines_of_the_verilog_are_passed_in_no_time(tmp_path):
    folder = dataflow(tmp_path / "s", 2, 1)
    (folder / "syn" / "verilog").mkdir()
    (folder / "syn" / "verilog" / "top.v").write_text("\n" * 300_000 + INSTANCE.format(module="m", name="q_U"))
    assert folders.fifo_modules(find_solution(folder)) == {}


# --- The process that executes the bitcode


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.kill(os.getpid(), signal.SIGXCPU)",
         "the bitcode did not end within 120 s"),
        ("sys.stderr.write('first\\nlast\\n'); sys.stderr.flush(); os.kill(os.getpid(), signal.SIGTERM)",
         "executing the bitcode ended with signal 15 (last)"),
        ("raise MemoryError", "executing the bitcode ended with exit code 1 (MemoryError)"),
    ],
)  # fmt: skip
def test_how_the_process_ended_is_told(tmp_path, monkeypatch, code, told):
    command = [sys.executable, "-P", "-S", "-c", f"import os, resource, signal, sys; {code}"]
    monkeypatch.setattr(execution, "python_command", lambda arguments, ends_with_us: command)
    solution = find_solution(counter(tmp_path / "s", 3, [(2, 2), (4, 0)]))
    assert refused(execution.execute, solution).what == told


def test_a_process_that_was_killed_may_end_better_the_next_time(tmp_path, monkeypatch):
    command = [sys.executable, "-P", "-S", "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
    monkeypatch.setattr(execution, "python_command", lambda arguments, ends_with_us: command)
    with pytest.raises(PassingError, match=r"executing the bitcode was killed; .* run out of memory"):
        execution.execute(find_solution(counter(tmp_path / "s", 3, [(2, 2), (4, 0)])))


def test_a_process_that_takes_too_long_is_stopped(tmp_path):
    solution = find_solution(counter(tmp_path / "s", 3, [(2, 2), (4, 0)]))
    error = refused(execution.execute, solution, most_seconds=0)
    assert (error.code, error.what) == ("run-too-long", "the bitcode did not end within 0 s")


class Left(Exception):
    """In place of the end of the process."""


def leave(code, text):
    """Says with what a process ends that refuses to go on."""
    raise Left(code, text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("define void @top() {\n  call void @abort()\n  ret void\n}\ndeclare void @abort()\n",
         "the bitcode calls 'abort', which is not in it"),
        ("@kept = global i16 3\n@other = alias i16, ptr @kept\n"
         "define void @top() {\n  %v = load i16, ptr @other\n  ret void\n}\n",
         "LLVM refuses the bitcode's text: .*use of undefined value '@other'"),
    ],
)  # fmt: skip
def test_a_process_that_refuses_the_bitcode_says_why(tmp_path, monkeypatch, text, told):
    runs_here(monkeypatch, tmp_path)
    monkeypatch.setattr(execution, "_leave", leave)
    folder = write_solution(tmp_path / "s", text, {"top": Stages([[(0, 0)] * 2], [(0, 0)])})
    with pytest.raises(Left) as caught:
        read_solution(folder)
    code, said = caught.value.args
    assert code == execution._REFUSED
    assert re.match(told, said)


@pytest.mark.parametrize(("names", "told"), [({7: "in"}, "the stream 'in'"), ({}, "the stream 'inside the design'")])
def test_a_stream_that_is_empty_is_told_by_its_name(monkeypatch, names, told):
    monkeypatch.setattr(execution, "_leave", leave)
    queues = execution._Queues()
    queues.names |= names
    with pytest.raises(Left) as caught:
        queues.pop(7, 0, 0)
    assert caught.value.args == (execution._EMPTY, told)
