// AMD's FIR filter by its profile: a sample in or out takes a cycle, in proportion to the lengths, whatever the sample
// period. Values are not computed.
#ifndef STTEST_HLS_FIR_H
#define STTEST_HLS_FIR_H
#include "ap_fixed.h"
namespace hls {
namespace ip_fir {
enum filter { single_rate = 0, interpolation, decimation, hilbert, interpolated };
enum rate { integer = 0, fixed_fractional };
enum quantization { integer_coefficients = 0, quantize_only, maximize_dynamic_range };
enum output_rounding { full_precision = 0, truncate_lsbs, non_symmetric_rounding_down, non_symmetric_rounding_up,
                       symmetric_rounding_to_zero, symmetric_rounding_to_infinity, convergent_rounding_to_even };
enum channel_sequence { basic = 0, advanced };
enum optimization { area = 0, speed, none };
enum best_precision { inferred = 0, non_symmetric, symmetric };
struct params_t {
  static const unsigned input_width = 16, input_fractional_bits = 0, output_width = 24, output_fractional_bits = 0;
  static const unsigned coeff_width = 16, coeff_fractional_bits = 0, num_coeffs = 21, coeff_sets = 1;
  static const unsigned input_length = 128, output_length = 128, num_channels = 1, total_num_coeff = 21;
  static const unsigned filter_type = single_rate, rate_change = integer, interp_rate = 1, decim_rate = 1;
  static const unsigned zero_pack_factor = 1, rate_specification = 0, hardware_oversampling_rate = 1;
  static const bool reloadable = false;
  static constexpr double sample_period = 1;
};
}  // namespace ip_fir

}  // namespace hls

namespace amd_ip {  // processes of their own, unlike what else is in namespace hls
template <class P, class Read, class Write> STTEST_INLINE void samples(Read read, Write write) {
  const long in = P::input_length * P::num_channels, out = P::output_length * P::num_channels;
  const long most = in > out ? in : out;
fir_samples:
  for (long i = 0; i < most; i++) {
#pragma HLS pipeline II = 1
    if ((i + 1) * in / most > i * in / most) read(i * in / most);
    if ((i + 1) * out / most > i * out / most) write(i * out / most);
  }
}
template <class P, class I, class O> void fir(hls::stream<I> &in, hls::stream<O> &out) {
  samples<P>([&](long) { in.read(); }, [&](long) { out.write(O()); });
}
template <class P, class I, class O> void fir(I *in, O *out) {
  samples<P>([&](long i) { volatile I sample = in[i]; }, [&](long i) { out[i] = O(); });
}
}  // namespace amd_ip

namespace hls {
template <class P> class FIR {
 public:
  template <class I, class O, class... A> STTEST_INLINE void run(stream<I> &in, stream<O> &out, A &&...) {
    amd_ip::fir<P>(in, out);
  }
  template <class I, class O, class... A> STTEST_INLINE void run(I *in, O *out, A &&...) { amd_ip::fir<P>(in, out); }
};
}  // namespace hls
#endif
