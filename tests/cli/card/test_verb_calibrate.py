"""`sttest calibrate`: without Vitis, and with a tool on PATH that answers recorded reports, fails, hangs or lies."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sttest.package import DesignPackage
from sttest.sim.graph import Loop, Pipeline
from sttest.targets.vitis.synthesis_jobs import SynthesisJob, synthesis_jobs

PACKAGE = ("gpt2", "decode")
FAKE_TOOL = """\
#!{python} -IS
# Plays v++ --mode hls and vitis_hls: copies a recorded report to where the tool leaves its own.
import os, re, shutil, sys, time
from pathlib import Path
if sys.argv[1] in ("--version", "-version"):
    print("****** {name} v{version} (64-bit)")
    sys.exit()
with open(os.environ["FAKE_CALLS"], "a") as calls:
    calls.write(Path.cwd().name + "\\n")
script = Path("hls_config.cfg" if "--mode" in sys.argv else "run.tcl").read_text()
top = re.search(r"(?:syn.top=|set_top )(\\w+)", script)[1]
assert f"void {{top}}(" in Path("process.cpp").read_text()
trouble = os.environ.get("FAKE_TROUBLE", "").split(":")
if trouble == ["fail", top]:
    print("INFO: [HLS 200-10] starting\\nERROR: [HLS 207-3337] type of port is unsupported")
    sys.exit(1)
if trouble == ["hang", top]:
    time.sleep(600)
report = Path("work/hls/syn/report" if "--mode" in sys.argv else "project/solution/syn/report") / "csynth.xml"
report.parent.mkdir(parents=True, exist_ok=True)
text = (Path(os.environ["FAKE_REPORTS"]) / f"{{top}}.xml").read_text()
report.write_text(text[: len(text) // 2] if trouble == ["cut", top] else text)
"""
REPORT = """\
<profile>
    <ReportVersion><Version>2024.1</Version></ReportVersion>
    <UserAssignments>
        <Part>xcu55c-fsvh2892-2L-e</Part><TopModelName>{top}</TopModelName>
        <TargetClockPeriod>4.00</TargetClockPeriod>
    </UserAssignments>
    <PerformanceEstimates>
        <SummaryOfTimingAnalysis><EstimatedClockPeriod>2.920</EstimatedClockPeriod></SummaryOfTimingAnalysis>
        <SummaryOfOverallLatency><Worst-caseLatency>undef</Worst-caseLatency></SummaryOfOverallLatency>
    </PerformanceEstimates>
    <AreaEstimates><Resources>
        <BRAM_18K>2</BRAM_18K><DSP>3</DSP><FF>1126</FF><LUT>1346</LUT><URAM>0</URAM>
    </Resources></AreaEstimates>
    <ModuleInformation>{modules}</ModuleInformation>
</profile>
"""
MODULE = """
        <Module><Name>{name}</Name><PerformanceEstimates>
            <SummaryOfOverallLatency><Worst-caseLatency>undef</Worst-caseLatency></SummaryOfOverallLatency>
            <SummaryOfLoopLatency>{loops}</SummaryOfLoopLatency>
        </PerformanceEstimates></Module>"""
LOOP = """
                <loop_{number}><Name>loop_{number}</Name><TripCount>{trips}</TripCount><Latency>undef</Latency>
                    <PipelineII>{ii}</PipelineII><PipelineDepth>{depth}</PipelineDepth><PipelineType>yes</PipelineType>
                </loop_{number}>"""
AROUND = """
                <layers><TripCount>{trips}</TripCount><Latency>undef</Latency>{loops}</layers>"""


def jobs_of(package: Path) -> list[SynthesisJob]:
    design = DesignPackage.read(package)
    return synthesis_jobs(design.files.cpp_text, design.files.kernel.name, design.timed_graph)


def record(package: Path, folder: Path, slower: str = "", by: int = 1) -> None:
    """Reports of exactly what is claimed, but that one process has a longer interval."""
    pipelines = {each.name: each for each in DesignPackage.read(package).timed_graph.processes}
    folder.mkdir(exist_ok=True)
    for job in jobs_of(package):
        unit = job.units[0]
        modules = ""
        for process, function in zip(unit.processes, unit.functions, strict=True):
            timed = pipelines[process]
            loops = timed.loops if isinstance(timed, Pipeline) else (Loop((4,), 1, 9),)
            factor = by if process == slower else 1
            runs = timed.repeat if isinstance(timed, Pipeline) else 1
            flat = runs if len(loops) == 1 else 1
            text = "".join(
                LOOP.format(number=n, trips=loop.iterations * flat, ii=loop.ii * factor, depth=loop.latency)
                for n, loop in enumerate(loops)
            )
            if runs > flat:
                text = AROUND.format(trips=runs, loops=text)
            modules += MODULE.format(name=function, loops=text)
        (folder / f"{job.name}.xml").write_text(REPORT.format(top=job.name, modules=modules))


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Puts a tool on PATH and gives the file that gets its calls."""

    def make(name: str = "v++", version: str = "2024.1", trouble: str = "") -> Path:
        folder, calls = tmp_path / "tools", tmp_path / "calls"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(FAKE_TOOL.format(python=sys.executable, name=name, version=version))
        (folder / name).chmod(stat.S_IRWXU)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin:/bin")
        monkeypatch.setenv("FAKE_CALLS", str(calls))
        monkeypatch.setenv("FAKE_REPORTS", str(tmp_path / "reports"))
        monkeypatch.setenv("FAKE_TROUBLE", trouble)
        return calls

    return make


@pytest.fixture
def package(own_package_of, tmp_path) -> Path:
    folder = own_package_of(*PACKAGE)
    record(folder, tmp_path / "reports")
    return folder


def test_without_a_tool_the_jobs_are_written_and_it_is_one_line(sttest, package, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    outcome = sttest("calibrate", package)
    assert outcome.exit_code == 5
    assert outcome.stderr.count("\n") == 1
    jobs = jobs_of(package)
    assert f"neither v++ nor vitis_hls is installed; {len(jobs)} jobs are written to {package}" in outcome.stderr
    assert {path.parent.name for path in package.glob("calibrate/*/hls_config.cfg")} == {job.name for job in jobs}
    assert not (package / "reports" / "achieved.json").exists()


def test_every_process_is_in_exactly_one_job(package):
    processes = [name for job in jobs_of(package) for name in job.processes]
    assert sorted(processes) == sorted(each.name for each in DesignPackage.read(package).timed_graph.processes)
    assert len(jobs_of(package)) < len(processes) / 2


def test_a_dry_run_writes_the_jobs(sttest, package):
    outcome = sttest("calibrate", package, "--dry-run", "--json")
    assert outcome.exit_code == 0
    assert len(json.loads(outcome.stdout)["jobs"]) == len(jobs_of(package))


def test_what_is_claimed_gives_the_same_cycles(sttest, package, tool):
    calls = tool()
    outcome = sttest("calibrate", package, "--jobs", "8")
    assert outcome.exit_code == 0, outcome.stderr
    assert max(map(len, outcome.stdout.split("saved")[0].splitlines())) <= 80
    assert "  achieved, cycles x 1.00" in outcome.stdout
    assert f"jobs        {len(jobs_of(package))} synthesized, 0 done before, 0 failed" in outcome.stdout
    assert sorted(calls.read_text().split()) == sorted(job.name for job in jobs_of(package))
    claimed = json.loads(sttest("simulate", package, "--json").stdout)
    calibrated = json.loads(sttest("simulate", package, "--calibrated", "--json").stdout)
    graph = DesignPackage.read(package).timed_graph
    pipelines = sum(isinstance(each, Pipeline) for each in graph.processes)
    assert calibrated["calibrated"] == {"processes": pipelines, "of": len(graph.processes)}
    assert calibrated["cycles"] == claimed["cycles"]
    assert "calibrated" not in claimed


def test_what_was_achieved_is_timed(sttest, package, tool, tmp_path):
    record(package, tmp_path / "reports", "mlp_fc1", 8)
    tool()
    document = json.loads(sttest("calibrate", package, "--jobs", "8", "--json").stdout)
    job = next(each for each in document["jobs"] if "mlp_fc1" in each["processes"])
    assert job["achieved"]["ii"] == 8 * job["claimed"]["ii"]
    assert job["achieved"]["dsp"] == 3
    assert job["claimed"]["dsp"] > 3
    assert job["cycles_ratio"] > 4
    assert {(loop["function"], loop["name"]) for loop in job["loops"]} == {("mlp_fc1", "loop_0")}
    port = next(each for each in document["jobs"] if "load_x" in each["processes"])
    assert (port["claimed"]["ii"], port["achieved"]["ii"], port["achieved"]["depth"]) == (None, 1, 9)
    claimed = json.loads(sttest("simulate", package, "--json").stdout)["cycles"]
    assert json.loads(sttest("simulate", package, "--calibrated", "--json").stdout)["cycles"] > claimed
    text = sttest("simulate", package, "--calibrated").stdout
    assert "processes have the intervals of their synthesis, the others those of the compiler" in text


def test_a_job_is_run_once_per_content(sttest, package, tool):
    calls = tool()
    sttest("calibrate", package, "--jobs", "8")
    again = sttest("calibrate", package, "--jobs", "8")
    jobs = jobs_of(package)
    assert f"jobs        0 synthesized, {len(jobs)} done before, 0 failed" in again.stdout
    (package / "calibrate" / jobs[0].name / "work/hls/syn/report/csynth.xml").unlink()
    once_more = sttest("calibrate", package)
    assert f"jobs        1 synthesized, {len(jobs) - 1} done before, 0 failed" in once_more.stdout
    assert len(calls.read_text().split()) == len(jobs) + 1


@pytest.mark.parametrize(
    ("trouble", "says"),
    [
        ("fail", "exit code 1: ERROR: [HLS 207-3337] type of port is unsupported; its log is"),
        ("hang", "did not end; its log is"),
        ("cut", "not well-formed XML"),
    ],
)
def test_a_job_with_trouble_stops_no_other_and_names_its_log(trouble, says, sttest, package, tool):
    tool(trouble=f"{trouble}:mlp_fc1")
    limit = ("--timeout-csynth", 3) if trouble == "hang" else ()
    outcome = sttest("calibrate", package, "--jobs", "8", *limit)
    assert outcome.exit_code == 1
    assert outcome.stderr.count("\n") == 1
    assert f"1 of {len(jobs_of(package))} jobs failed, first mlp_fc1" in outcome.stderr
    assert says in outcome.stderr
    assert "failed      mlp_fc1, see " in outcome.stdout
    graph = DesignPackage.read(package).timed_graph
    pipelines = sum(isinstance(each, Pipeline) for each in graph.processes)
    calibrated = json.loads(sttest("simulate", package, "--calibrated", "--json").stdout)["calibrated"]
    assert calibrated["processes"] == pipelines - 1
    calls = tool()
    calls.unlink()
    assert sttest("calibrate", package, "--jobs", "8").exit_code == 0
    assert calls.read_text().split() == ["mlp_fc1"]


def test_ctrl_c_ends_what_runs_and_keeps_what_is_done(package, tool, heed_interrupts):
    calls = tool(trouble="hang:mlp_fc1")
    command = [sys.executable, "-m", "sttest", "calibrate", str(package), "--jobs", "8"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_interrupts)
    deadline = time.monotonic() + 60
    while not calls.exists() or len(calls.read_text().split()) < len(jobs_of(package)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (b"", b"interrupted\n")
    assert process.returncode == 130
    assert time.monotonic() - began < 30
    assert not (package / "calibrate" / "mlp_fc1" / "csynth.stamp.json").exists()
    assert len(list(package.glob("calibrate/*/csynth.stamp.json"))) > 1


def test_vitis_hls_is_taken_where_vpp_is_too_old(sttest, package, tool):
    tool("v++", "2022.2")
    tool("vitis_hls", "2022.2")
    outcome = sttest("calibrate", package, "--jobs", "8", "--any-version", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["tool"] == ["vitis_hls", "-f", "run.tcl"]


def test_another_release_is_refused(sttest, package, tool):
    tool(version="2019.2")
    outcome = sttest("calibrate", package)
    assert outcome.exit_code == 2
    assert "v++ is 2019.2, the platform goes with 2024.1" in outcome.stderr


def test_figures_of_other_cpp_and_packages_without_any_are_refused(sttest, package, tool):
    never = sttest("simulate", package, "--calibrated")
    assert (never.exit_code, never.stderr.count("\n")) == (2, 1)
    assert f"run 'sttest calibrate {package}'" in never.stderr
    tool()
    sttest("calibrate", package, "--jobs", "8")
    with (package / "hls" / "kernel.cpp").open("a") as file:
        file.write("// changed\n")
    other = sttest("simulate", package, "--calibrated")
    assert other.exit_code == 2
    assert "reports/achieved.json is about other C++ than hls/kernel.cpp" in other.stderr


def test_a_graph_was_never_synthesized(sttest, package):
    outcome = sttest("simulate", package / "timed_graph.json", "--calibrated")
    assert outcome.exit_code == 2
    assert "no design package" in outcome.stderr
