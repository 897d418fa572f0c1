"""What `import hls` is told by --set, and AMD's libraries that are read by their profile."""

import shutil
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.cpp import places, read_hls
from sttest.sim import TimedGraph, simulate

pytestmark = pytest.mark.skipif(shutil.which("clang++") is None, reason="clang not found; apt-get install clang")

# A number that goes to the tasks through a stream, as in kernels that are started again and again.
PASSED_ON = """
#include <hls_stream.h>
void make(hls::stream<int> &control, hls::stream<int> &further, hls::stream<int> &out) {
  int count = control.read();
  further.write(count);
  a: for (int i = 0; i < count; i++) { out.write(i); }
}
void take(hls::stream<int> &control, hls::stream<int> &in, int *sums) {
  int count = control.read();
  b: for (int i = 0; i < count; i++) { sums[i] = in.read(); }
}
void top(int *sums, int count) {
  hls::stream<int> first, second, s;
  first.write(count);
  #pragma HLS dataflow
  make(first, second, s);
  take(second, s, sums);
}
"""
MACRO = """
#include <hls_stream.h>
void make(hls::stream<int> &out) { a: for (int i = 0; i < COUNT; i++) { out.write(i); } }
void take(hls::stream<int> &in, int *sums) { b: for (int i = 0; i < COUNT; i++) { sums[i] = in.read(); } }
void top(int *sums) {
  #pragma HLS dataflow
  hls::stream<int> s;
  make(s);
  take(s, sums);
}
"""
THROWS = """
#include <array>
#include <stdexcept>
#include <hls_stream.h>
int checked(int i) {
  if (i > 100) throw std::out_of_range("beyond the array");
  return i;
}
""" + MACRO.replace("out.write(i)", "out.write(checked(i))").replace("COUNT", "7")
TRANSFORM = """
#include <hls_fft.h>
#include <complex>
typedef std::complex<float> sample;
struct config : hls::ip_fft::params_t { static const unsigned max_nfft = 5; };
void make(const float *p, hls::stream<sample> &out, hls::stream<float> &beside) {
  a: for (int i = 0; i < 32; i++) {
    #pragma HLS pipeline II=1
    out.write(sample(p[i], 0)); beside.write(p[i]);
  }
}
void take(hls::stream<sample> &in, hls::stream<float> &beside, float *m) {
  b: for (int i = 0; i < 32; i++) {
    #pragma HLS pipeline II=1
    m[i] = in.read().real() * beside.read();
  }
}
void top(const float *p, float *m) {
  #pragma HLS dataflow
  hls::stream<sample> before, after;
  hls::stream<float> beside;
  make(p, before, beside);
  hls::fft<config>(before, after, true, 0);
  take(after, beside, m);
}
"""
FILTER = """
#include <hls_fir.h>
#include <hls_stream.h>
struct config : hls::ip_fir::params_t {
  static const unsigned input_length = 40, output_length = 20, filter_type = hls::ip_fir::decimation, decim_rate = 2;
};
void make(const short *p, hls::stream<short> &out) {
  a: for (int i = 0; i < 40; i++) {
    #pragma HLS pipeline II=1
    out.write(p[i]);
  }
}
void take(hls::stream<int> &in, int *m) {
  b: for (int i = 0; i < 20; i++) {
    #pragma HLS pipeline II=1
    m[i] = in.read();
  }
}
void top(const short *p, int *m) {
  #pragma HLS dataflow
  hls::stream<short> before;
  hls::stream<int> after;
  static hls::FIR<config> filter;
  make(p, before);
  filter.run(before, after);
  take(after, m);
}
"""


def read(folder: Path, text: str, notes: list[str] | None = None, **values: str) -> TimedGraph:
    path = folder / "design.cpp"
    path.write_text(text, encoding="utf-8")
    return read_hls(path, values=values, notes=notes)


def test_a_number_that_goes_through_a_stream_is_asked_for(tmp_path):
    with pytest.raises(InputError, match="into which 'count' of 'top' may go"):
        read(tmp_path, PASSED_ON, data="0")
    short, long = (simulate(read(tmp_path, PASSED_ON, data="0", count=count)).cycles or 0 for count in ("4", "40"))
    assert long - short >= 36


def test_a_macro_of_the_command_line_is_given_as_other_numbers_are(tmp_path):
    with pytest.raises(InputError, match="undeclared identifier 'COUNT'"):
        read(tmp_path, MACRO)
    short, long = (simulate(read(tmp_path, MACRO, COUNT=count)).cycles or 0 for count in ("4", "40"))
    assert long - short >= 36


@pytest.mark.parametrize(("name", "told"), [("COUMT", "COUMT"), ("cuont", "did you mean 'count'")])
def test_a_number_of_what_is_not_there_is_refused(tmp_path, name, told):
    text = PASSED_ON if name == "cuont" else MACRO.replace("COUNT", "6")
    with pytest.raises(InputError, match="no scalar of 'top' and no macro is called") as caught:
        read(tmp_path, text, **{name: "6"})
    assert told in str(caught.value)


def test_places_are_of_the_design_that_was_asked_for_and_not_of_the_last_one(tmp_path):
    again = MACRO
    for name, other in {"top": "other", "make": "produce", "take": "consume"}.items():
        again = again.replace(name, other)
    text = MACRO + again
    path = tmp_path / "design.cpp"
    path.write_text(text.replace("COUNT", "6"), encoding="utf-8")
    read_hls(path, top="other")
    assert {place.line for place in places(path, top="top").processes.values()} != {
        place.line for place in places(path, top="other").processes.values()
    }


def test_code_beside_a_kernel_may_throw(tmp_path):
    assert simulate(read(tmp_path, THROWS)).verdict == "done"


def test_a_transform_holds_all_samples_so_that_what_goes_beside_it_must_too(tmp_path):
    notes: list[str] = []
    graph = read(tmp_path, TRANSFORM, notes)
    stuck = simulate(graph)
    assert stuck.deadlock is not None
    (fix,) = stuck.deadlock.fix.items()
    assert fix[0] == "beside"
    assert 30 <= fix[1] <= 32
    assert any("fft of AMD's libraries" in note for note in notes)


@pytest.mark.daily
def test_a_filter_passes_samples_at_its_rate(tmp_path):
    notes: list[str] = []
    graph = read(tmp_path, FILTER, notes)
    found = simulate(graph)
    assert found.verdict == "done"
    assert 40 <= (found.cycles or 0) <= 60
    assert any("fir of AMD's libraries" in note for note in notes)
