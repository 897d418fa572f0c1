"""A design in the folders of the Stream-HLS artifact, with a report per module."""

import shutil
import subprocess

import pytest
from hls_designs import loop, report

from sttest.core.errors import DeadlockError, InputError
from sttest.importers.streamhls import design_name, read_streamhls, write_depths
from sttest.sim import simulate

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")
CPP = """
void node0(hls::stream<float> v0[2], float v1[8]) {
  loop0: for (int v2 = 0; v2 < 4; v2++) {
    #pragma HLS pipeline II=1
    loop1: for (int v3 = 0; v3 < 2; v3++) {
      float v4 = v0[v3].read();
      v1[(v3 + (v2 * 2))] = v4;
    }
  }
  return ;
}

void node1(hls::stream<float> &v5, hls::stream<float> v6[2], float v7) {
  float v8[4];
  loop2: for (int v9 = 0; v9 < 3; v9++) {
    loop3: for (int v10 = 0; v10 < 4; v10++) {
      #pragma HLS pipeline II=1
      loop4: for (int v11 = 0; v11 < 2; v11++) {
        if ((v11 + (v9 * 2)) == 0) {
          float v12 = v5.read();
          v8[v10] = v12;
        }
        if (((v11 + (v9 * 2)) - 5) >= 0) {
          v6[0].write(v7);
          v6[1].write(v7);
        }
      }
    }
  }
  return ;
}

void node2(float v13[4], hls::stream<float> &v14) {
  loop5: for (int v15 = 0; v15 < 4; v15++) {
    #pragma HLS pipeline II=1
    v14.write(v13[v15]);
  }
  return ;
}

void forward(float v16[4], float v17[8]) {
	#pragma HLS DATAFLOW
  hls::stream<float> v18[2];
	#pragma HLS STREAM variable=v18 depth=4	// L9
  hls::stream<float> v19("fifo_1");
	#pragma HLS STREAM variable=v19 depth=12
  node2(v16, v19);
  node1(v19, v18, 0.000000);
  node0(v18, v17);
  return ;
}
"""
LOOPS = {"node0": loop("loop0", 4, 1, 2), "node1": loop("loop2_loop3", 12, 1, 7), "node2": loop("loop5", 4, 1, 5)}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "Set" / "opt9" / "Small"
    reports = folder / "hls" / "hls_Small" / "solution1" / "syn" / "report"
    reports.mkdir(parents=True)
    (folder / "hls" / "src").mkdir()
    (folder / "hls" / "src" / "Small.cpp").write_text(CPP, encoding="utf-8")
    (folder / "hls" / "src" / "Small_tb.cpp").write_text("int main() { return 0; }", encoding="utf-8")
    (reports / "forward_csynth.xml").write_text(report("forward"), encoding="utf-8")
    for name, loops in LOOPS.items():
        (reports / f"{name}_csynth.xml").write_text(report(name, loops=loops), encoding="utf-8")
    return folder


def test_streams_tasks_and_stages(folder):
    graph = read_streamhls(folder)
    assert (graph.name, design_name(folder), graph.clock_mhz) == ("set_opt9_small", "set_opt9_small", 300.0)
    assert [(fifo.name, fifo.depth) for fifo in graph.fifos] == [("v18[0]", 4), ("v18[1]", 4), ("v19", 12)]
    assert [(process.name, process.end) for process in graph.processes] == [("node2", 9), ("node1", 19), ("node0", 6)]
    assert simulate(graph).verdict == "done"


def test_a_design_that_waits_for_ever_has_the_loops_of_its_reports(folder):
    path = folder / "hls" / "src" / "Small.cpp"
    path.write_text(CPP.replace("(v9 * 2)) == 0", "(v9 * 2)) >= 0"), encoding="utf-8")
    with pytest.raises(DeadlockError, match=r"whatever the depths are: node1 waits for 'v19' \(Small.cpp line 20\)"):
        read_streamhls(folder)


def test_depths_go_back(folder, tmp_path):
    write_depths(read_streamhls(folder).with_depths({"v18[0]": 3, "v18[1]": 5, "v19": 6}), folder, tmp_path / "d.patch")
    text = (tmp_path / "d.patch").read_text(encoding="utf-8")
    assert "+++ b/hls/src/Small.cpp" in text
    assert "+\t#pragma HLS STREAM variable=v18 depth=5\t// L9\n" in text
    subprocess.run(["patch", "-p1", "-d", folder, "-i", tmp_path / "d.patch"], check=True, capture_output=True)
    assert [fifo.depth for fifo in read_streamhls(folder).fifos] == [5, 5, 6]


@pytest.mark.parametrize(
    ("missing", "told"), [("Small.cpp", "0 C[+][+] files"), ("node1_csynth.xml", "no report of 'node1'")]
)
def test_what_is_missing_is_named(folder, missing, told):
    next(folder.rglob(missing)).unlink()
    with pytest.raises(InputError, match=told):
        read_streamhls(folder)


def test_two_folders_of_reports_are_not_told_apart(folder):
    (folder / "hls" / "hls_Small" / "solution2" / "syn" / "report").mkdir(parents=True)
    with pytest.raises(InputError) as caught:
        read_streamhls(folder)
    assert (caught.value.code, caught.value.where) == ("no-report", str(folder))
    assert str(caught.value).endswith("2 folders hls/*/*/syn/report, not one; name the folder of one design")
