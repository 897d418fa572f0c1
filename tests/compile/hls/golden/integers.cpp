// What several processes do, for any sizes and types.
// Types of tokens and blocks, and functions on single values.

#include <ap_int.h>
#include <hls_half.h>
#include <hls_math.h>
#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_vector.h>

// Compilers other than the tool's know neither its directives nor who reads the labels of loops.  (GCC before 13
// needs -Wno-unknown-pragmas on the command line as well.)
#if defined(__GNUC__) && !defined(__SYNTHESIS__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-label"
#endif

template <class T> using fifo = hls::stream<T>;
template <class T> using ping_pong = hls::stream_of_blocks<T>;
typedef hls::vector<ap_int<32>, 16> i32x16;
typedef hls::vector<ap_int<4>, 64> i4x64;
typedef hls::vector<ap_int<8>, 64> i8x64;
typedef hls::vector<ap_uint<1>, 64> i1x64;
typedef hls::vector<float, 16> f32x16;
typedef hls::vector<half, 32> f16x32;

// All words of a token at once, each through a FIFO of its own.
template <int WORDS, class T>
static void read_words(fifo<T> (&from)[WORDS], T (&token)[WORDS]) {
#pragma HLS inline
  words: for (int w = 0; w < WORDS; ++w) {
#pragma HLS unroll
    token[w] = from[w].read();
  }
}

template <int WORDS, class T>
static void write_words(fifo<T> (&to)[WORDS], const T (&token)[WORDS]) {
#pragma HLS inline
  words: for (int w = 0; w < WORDS; ++w) {
#pragma HLS unroll
    to[w].write(token[w]);
  }
}

// The binary32 number with these bits.
static inline float float_of_bits(unsigned int bits) {
  union { unsigned int bits; float value; } both;
  both.bits = bits;
  return both.value;
}

// The bits of a binary32 number.
static inline unsigned int bits_of_float(float value) {
  union { unsigned int bits; float value; } both;
  both.value = value;
  return both.bits;
}

// The nearest integer, halves to the even one, saturated at whole numbers below 2^22 (0 for NaN, which has none).
static inline int rounded(float value, int low, int high) {
  const unsigned int bits = bits_of_float(value), exponent = (bits >> 23) & 0xffu, below = bits & 0x7fffffu;
  if (exponent >= 150u) return exponent == 0xffu && below ? 0 : bits >> 31 ? low : high;  // from 2^23 on, or NaN
  if (exponent < 126u) return low > 0 ? low : high < 0 ? high : 0;  // below a half
  const unsigned int significand = below | 0x800000u, shift = 150u - exponent;
  const unsigned int whole = significand >> shift, rest = significand & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
  const int up = rest > tie || (rest == tie && (whole & 1u)), magnitude = static_cast<int>(whole) + up;
  const int number = bits >> 31 ? -magnitude : magnitude;
  return number < low ? low : number > high ? high : number;
}

// A product of integers in a DSP, which the tool would make of LUTs if they are narrow.
static inline ap_int<32> dsp_product(ap_int<32> a, ap_int<32> b) {
#pragma HLS inline
  ap_int<32> product;
#pragma HLS bind_op variable=product op=mul impl=dsp
  product = a * b;
  return product;
}

// The binary16 number with these bits, by way of the equal binary32 number (a half can't be in a union).
static inline half half_of_bits(unsigned int bits) {
  const unsigned int sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu;
  unsigned int fraction = bits & 0x3ffu;
  unsigned int wide = exponent == 0x1fu ? 0xffu : exponent ? exponent + 112u : fraction ? 113u : 0u;
  if (exponent == 0 && fraction) {  // below 2^-14: multiples of 2^-24, whose first one becomes the hidden bit
    if (fraction < 0x8u) { fraction <<= 8; wide -= 8u; }  // as many zeros in front as all shifts together
    if (fraction < 0x80u) { fraction <<= 4; wide -= 4u; }
    if (fraction < 0x200u) { fraction <<= 2; wide -= 2u; }
    if (fraction < 0x400u) { fraction <<= 1; wide -= 1u; }
  }
  return half(float_of_bits(sign | (wide << 23) | ((fraction & 0x3ffu) << 13)));
}

// The bits of a binary16 number, which binary32 holds exactly.
static inline unsigned int bits_of_half(half value) {
  const unsigned int bits = bits_of_float(static_cast<float>(value));
  const unsigned int sign = (bits >> 16) & 0x8000u, exponent = (bits >> 23) & 0xffu, fraction = (bits >> 13) & 0x3ffu;
  if (exponent == 0xffu) return sign | 0x7c00u | fraction;
  if (exponent >= 113u) return sign | ((exponent - 112u) << 10) | fraction;
  if (exponent < 103u) return sign;
  return sign | ((fraction | 0x400u) >> (113u - exponent));  // below 2^-14: multiples of 2^-24
}

// A word of memory holds elements; these take out, and put in, the one of a number.
static inline half f16_of_word(const ap_uint<512>& word, int number) {
  return half_of_bits(ap_uint<16>(word.range(16 * number + 15, 16 * number)).to_uint());
}
static inline float f32_of_word(const ap_uint<512>& word, int number) {
  return float_of_bits(ap_uint<32>(word.range(32 * number + 31, 32 * number)).to_uint());
}
static inline ap_int<32> i32_of_word(const ap_uint<512>& word, int number) {
  return ap_int<32>(word.range(32 * number + 31, 32 * number));
}
static inline ap_int<4> i4_of_word(const ap_uint<512>& word, int number) {
  return ap_int<4>(word.range(4 * number + 3, 4 * number));
}
static inline ap_int<8> i8_of_word(const ap_uint<512>& word, int number) {
  return ap_int<8>(word.range(8 * number + 7, 8 * number));
}
static inline void f16_into_word(ap_uint<512>& word, int number, half value) {
  word.range(16 * number + 15, 16 * number) = ap_uint<16>(bits_of_half(value));
}
static inline void i32_into_word(ap_uint<512>& word, int number, ap_int<32> value) {
  word.range(32 * number + 31, 32 * number) = value;
}
static inline void i8_into_word(ap_uint<512>& word, int number, ap_int<8> value) {
  word.range(8 * number + 7, 8 * number) = value;
}

// Streams a tensor out of memory.
template <int TILES_0, int WORDS_1>
static void load_f32(const ap_uint<512>* memory, fifo<f32x16> (&to)[4]) {
#pragma HLS inline
  f32x16 token[4];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = memory[4 * t0 + w1];
      elements_0: for (int e0 = 0; e0 < 4; ++e0) {
        elements_1: for (int e1 = 0; e1 < 4; ++e1) {
          token[(16 * e0 + 4 * w1 + e1) / 16][(16 * e0 + 4 * w1 + e1) % 16] = f32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) write_words<4>(to, token);
    }
  }
}

// Streams a tensor into memory.
template <int TILES_0>
static void store_i8(ap_uint<512>* memory, fifo<i8x64>& from) {
#pragma HLS inline
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
#pragma HLS pipeline II=1
    const i8x64 token = from.read();
    ap_uint<512> word = 0;
    elements_0: for (int e0 = 0; e0 < 64; ++e0) {
      i8_into_word(word, e0, token[e0]);
    }
    memory[t0] = word;
  }
}


// How the top function calls a process.  The tool sees plain calls; a simulation on bounded FIFOs may define another.
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif
// Name and depth of FIFOs for the words of one token, which the tool has from directives.
#ifndef STTEST_FIFO
#define STTEST_FIFO(fifos, name, depth)
#endif

static void load_quantize_in0(const ap_uint<512>* a, fifo<f32x16> (&b)[4]) { load_f32<2, 4>(a, b); }
static void load_quantize_in1(const ap_uint<512>* a, fifo<f32x16> (&b)[4]) { load_f32<2, 4>(a, b); }

// Streams a tensor out of memory.
static void load_integers_in0(const ap_uint<512>* memory, fifo<i4x64>& to) {
  constexpr int WORDS = 1;
  words: for (int w = 0; w < WORDS; ++w) {
#pragma HLS pipeline II=2
    const ap_uint<512> word = memory[w];
    tiles_of_word: for (int n = 0; n < 2; ++n) {
      i4x64 token;
      elements_0: for (int e0 = 0; e0 < 64; ++e0) {
        token[e0] = i4_of_word(word, 64 * n + e0);
      }
      to.write(token);
    }
  }
}

// Streams a tensor out of memory.
static void load_integers_in1(const ap_uint<512>* memory, fifo<i8x64>& to) {
  constexpr int TILES_0 = 2;
  i8x64 token;
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = memory[t0];
    elements_0: for (int e0 = 0; e0 < 64; ++e0) {
      token[e0] = i8_of_word(word, e0);
    }
    to.write(token);
  }
}

// Streams a tensor out of memory.
static void load_narrow_in0(const ap_uint<512>* memory, fifo<i32x16> (&to)[4]) {
  constexpr int TILES_0 = 2, WORDS_1 = 4;
  i32x16 token[4];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = memory[4 * t0 + w1];
      elements_0: for (int e0 = 0; e0 < 4; ++e0) {
        elements_1: for (int e1 = 0; e1 < 4; ++e1) {
          token[(16 * e0 + 4 * w1 + e1) / 16][(16 * e0 + 4 * w1 + e1) % 16] = i32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) write_words<4>(to, token);
    }
  }
}

// Streams a tensor out of memory.
static void load_narrow_in1(const ap_uint<512>* memory, fifo<f16x32> (&to)[2]) {
  constexpr int TILES_0 = 2, WORDS_1 = 2;
  f16x32 token[2];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = memory[2 * t0 + w1];
      elements_0: for (int e0 = 0; e0 < 4; ++e0) {
        elements_1: for (int e1 = 0; e1 < 8; ++e1) {
          token[(16 * e0 + 8 * w1 + e1) / 32][(16 * e0 + 8 * w1 + e1) % 32] = f16_of_word(word, 8 * e0 + e1);
        }
      }
      if (w1 == 1) write_words<2>(to, token);
    }
  }
}
static void load_asked(const ap_uint<512>* a, fifo<f32x16> (&b)[4]) { load_f32<2, 4>(a, b); }

// y[i, j] = int(min(max(round(in0[i, j] / (abs(in1[i, j]) + 1)), -127), 127)).  Tiles of 4x16, 8 steps of 1 cycle.
static void quantize(fifo<f32x16> (&in0_in)[4], fifo<f32x16> (&in1_in)[4], fifo<i8x64>& y_out) {
  constexpr int TILES_1 = 2, STEPS_0 = 4, STEPS_1 = 2;
  f32x16 in0[4];
#pragma HLS array_partition variable=in0 type=complete dim=1
  f32x16 in1[4];
#pragma HLS array_partition variable=in1 type=complete dim=1
  i8x64 y;
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
    steps_0: for (int s0 = 0; s0 < STEPS_0; ++s0) {
      steps_1: for (int s1 = 0; s1 < STEPS_1; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) read_words<4>(in0_in, in0);
        if (s0 == 0 && s1 == 0) read_words<4>(in1_in, in1);
        results_1: for (int l1 = 0; l1 < 8; ++l1) {
          const float in0_i = in0[(16 * s0 + 8 * s1 + l1) / 16][(16 * s0 + 8 * s1 + l1) % 16];
          const float in1_i = in1[(16 * s0 + 8 * s1 + l1) / 16][(16 * s0 + 8 * s1 + l1) % 16];
          y[16 * s0 + 8 * s1 + l1] = ap_int<8>(rounded(in0_i / (hls::fabs(in1_i) + 1.0f), -127, 127));
        }
        if (s0 == 3 && s1 == 1) y_out.write(y);
      }
    }
  }
}

// y[i, j] = min(max(in0[i, j] * in1[i, j] - in0[i, j], in1[i, j]) * -70000 + max(in0[i, j] * in1[i, j] - in0[i, j],
// in1[i, j]) * -70000, -70000).  Tiles of 4x16, 8 steps of 1 cycle.
static void integers(fifo<i4x64>& in0_in, fifo<i8x64>& in1_in, fifo<i32x16> (&y_out)[4]) {
  constexpr int TILES_1 = 2, STEPS_0 = 4, STEPS_1 = 2;
  i4x64 in0;
  i8x64 in1;
  i32x16 y[4];
#pragma HLS array_partition variable=y type=complete dim=1
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
    steps_0: for (int s0 = 0; s0 < STEPS_0; ++s0) {
      steps_1: for (int s1 = 0; s1 < STEPS_1; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) in0 = in0_in.read();
        if (s0 == 0 && s1 == 0) in1 = in1_in.read();
        results_1: for (int l1 = 0; l1 < 8; ++l1) {
          const ap_int<8> in1_i = in1[16 * s0 + 8 * s1 + l1];
          const ap_int<8> wide = in0[16 * s0 + 8 * s1 + l1];
          const ap_int<8> difference = ap_int<8>(dsp_product(wide, in1_i)) - wide;
          const ap_int<8> maximum = difference < in1_i ? in1_i : difference;
          const ap_int<32> product_2 = dsp_product(ap_int<32>(maximum), ap_int<32>(-70000));
          const ap_int<32> sum = product_2 + product_2;
          const ap_int<32> minimum = ap_int<32>(-70000) < sum ? ap_int<32>(-70000) : sum;
          y[(16 * s0 + 8 * s1 + l1) / 16][(16 * s0 + 8 * s1 + l1) % 16] = minimum;
        }
        if (s0 == 3 && s1 == 1) write_words<4>(y_out, y);
      }
    }
  }
}

// y[i, j] = low(in0[i, j]) * in1[i, j].  Tiles of 4x16, 8 steps of 1 cycle.
static void narrow(fifo<i32x16> (&in0_in)[4], fifo<f16x32> (&in1_in)[2], fifo<f16x32> (&y_out)[2]) {
  constexpr int TILES_1 = 2, STEPS_0 = 4, STEPS_1 = 2;
  i32x16 in0[4];
#pragma HLS array_partition variable=in0 type=complete dim=1
  f16x32 in1[2];
#pragma HLS array_partition variable=in1 type=complete dim=1
  f16x32 y[2];
#pragma HLS array_partition variable=y type=complete dim=1
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
    steps_0: for (int s0 = 0; s0 < STEPS_0; ++s0) {
      steps_1: for (int s1 = 0; s1 < STEPS_1; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) read_words<4>(in0_in, in0);
        if (s0 == 0 && s1 == 0) read_words<2>(in1_in, in1);
        results_1: for (int l1 = 0; l1 < 8; ++l1) {
          const ap_int<32> in0_i = in0[(16 * s0 + 8 * s1 + l1) / 16][(16 * s0 + 8 * s1 + l1) % 16];
          const half in1_i = in1[(16 * s0 + 8 * s1 + l1) / 32][(16 * s0 + 8 * s1 + l1) % 32];
          const float product = static_cast<float>(ap_int<8>(in0_i).to_int()) * static_cast<float>(in1_i);
          y[(16 * s0 + 8 * s1 + l1) / 32][(16 * s0 + 8 * s1 + l1) % 32] = half(product);
        }
        if (s0 == 3 && s1 == 1) write_words<2>(y_out, y);
      }
    }
  }
}

// ask[i, j] = cmpf(asked[i, j], asked[i, j]) ? cmpf(asked[i, j], asked[i, j]) : (asked[i, j] > 0).  Tiles of 4x16, 4
// steps of 1 cycle.
static void ask(fifo<f32x16> (&asked_in)[4], fifo<i1x64>& ask_out) {
  constexpr int TILES_1 = 2, STEPS_0 = 4;
  f32x16 asked[4];
#pragma HLS array_partition variable=asked type=complete dim=1
  i1x64 ask;
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
    steps_0: for (int s0 = 0; s0 < STEPS_0; ++s0) {
#pragma HLS pipeline II=1
      if (s0 == 0) read_words<4>(asked_in, asked);
      results_1: for (int l1 = 0; l1 < 16; ++l1) {
        const float asked_i = asked[(16 * s0 + l1) / 16][(16 * s0 + l1) % 16];
        const bool holds = asked_i != asked_i || asked_i != asked_i;
        ask[16 * s0 + l1] = holds ? holds : (asked_i > 0.0f);
      }
      if (s0 == 3) ask_out.write(ask);
    }
  }
}

// answer[i, j] = ask[i, j].  Tiles of 4x16, 4 steps of 1 cycle.
static void answer(fifo<i1x64>& ask_in, fifo<i8x64>& answer_out) {
  constexpr int TILES_1 = 2, STEPS_0 = 4;
  i1x64 ask;
  i8x64 answer;
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
    steps_0: for (int s0 = 0; s0 < STEPS_0; ++s0) {
#pragma HLS pipeline II=1
      if (s0 == 0) ask = ask_in.read();
      results_1: for (int l1 = 0; l1 < 16; ++l1) {
        answer[16 * s0 + l1] = ap_int<8>(bool(ask[16 * s0 + l1]) ? -1 : 0);
      }
      if (s0 == 3) answer_out.write(answer);
    }
  }
}
static void store_quantize_out(ap_uint<512>* a, fifo<i8x64>& b) { store_i8<2>(a, b); }

// Streams a tensor into memory.
static void store_integers_out(ap_uint<512>* memory, fifo<i32x16> (&from)[4]) {
  constexpr int TILES_0 = 2, WORDS_1 = 4;
  i32x16 token[4];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
      if (w1 == 0) read_words<4>(from, token);
      ap_uint<512> word = 0;
      elements_0: for (int e0 = 0; e0 < 4; ++e0) {
        elements_1: for (int e1 = 0; e1 < 4; ++e1) {
          i32_into_word(word, 4 * e0 + e1, token[(16 * e0 + 4 * w1 + e1) / 16][(16 * e0 + 4 * w1 + e1) % 16]);
        }
      }
      memory[4 * t0 + w1] = word;
    }
  }
}

// Streams a tensor into memory.
static void store_narrow_out(ap_uint<512>* memory, fifo<f16x32> (&from)[2]) {
  constexpr int TILES_0 = 2, WORDS_1 = 2;
  f16x32 token[2];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
      if (w1 == 0) read_words<2>(from, token);
      ap_uint<512> word = 0;
      elements_0: for (int e0 = 0; e0 < 4; ++e0) {
        elements_1: for (int e1 = 0; e1 < 8; ++e1) {
          f16_into_word(word, 8 * e0 + e1, token[(16 * e0 + 8 * w1 + e1) / 32][(16 * e0 + 8 * w1 + e1) % 32]);
        }
      }
      memory[2 * t0 + w1] = word;
    }
  }
}
static void store_answers(ap_uint<512>* a, fifo<i8x64>& b) { store_i8<2>(a, b); }

extern "C" void group0(const ap_uint<512>* quantize_in0, const ap_uint<512>* quantize_in1,
                       const ap_uint<512>* integers_in0, const ap_uint<512>* integers_in1,
                       const ap_uint<512>* narrow_in0, const ap_uint<512>* narrow_in1, const ap_uint<512>* asked,
                       ap_uint<512>* quantize_out, ap_uint<512>* integers_out, ap_uint<512>* narrow_out,
                       ap_uint<512>* answers) {
#pragma HLS interface mode=m_axi port=quantize_in0 bundle=gmem0 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=m_axi port=quantize_in1 bundle=gmem1 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=m_axi port=integers_in0 bundle=gmem2 offset=slave depth=1 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=1
#pragma HLS interface mode=m_axi port=integers_in1 bundle=gmem3 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=m_axi port=narrow_in0 bundle=gmem4 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=m_axi port=narrow_in1 bundle=gmem5 offset=slave depth=4 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=4
#pragma HLS interface mode=m_axi port=asked bundle=gmem6 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=m_axi port=quantize_out bundle=gmem7 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=m_axi port=integers_out bundle=gmem8 offset=slave depth=8 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=8
#pragma HLS interface mode=m_axi port=narrow_out bundle=gmem9 offset=slave depth=4 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=4
#pragma HLS interface mode=m_axi port=answers bundle=gmem10 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=s_axilite port=return bundle=control
#pragma HLS dataflow
  hls::stream<f32x16> quantize_in0_in[4]; STTEST_FIFO(quantize_in0_in, "load_quantize_in0__quantize", 2);
#pragma HLS stream variable=quantize_in0_in depth=2
#pragma HLS bind_storage variable=quantize_in0_in type=fifo impl=srl
  hls::stream<f32x16> quantize_in1_in[4]; STTEST_FIFO(quantize_in1_in, "load_quantize_in1__quantize", 2);
#pragma HLS stream variable=quantize_in1_in depth=2
#pragma HLS bind_storage variable=quantize_in1_in type=fifo impl=srl
  hls::stream<i4x64, 2> integers_in0_in("load_integers_in0__integers");
#pragma HLS bind_storage variable=integers_in0_in type=fifo impl=srl
  hls::stream<i8x64, 2> integers_in1_in("load_integers_in1__integers");
#pragma HLS bind_storage variable=integers_in1_in type=fifo impl=srl
  hls::stream<i32x16> narrow_in0_in[4]; STTEST_FIFO(narrow_in0_in, "load_narrow_in0__narrow", 2);
#pragma HLS stream variable=narrow_in0_in depth=2
#pragma HLS bind_storage variable=narrow_in0_in type=fifo impl=srl
  hls::stream<f16x32> narrow_in1_in[2]; STTEST_FIFO(narrow_in1_in, "load_narrow_in1__narrow", 2);
#pragma HLS stream variable=narrow_in1_in depth=2
#pragma HLS bind_storage variable=narrow_in1_in type=fifo impl=srl
  hls::stream<f32x16> asked_in[4]; STTEST_FIFO(asked_in, "load_asked__ask", 2);
#pragma HLS stream variable=asked_in depth=2
#pragma HLS bind_storage variable=asked_in type=fifo impl=srl
  hls::stream<i8x64, 2> quantize_out_2("quantize__store_quantize_out");
#pragma HLS bind_storage variable=quantize_out_2 type=fifo impl=srl
  hls::stream<i32x16> integers_out_2[4]; STTEST_FIFO(integers_out_2, "integers__store_integers_out", 2);
#pragma HLS stream variable=integers_out_2 depth=2
#pragma HLS bind_storage variable=integers_out_2 type=fifo impl=srl
  hls::stream<f16x32> narrow_out_2[2]; STTEST_FIFO(narrow_out_2, "narrow__store_narrow_out", 2);
#pragma HLS stream variable=narrow_out_2 depth=2
#pragma HLS bind_storage variable=narrow_out_2 type=fifo impl=srl
  hls::stream<i1x64, 2> ask_out("ask__answer");
#pragma HLS bind_storage variable=ask_out type=fifo impl=srl
  hls::stream<i8x64, 2> answer_out("answer__store_answers");
#pragma HLS bind_storage variable=answer_out type=fifo impl=srl
  STTEST_PROCESS(load_quantize_in0, quantize_in0, quantize_in0_in); STTEST_PROCESS(load_quantize_in1, quantize_in1,
    quantize_in1_in); STTEST_PROCESS(load_integers_in0, integers_in0, integers_in0_in);
    STTEST_PROCESS(load_integers_in1, integers_in1, integers_in1_in); STTEST_PROCESS(load_narrow_in0, narrow_in0,
    narrow_in0_in); STTEST_PROCESS(load_narrow_in1, narrow_in1, narrow_in1_in); STTEST_PROCESS(load_asked, asked,
    asked_in); STTEST_PROCESS(quantize, quantize_in0_in, quantize_in1_in, quantize_out_2); STTEST_PROCESS(integers,
    integers_in0_in, integers_in1_in, integers_out_2); STTEST_PROCESS(narrow, narrow_in0_in, narrow_in1_in,
    narrow_out_2); STTEST_PROCESS(ask, asked_in, ask_out); STTEST_PROCESS(answer, ask_out, answer_out);
    STTEST_PROCESS(store_quantize_out, quantize_out, quantize_out_2); STTEST_PROCESS(store_integers_out, integers_out,
    integers_out_2); STTEST_PROCESS(store_narrow_out, narrow_out, narrow_out_2); STTEST_PROCESS(store_answers, answers,
    answer_out);
}
