"""What is written is read; a folder that is no whole package, or contradicts itself, is refused in one line."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.resources.placement import place
from sttest.core.errors import InputError, note_renamed
from sttest.frontend.shipped import lowered_text
from sttest.models.program import BlockShape
from sttest.package import DesignPackage, ModelPackage, load_graph, read_lanes
from sttest.package.achieved import Achieved, AchievedJob, AchievedLoop, AchievedProcess, ReportedLoop
from sttest.package.compiled import read_design, write_lanes, write_package
from sttest.sim import write_timed_graph

FACTS = {"asked_tokens": 1, "asked_context": 32}


@pytest.fixture(scope="module")
def design() -> CompiledDesign:
    text = lowered_text("gpt2", "decode", small=True)
    return compile_text(text, "small", "u55c", CompileOptions(budget="published"), keep_ir="all", workload=FACTS)


@pytest.fixture(scope="module")
def package(design: CompiledDesign, tmp_path_factory: pytest.TempPathFactory) -> DesignPackage:
    return write_package(design, tmp_path_factory.mktemp("packages") / "small", place(design))


@pytest.fixture
def copy(package: DesignPackage, tmp_path: Path) -> Path:
    """The same package, to be changed."""
    return shutil.copytree(package.folder, tmp_path / "small")


def test_what_is_written_is_read(design: CompiledDesign, package: DesignPackage) -> None:
    found = DesignPackage.read(package.folder)
    assert found.manifest == package.manifest
    assert found.timed_graph == design.graph
    assert found.placed_graph is not None
    assert found.reference_graph == value_graph(design.module, "small")
    assert list(found.ir.values()) == [stage.text for stage in design.stages]
    assert found.files.depths.items() <= {fifo.name: fifo.depth for fifo in found.emitted_graph.fifos}.items()
    assert len(found.lanes) == len(found.report("kernels"))
    assert sum(row["hbm_bits"] for row in found.activity) > 0
    assert (found.name, found.board, found.cycles) == ("small", "u55c", 1232)


@pytest.mark.slow
def test_a_design_is_read_back_whole(design: CompiledDesign, package: DesignPackage, tmp_path: Path) -> None:
    found = read_design(package)
    assert (found.name, found.options, found.graph, found.board) == (
        design.name,
        design.options,
        design.graph,
        design.board,
    )
    assert [(each.name, each.text) for each in found.stages] == [(each.name, each.text) for each in design.stages]
    assert str(found.module) == str(design.module)
    assert found.fusion.original_bytes == design.fusion.original_bytes
    assert found.fusion.fusion.group_of == design.fusion.fusion.group_of
    assert found.fusion.fusion.costs == design.fusion.fusion.costs
    again = write_package(found, tmp_path / "again", place(found))
    texts = {path.relative_to(package.folder) for path in package.folder.rglob("*") if path.is_file()}
    assert texts == {path.relative_to(again.folder) for path in again.folder.rglob("*") if path.is_file()}
    differ = [name for name in texts if (package.folder / name).read_bytes() != (again.folder / name).read_bytes()]
    assert [name for name in differ if name.name not in ("manifest.json", "fusion.csv")] == []


def test_a_package_without_ir_is_no_design_again(copy: Path) -> None:
    shutil.rmtree(copy / "ir")
    with pytest.raises(InputError) as caught:
        read_design(DesignPackage.read(copy))
    assert (caught.value.code, caught.value.hints) == ("no-ir", ("compile the package again",))


def test_a_scheme_of_a_file_goes_with_the_package_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: w4a8\ngroup: 64\n")
    options = CompileOptions(budget="published", precision=str(path))
    text = lowered_text("gpt2", "decode", small=True)
    written = write_package(compile_text(text, "small", "u55c", options, workload=FACTS), tmp_path / "p")
    path.write_text("extends: w8a8\n")  # what the file says later is not what was compiled
    scheme = DesignPackage.read(tmp_path / "p").manifest.configuration.quant_scheme
    assert (scheme.name, scheme.weights, scheme.group) == ("mine", "int4", 64)
    assert scheme == written.manifest.configuration.quant_scheme


def test_the_manifest_is_written_as_it_is_read(package: DesignPackage) -> None:
    assert json.loads((package.folder / "manifest.json").read_text()) == package.manifest.to_json()


def test_a_manifest_that_says_knobs_is_read(
    copy: Path, package: DesignPackage, capsys: pytest.CaptureFixture[str]
) -> None:
    note_renamed.cache_clear()
    configuration = json.loads((copy / "manifest.json").read_text())["configuration"]
    formerly = {"knobs" if name == "options" else name: value for name, value in configuration.items()}
    manifest_with(configuration=formerly)(copy)
    assert DesignPackage.read(copy).manifest == package.manifest
    assert "note: 'knobs' is called 'options' now" in capsys.readouterr().err


def test_a_design_has_its_options_under_their_former_name_too(
    design: CompiledDesign, capsys: pytest.CaptureFixture[str]
) -> None:
    note_renamed.cache_clear()
    assert design.knobs is design.options
    assert "note: 'design.knobs' is called 'design.options' now" in capsys.readouterr().err


def test_a_package_of_a_model_knows_it(package: DesignPackage) -> None:
    found = ModelPackage.read(package.folder)
    assert (found.config.name, found.phase, found.context, found.layers) == ("small-gpt2", "decode", 32, 1)
    assert (found.scheme.name, found.generates, found.head, found.chunk) == ("w8a8", 1, False, None)


def test_a_text_is_of_no_model(copy: Path) -> None:
    text = json.loads((copy / "manifest.json").read_text())["configuration"]
    manifest_with(configuration=text | {"workload": {}})(copy)
    with pytest.raises(InputError) as caught:
        ModelPackage.read(copy)
    assert (caught.value.code, caught.value.where) == ("no-model", str(copy))
    assert "not compiled from a model" in caught.value.what


def test_a_model_without_values_says_why(copy: Path) -> None:
    manifest_with(values={"missing": "op 'x' has none"}, hls={"missing": "no values"})(copy)
    for read in (ModelPackage.read, lambda folder: DesignPackage.read(folder).reference_graph):
        with pytest.raises(InputError) as caught:
            read(copy)
        assert str(caught.value) == f"{copy}: the design has no values: op 'x' has none"
    with pytest.raises(InputError) as caught:
        _ = DesignPackage.read(copy).files
    assert str(caught.value) == f"{copy}: the design has no C++: no values"


def with_configuration(**changes: object) -> Callable[[Path], None]:
    """Changes keys of the workload or of the options."""

    def change(folder: Path) -> None:
        configuration = json.loads((folder / "manifest.json").read_text())["configuration"]
        for name, value in changes.items():
            section = "options" if name in configuration["options"] else "workload"
            configuration[section][name] = value
        manifest_with(configuration=configuration)(folder)

    return change


def test_where_a_block_is_looked_at_a_launch_runs_one(copy: Path) -> None:
    ModelPackage.read(copy).require_one_block()
    with_configuration(layers=3)(copy)
    with pytest.raises(InputError, match=r"runs several layers \(demand 3 layers, bound 1 layers\)"):
        ModelPackage.read(copy).require_one_block()
    with_configuration(layers=1, head_columns=64)(copy)
    assert ModelPackage.read(copy).head
    with pytest.raises(InputError, match="runs the head, too; compile without --head"):
        ModelPackage.read(copy).require_one_block()


def test_where_one_card_is_wanted_there_is_one(copy: Path) -> None:
    DesignPackage.read(copy).require_one_card()
    with_configuration(cards=2)(copy)
    with pytest.raises(InputError, match=r"\(demand 2 cards, bound 1 cards\); compile it without --cards") as caught:
        DesignPackage.read(copy).require_one_card()
    assert caught.value.code == "several-cards"


def test_the_shape_is_what_was_asked_for(copy: Path) -> None:
    with_configuration(asked_context=30, context=32, batch=3, attention="one-pass", attention_chunk=8)(copy)
    found = ModelPackage.read(copy)
    assert found.shape == BlockShape("decode", 1, 30, 3, 1)
    assert found.chunk == 8


def test_a_time_needs_cycles(copy: Path) -> None:
    found = DesignPackage.read(copy)
    assert found.simulated_us == found.cycles / found.manifest.clock_mhz == 1232 / 250
    sizing = json.loads((copy / "manifest.json").read_text())["sizing"]
    manifest_with(sizing=sizing | {"cycles": None})(copy)
    assert DesignPackage.read(copy).simulated_us == 0


def test_a_placed_package_knows_where_its_processes_are(package: DesignPackage) -> None:
    slrs, relays = package.slr_of, set(package.relays)
    assert set(slrs.values()) <= {0, 1, 2}
    assert relays <= slrs.keys()
    timed, emitted = ({each.name for each in graph.processes} for graph in (package.timed_graph, package.emitted_graph))
    assert relays == emitted - timed
    # the two halves of a converter are timed one by one, and stand on one SLR
    assert {name.removesuffix("_fill").removesuffix("_drain") for name in timed} == slrs.keys() - relays


def test_what_is_emitted_without_a_placement_is_what_is_timed(copy: Path) -> None:
    (copy / "timed_graph_placed.json").unlink()
    found = DesignPackage.read(copy)
    assert (found.placed_graph, found.emitted_graph) == (None, found.timed_graph)
    assert found.rtl_folder == copy / "rtl"
    assert found.files.depths["load_x__fork_load_x"] == 3


def test_the_depths_of_a_placed_graph_are_those_of_the_cpp(copy: Path) -> None:
    replaced("timed_graph_placed.json", r'("name": ?"load_x__fork_load_x",.*?"depth": ?)3\b', r"\g<1>9")(copy)
    with pytest.raises(InputError, match=r"depth of 'load_x__fork_load_x' is 3 in .*cpp and 9 in timed_graph_placed"):
        _ = DesignPackage.read(copy).files


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kernel,dsp\na,nan\nb,inf\n", "column 'dsp' has numbers that are not finite or not in plain digits"),
        ("kernel,dsp\na,1_0\n", "column 'dsp' has numbers that are not finite or not in plain digits"),
        ('kernel\n"a', "not a table"),
        ("", "not a table"),
    ],
)
def test_a_report_that_is_no_table(text: str, says: str, copy: Path) -> None:
    (copy / "reports" / "resources.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        DesignPackage.read(copy).report("resources")
    assert (caught.value.code, caught.value.where) == ("bad-report", str(copy / "reports" / "resources.csv"))
    assert says in caught.value.what


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("fifos", "depth_tokens", "depth", "has no column 'depth_tokens'"),
        ("fifos", f"{'load_x__fork_load_x'},4,3", "load_x__fork_load_x,4,3.5", "not a whole number"),
    ],
)
def test_a_report_without_what_it_is_asked_for(name: str, old: str, new: str, says: str, copy: Path) -> None:
    replaced(f"reports/{name}.csv", old, new)(copy)
    with pytest.raises(InputError, match=says) as caught:
        _ = DesignPackage.read(copy).timed_graph
    assert caught.value.code == "bad-report"


def test_a_folder_without_lanes_has_none(copy: Path) -> None:
    (copy / "reports" / "kernels.csv").write_text("kernel,lanes\na_unit0of2,4\na_unit1of2,4\nb,2\n")
    assert read_lanes(copy) == ("a:8", "b:2")
    for text in ("kernel,lanes\na,many\n", "kernel\na\n"):
        (copy / "reports" / "kernels.csv").write_text(text)
        with pytest.raises(InputError, match=r"no readable reports/kernels\.csv") as caught:
            read_lanes(copy)
        assert caught.value.code == "no-lanes"


# --- What a synthesis tool achieved


def achieved_of(package: DesignPackage, **changes: object) -> Achieved:
    job = AchievedJob(
        name="attn_norm",
        processes=("attn_norm",),
        units=1,
        release="2023.2",
        target_ns=4.0,
        estimated_ns=2.9,
        loops=(ReportedLoop(function="attn_norm", name="L", trips=4, ii=1, depth=9),),
        dsp=1,
        lut=2,
        ff=3,
        bram18=0,
        uram=0,
    )
    process = AchievedProcess(process="attn_norm", job="attn_norm", loops=(AchievedLoop(ii=1, latency=9),))
    facts = {"kernel_sha256": package.kernel_sha256, "jobs": (job,), "processes": (process,)}
    return Achieved(**(facts | changes))  # pyright: ignore[reportArgumentType]


def test_what_a_tool_achieved_is_kept_with_the_cpp_that_it_is_about(copy: Path) -> None:
    found = DesignPackage.read(copy)
    with pytest.raises(InputError) as caught:
        _ = found.achieved
    assert (caught.value.code, caught.value.hints) == ("not-calibrated", (f"run 'sttest calibrate {copy}'",))
    first, second = achieved_of(found), achieved_of(found, processes=())
    assert found.write_achieved(first) == copy / "reports" / "achieved.json"
    assert found.achieved == DesignPackage.read(copy).achieved == first
    found.write_achieved(second)
    assert found.achieved == second
    assert found.jobs_folder == copy / "calibrate"
    with (copy / "hls" / "kernel.cpp").open("a") as file:
        file.write("// edited\n")
    with pytest.raises(InputError, match=r"reports/achieved\.json is about other C\+\+ than hls/kernel\.cpp") as caught:
        _ = DesignPackage.read(copy).achieved
    assert caught.value.code == "files-disagree"


def test_a_build_by_hand_has_the_banks_of_its_report_and_its_signature(copy: Path) -> None:
    found = DesignPackage.read(copy)
    design = found.files.design
    (first, *rest) = design.kernels[0].arguments
    moved = first.model_copy(update={"banks": (9,)})
    kernel = design.kernels[0].model_copy(update={"arguments": (moved, *rest)})
    found.write_build_files(
        "[connectivity]\n",
        "all:\n",
        design.model_copy(update={"kernels": (kernel,)}),
        f"argument,index,port,banks,access,buffer_bytes\n{first.name},0,{first.name},9,read,256\n",
    )
    assert found.files.kernel.arguments[0] == moved  # what was read before is read again
    assert (copy / "hls" / "link.cfg").read_text() == "[connectivity]\n"
    assert (copy / "hls" / "Makefile").read_text() == "all:\n"


# --- What is not a package


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "no such folder"),
        (lambda path: path.write_text("x"), "a file, not a design package: neither JSON nor XML"),
        (lambda path: path.mkdir(), r"no design package, manifest\.json missing"),
        (os.mkfifo, "it is a named pipe"),
    ],
    ids=["nothing", "file", "folder", "pipe"],
)
def test_what_stands_in_the_place_of_a_package_is_said(
    make: Callable[[Path], object], says: str, tmp_path: Path
) -> None:
    make(tmp_path / "p")
    with pytest.raises(InputError, match=says) as caught:
        DesignPackage.read(tmp_path / "p")
    assert (caught.value.code, caught.value.where) == ("no-package", str(tmp_path / "p"))


def test_graphs_come_from_packages_and_files(design: CompiledDesign, package: DesignPackage, tmp_path: Path) -> None:
    write_timed_graph(design.graph, tmp_path / "graph.json")
    assert load_graph(package.folder) == load_graph(tmp_path / "graph.json") == design.graph


def test_lanes_need_no_more_than_their_report(design: CompiledDesign, package: DesignPackage, tmp_path: Path) -> None:
    write_lanes(design, tmp_path / "lanes")
    assert read_lanes(tmp_path / "lanes") == read_lanes(package.folder) == package.lanes


def manifest_with(**changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def with_section(section: str, **changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "manifest.json"
        manifest_with(**{section: json.loads(path.read_text())[section] | changes})(folder)

    return change


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def read_all(folder: Path) -> None:
    package = DesignPackage.read(folder)
    _ = package.timed_graph, package.reference_graph, package.files, package.files.rows, package.ir, package.activity


@pytest.mark.parametrize(
    ("change", "says"),
    {
        "nothing there": (shutil.rmtree, "no such folder"),
        "no manifest": (without("manifest.json"), r"no design package, manifest\.json missing"),
        "no JSON": (lambda folder: (folder / "manifest.json").write_text("{"), r"manifest\.json: not valid JSON"),
        "a newer schema": (manifest_with(schema="sttest.package/2"), "schema is 'sttest.package/2'"),
        "a key from elsewhere": (manifest_with(color="red"), "unknown key 'color'"),
        "a key of another type": (manifest_with(groups="one"), "groups: input should be a valid integer"),
        "fewer than none": (manifest_with(groups=-1), "groups: input should be greater than or equal to 0"),
        "more than there can be": (with_section("sizing", cycles=10**400), "sizing.cycles"),
        "resources beyond any": (with_section("resources", total={"lut": 10**400}), "resources.total.lut"),
        "no graph": (without("timed_graph.json"), r"not a whole design package, timed_graph\.json missing"),
        "no values": (without("values.json"), r"values\.json missing"),
        "no C++": (without("hls/kernel.cpp"), r"no hls/kernel\.cpp"),
        "no signature": (without("hls/signature.json"), r"signature\.json: cannot be read"),
        "no memory": (without("hls/memory.json"), r"memory\.json: cannot be read"),
        "no report": (without("reports/fifos.csv"), r"reports/fifos\.csv missing"),
        "no activity": (without("reports/activity.csv"), r"reports/activity\.csv missing"),
    }.values(),
)
def test_what_is_no_whole_package_is_refused(change: Callable[[Path], object], says: str, copy: Path) -> None:
    change(copy)
    with pytest.raises(InputError, match=says) as raised:
        read_all(copy)
    assert "\n" not in str(raised.value)


FIFO = "load_x__fork_load_x"


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (path,) = folder.glob(name)
        text, count = re.subn(old, new, path.read_text(), count=1, flags=re.DOTALL)
        assert count == 1
        path.write_text(text)

    return change


def with_banks(folder: Path) -> None:
    (folder / "reports" / "banks.csv").write_text("argument,index,port,banks,access,buffer_bytes\nx,0,x,7,read,256\n")


@pytest.mark.parametrize(
    ("change", "says"),
    {
        "depth in a report": (
            replaced("reports/fifos.csv", f"{FIFO},4,3", f"{FIFO},4,9"),
            rf"depth of '{FIFO}' is 3 in timed_graph\.json and 9 in reports/fifos\.csv",
        ),
        "depth in the reference graph": (
            replaced("values.json", r'"depth": ?3\b', '"depth": 9'),
            rf"depth of '{FIFO}' is 9 in values\.json and 3 in timed_graph\.json",
        ),
        "depth in the C++": (
            replaced("hls/kernel.cpp", r", 3> x_in", ", 9> x_in"),
            rf"depth of '{FIFO}' is 9 in hls/kernel\.cpp and 3 in timed_graph\.json",
        ),
        "depth in the IR": (
            replaced("ir/*_schedule-processes.mlir", r"depth: 3>", "depth: 9>"),
            rf"depth of '{FIFO}' is 9 in ir/\d+_schedule-processes.* and 3 in timed_graph\.json",
        ),
        "lanes in the IR": (
            replaced("ir/*_schedule-processes.mlir", r" lanes 16 ", " lanes 8 "),
            r"lanes of 'attn_norm' is 8 in ir/\d+_schedule-processes.* and 16 in reports/kernels\.csv",
        ),
        "channel in a report": (
            replaced("reports/memory.csv", "hbm0", "hbm9"),
            r"channels of 'load_x' is hbm0 in timed_graph\.json and hbm9 in reports/memory\.csv",
        ),
        "bank in the signature": (
            replaced("hls/signature.json", r'"banks": \[\s*0\s*\]', '"banks": [9]'),
            r"channels of 'load_x' is hbm9 in hls/signature\.json and hbm0 in timed_graph\.json",
        ),
        "bank of a build": (with_banks, r"banks of 'x' is 0 in hls/signature\.json and 7 in reports/banks\.csv"),
        "port": (
            replaced("hls/memory.json", '"dma": "load_x"', '"dma": "load_z"'),
            r"port 'load_x' is not in both timed_graph\.json and hls/memory\.json",
        ),
        "argument": (
            replaced("hls/memory.json", '"name": "x"', '"name": "z"'),
            r"arguments are z, .* in memory\.json and x, .* in signature\.json",
        ),
        "clock": (manifest_with(clock_mhz=300.0), r"clock_mhz of 'small' is 300\.0 in manifest\.json and 250\.0 in"),
        "board": (
            replaced("hls/signature.json", '"board": "u55c"', '"board": "u280"'),
            r"board of 'small' is u55c in manifest\.json and u280 in hls/signature\.json",
        ),
    }.values(),
)
def test_files_that_contradict_each_other_are_refused(change: Callable[[Path], None], says: str, copy: Path) -> None:
    change(copy)
    with pytest.raises(InputError, match=says) as raised:
        read_all(copy)
    assert "\n" not in str(raised.value)


def test_deeper_fifos_may_cost_cycles_where_channels_are_shared(copy: Path) -> None:
    """A design of 24 layers takes 12,000 cycles more with FIFOs that are never full: its package is readable."""
    sizing = json.loads((copy / "manifest.json").read_text())["sizing"]
    manifest_with(sizing=sizing | {"unbounded_cycles": sizing["cycles"] + 5, "lost_cycles": -5})(copy)
    assert DesignPackage.read(copy).manifest.sizing.lost_cycles == -5
