// AMD's FFT by its profile: all samples of a transform are read before the first is written. Values are not computed.
#ifndef STTEST_HLS_FFT_H
#define STTEST_HLS_FFT_H
#include "ap_fixed.h"
#include "hls_vector.h"
namespace hls {
namespace ip_fft {
enum arch { mixed_radix = 0, radix_4_burst_io, radix_2_burst_io, pipelined_streaming_io, radix_2_lite_burst_io };
enum ordering { bit_reversed_order = 0, natural_order };
enum scaling { unscaled = 0, scaled, block_floating_point };
enum rounding { truncation = 0, convergent_rounding };
enum mem { block_ram = 0, distributed_ram };
enum opt { use_luts = 0, use_mults_resources, use_mults_performance, use_xtremedsp_slices };
struct params_t {
  static const unsigned input_width = 16, output_width = 16, status_width = 8, config_width = 16, max_nfft = 10;
  static const unsigned channels = 1, phase_factor_width = 16, stages_block_ram = 0, super_sample_rate = 1;
  static const unsigned arch_opt = pipelined_streaming_io, ordering_opt = bit_reversed_order, scaling_opt = scaled;
  static const unsigned rounding_opt = truncation, mem_data = block_ram, mem_phase_factors = block_ram;
  static const unsigned mem_reorder = block_ram, complex_mult_type = use_mults_resources, butterfly_type = use_luts;
  static const bool has_nfft = false, ovflo = true, mem_hybrid = false, use_native_float = false;
};
struct ssr_params_t : params_t {};
template <class P> struct config_t {
  template <class... A> void setNfft(A...) {}
  template <class... A> void setDir(A...) {}
  template <class... A> void setSch(A...) {}
  template <class... A> void setCpLen(A...) {}
};
template <class P> struct status_t {
  template <class... A> bool getOvflo(A...) { return false; }
  template <class... A> unsigned getBlkExp(A...) { return 0; }
};
template <class T> struct Lanes { static constexpr int value = 1; };
template <class T, unsigned long N> struct Lanes<vector<T, N>> { static constexpr int value = N; };
}  // namespace ip_fft

}  // namespace hls

namespace amd_ip {  // processes of their own, unlike what else is in namespace hls
template <class P, class I, class O> void fft(hls::stream<I> &in, hls::stream<O> &out) {
  static_assert(!P::has_nfft, "a transform whose length is set when it runs is not read");
  const int count = (1 << P::max_nfft) * P::channels / hls::ip_fft::Lanes<I>::value;
fft_in:
  for (int i = 0; i < count; i++) {
#pragma HLS pipeline II = 1
    in.read();
  }
fft_out:
  for (int i = 0; i < count; i++) {
#pragma HLS pipeline II = 1
    out.write(O());
  }
}
template <class P, class I, class O> void fft(I *in, O *out) {
  static_assert(!P::has_nfft, "a transform whose length is set when it runs is not read");
  const int count = (1 << P::max_nfft) * P::channels / P::super_sample_rate;
fft_in:
  for (int i = 0; i < count; i++) {
#pragma HLS pipeline II = 1
    volatile I sample = in[i];
  }
fft_out:
  for (int i = 0; i < count; i++) {
#pragma HLS pipeline II = 1
    out[i] = O();
  }
}
}  // namespace amd_ip

namespace hls {
template <class P, class I, class O, class... A> STTEST_INLINE void fft(stream<I> &in, stream<O> &out, A &&...) {
  amd_ip::fft<P>(in, out);
}
template <class P, class I, class O, class... A> STTEST_INLINE void fft(I *in, O *out, A &&...) { amd_ip::fft<P>(in, out); }
}  // namespace hls
#endif
