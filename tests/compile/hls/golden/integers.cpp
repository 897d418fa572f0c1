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

// How the top function calls a process.  The tool sees plain calls; a simulation on bounded FIFOs may define another.
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef hls::vector<ap_int<32>, 64> token_i32_4x16;
typedef hls::vector<ap_int<4>, 64> token_i4_4x16;
typedef hls::vector<ap_int<8>, 64> token_i8_4x16;
typedef hls::vector<ap_uint<1>, 64> token_i1_4x16;
typedef hls::vector<float, 64> token_f32_4x16;
typedef hls::vector<half, 64> token_f16_4x16;

// The larger of two, NaN if one of them is; +0 is larger than -0 (MLIR's maximumf).
static inline float larger(float a, float b) {
  if (a != a || b != b || (a == 0.0f && b == 0.0f)) return a + b;
  return a < b ? b : a;
}

// The smaller of two, NaN if one of them is; -0 is smaller than +0 (MLIR's minimumf).
static inline float smaller(float a, float b) {
  if (a != a || b != b || (a == 0.0f && b == 0.0f)) return -(-a - b);
  return b < a ? b : a;
}

// The binary32 number with these bits.
static inline float float_of_bits(unsigned int bits) {
  union {
    unsigned int bits;
    float value;
  } both;
  both.bits = bits;
  return both.value;
}

// The bits of a binary32 number.
static inline unsigned int bits_of_float(float value) {
  union {
    unsigned int bits;
    float value;
  } both;
  both.value = value;
  return both.bits;
}

// The binary16 number with these bits, by way of the equal binary32 number (a half can't be in a union).
static inline half half_of_bits(unsigned int bits) {
  const unsigned int sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
  const float tiny = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // below 2^-14: multiples of 2^-24
  if (exponent == 0) return half(sign ? -tiny : tiny);
  const unsigned int wide = exponent == 0x1fu ? 0xffu : exponent + 112u;
  return half(float_of_bits(sign | (wide << 23) | (fraction << 13)));
}

// The bits of a binary16 number, which binary32 holds exactly.
static inline unsigned int bits_of_half(half value) {
  const unsigned int bits = bits_of_float(static_cast<float>(value));
  const unsigned int sign = (bits >> 16) & 0x8000u, exponent = (bits >> 23) & 0xffu, fraction = (bits >> 13) & 0x3ffu;
  if (exponent == 0xffu) return sign | 0x7c00u | fraction;
  if (exponent >= 113u) return sign | ((exponent - 112u) << 10) | fraction;
  const float magnitude = float_of_bits(bits & 0x7fffffffu);
  return sign | static_cast<unsigned int>(magnitude * 16777216.0f);  // below 2^-14: multiples of 2^-24
}

// Element `number` of the 32 in a word of memory.
static inline half f16_of_word(const ap_uint<512>& word, int number) {
  return half_of_bits(ap_uint<16>(word.range(16 * number + 15, 16 * number)).to_uint());
}

// Element `number` of the 16 in a word of memory.
static inline float f32_of_word(const ap_uint<512>& word, int number) {
  return float_of_bits(ap_uint<32>(word.range(32 * number + 31, 32 * number)).to_uint());
}

// Element `number` of the 16 in a word of memory.
static inline ap_int<32> i32_of_word(const ap_uint<512>& word, int number) {
  return ap_int<32>(word.range(32 * number + 31, 32 * number));
}

// Element `number` of the 128 in a word of memory.
static inline ap_int<4> i4_of_word(const ap_uint<512>& word, int number) {
  return ap_int<4>(word.range(4 * number + 3, 4 * number));
}

// Element `number` of the 64 in a word of memory.
static inline ap_int<8> i8_of_word(const ap_uint<512>& word, int number) {
  return ap_int<8>(word.range(8 * number + 7, 8 * number));
}

// Sets element `number` of the 32 in a word of memory.
static inline void f16_into_word(ap_uint<512>& word, int number, half value) {
  word.range(16 * number + 15, 16 * number) = ap_uint<16>(bits_of_half(value));
}

// Sets element `number` of the 16 in a word of memory.
static inline void i32_into_word(ap_uint<512>& word, int number, ap_int<32> value) {
  word.range(32 * number + 31, 32 * number) = value;
}

// Sets element `number` of the 64 in a word of memory.
static inline void i8_into_word(ap_uint<512>& word, int number, ap_int<8> value) {
  word.range(8 * number + 7, 8 * number) = value;
}

// ---- From memory ---------------------------------------------------------------------------------------------------

// quantise_in0: a grid of 1x2 tiles of 4x16 f32, row-major, in 8 words.
static void load_quantise_in0(const ap_uint<512>* quantise_in0, hls::stream<token_f32_4x16>& to_quantise) {
  token_f32_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = quantise_in0[4 * t0 + w1];
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
          token[16 * e0 + 4 * w1 + e1] = f32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) to_quantise.write(token);
    }
  }
}

// quantise_in1: a grid of 1x2 tiles of 4x16 f32, row-major, in 8 words.
static void load_quantise_in1(const ap_uint<512>* quantise_in1, hls::stream<token_f32_4x16>& to_quantise) {
  token_f32_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = quantise_in1[4 * t0 + w1];
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
          token[16 * e0 + 4 * w1 + e1] = f32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) to_quantise.write(token);
    }
  }
}

// integers_in0: a grid of 1x2 tiles of 4x16 i4, row-major, in 1 word.
static void load_integers_in0(const ap_uint<512>* integers_in0, hls::stream<token_i4_4x16>& to_integers) {
words:
  for (int w = 0; w < 1; ++w) {
#pragma HLS pipeline II=2
    const ap_uint<512> word = integers_in0[w];
  tiles_of_word:
    for (int n = 0; n < 2; ++n) {
#pragma HLS unroll
      token_i4_4x16 token;
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
          token[16 * e0 + e1] = i4_of_word(word, 64 * n + 16 * e0 + e1);
        }
      }
      to_integers.write(token);
    }
  }
}

// integers_in1: a grid of 1x2 tiles of 4x16 i8, row-major, in 2 words.
static void load_integers_in1(const ap_uint<512>* integers_in1, hls::stream<token_i8_4x16>& to_integers) {
  token_i8_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = integers_in1[t0];
  elements_0:
    for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
    elements_1:
      for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
        token[16 * e0 + e1] = i8_of_word(word, 16 * e0 + e1);
      }
    }
    to_integers.write(token);
  }
}

// narrow_in0: a grid of 1x2 tiles of 4x16 i32, row-major, in 8 words.
static void load_narrow_in0(const ap_uint<512>* narrow_in0, hls::stream<token_i32_4x16>& to_narrow) {
  token_i32_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = narrow_in0[4 * t0 + w1];
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
          token[16 * e0 + 4 * w1 + e1] = i32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) to_narrow.write(token);
    }
  }
}

// narrow_in1: a grid of 1x2 tiles of 4x16 f16, row-major, in 4 words.
static void load_narrow_in1(const ap_uint<512>* narrow_in1, hls::stream<token_f16_4x16>& to_narrow) {
  token_f16_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 2; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = narrow_in1[2 * t0 + w1];
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 8; ++e1) {
#pragma HLS unroll
          token[16 * e0 + 8 * w1 + e1] = f16_of_word(word, 8 * e0 + e1);
        }
      }
      if (w1 == 1) to_narrow.write(token);
    }
  }
}

// asked: a grid of 1x2 tiles of 4x16 f32, row-major, in 8 words.
static void load_asked(const ap_uint<512>* asked, hls::stream<token_f32_4x16>& to_ask) {
  token_f32_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
      const ap_uint<512> word = asked[4 * t0 + w1];
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
          token[16 * e0 + 4 * w1 + e1] = f32_of_word(word, 4 * e0 + e1);
        }
      }
      if (w1 == 3) to_ask.write(token);
    }
  }
}

// 1x2 tiles of 4x16 points (parallel, parallel), 8 steps per tile, 1 cycle per step.
static void quantise(hls::stream<token_f32_4x16>& from_load_quantise_in0,
                     hls::stream<token_f32_4x16>& from_load_quantise_in1,
                     hls::stream<token_i8_4x16>& to_store_quantise_out) {
  token_f32_4x16 in0;
  token_f32_4x16 in1;
  token_i8_4x16 out0;
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_0:
    for (int s0 = 0; s0 < 4; ++s0) {
    steps_1:
      for (int s1 = 0; s1 < 2; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) in0 = from_load_quantise_in0.read();
        if (s0 == 0 && s1 == 0) in1 = from_load_quantise_in1.read();
      results_1:
        for (int l1 = 0; l1 < 8; ++l1) {
#pragma HLS unroll
          const float x0 = in0[16 * s0 + 8 * s1 + l1];
          const float x1 = in1[16 * s0 + 8 * s1 + l1];
          const float magnitude = hls::fabs(x1);
          const float sum = magnitude + 1.0f;
          const float quotient = x0 / sum;
          const float rounded = hls::rint(quotient);
          const float larger_one = larger(rounded, (-127.0f));
          const float smaller_one = smaller(larger_one, 127.0f);
          const ap_int<8> integer = ap_int<8>(static_cast<int>(smaller_one));
          out0[16 * s0 + 8 * s1 + l1] = integer;
        }
        if (s0 == 3 && s1 == 1) to_store_quantise_out.write(out0);
      }
    }
  }
}

// 1x2 tiles of 4x16 points (parallel, parallel), 8 steps per tile, 1 cycle per step.
static void integers(hls::stream<token_i4_4x16>& from_load_integers_in0,
                     hls::stream<token_i8_4x16>& from_load_integers_in1,
                     hls::stream<token_i32_4x16>& to_store_integers_out) {
  token_i4_4x16 in0;
  token_i8_4x16 in1;
  token_i32_4x16 out0;
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_0:
    for (int s0 = 0; s0 < 4; ++s0) {
    steps_1:
      for (int s1 = 0; s1 < 2; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) in0 = from_load_integers_in0.read();
        if (s0 == 0 && s1 == 0) in1 = from_load_integers_in1.read();
      results_1:
        for (int l1 = 0; l1 < 8; ++l1) {
#pragma HLS unroll
          const ap_int<4> x0 = in0[16 * s0 + 8 * s1 + l1];
          const ap_int<8> x1 = in1[16 * s0 + 8 * s1 + l1];
          const ap_int<8> wide = x0;
          const ap_int<8> product = wide * x1;
          const ap_int<8> difference = product - wide;
          const ap_int<8> larger_one = difference < x1 ? x1 : difference;
          const ap_int<32> wide_2 = larger_one;
          const ap_int<32> product_2 = wide_2 * ap_int<32>(-70000);
          const ap_int<32> sum = product_2 + product_2;
          const ap_int<32> smaller_one = ap_int<32>(-70000) < sum ? ap_int<32>(-70000) : sum;
          out0[16 * s0 + 8 * s1 + l1] = smaller_one;
        }
        if (s0 == 3 && s1 == 1) to_store_integers_out.write(out0);
      }
    }
  }
}

// 1x2 tiles of 4x16 points (parallel, parallel), 8 steps per tile, 1 cycle per step.
static void narrow(hls::stream<token_i32_4x16>& from_load_narrow_in0, hls::stream<token_f16_4x16>& from_load_narrow_in1,
                   hls::stream<token_f16_4x16>& to_store_narrow_out) {
  token_i32_4x16 in0;
  token_f16_4x16 in1;
  token_f16_4x16 out0;
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_0:
    for (int s0 = 0; s0 < 4; ++s0) {
    steps_1:
      for (int s1 = 0; s1 < 2; ++s1) {
#pragma HLS pipeline II=1
        if (s0 == 0 && s1 == 0) in0 = from_load_narrow_in0.read();
        if (s0 == 0 && s1 == 0) in1 = from_load_narrow_in1.read();
      results_1:
        for (int l1 = 0; l1 < 8; ++l1) {
#pragma HLS unroll
          const ap_int<32> x0 = in0[16 * s0 + 8 * s1 + l1];
          const half x1 = in1[16 * s0 + 8 * s1 + l1];
          const ap_int<8> low = ap_int<8>(x0);
          const float number = static_cast<float>(low.to_int());
          const float wide = static_cast<float>(x1);
          const float product = number * wide;
          const half narrow = half(product);
          out0[16 * s0 + 8 * s1 + l1] = narrow;
        }
        if (s0 == 3 && s1 == 1) to_store_narrow_out.write(out0);
      }
    }
  }
}

// 1x2 tiles of 4x16 points (parallel, parallel), 4 steps per tile, 1 cycle per step.
static void ask(hls::stream<token_f32_4x16>& from_load_asked, hls::stream<token_i1_4x16>& to_answer) {
  token_f32_4x16 in0;
  token_i1_4x16 out0;
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_0:
    for (int s0 = 0; s0 < 4; ++s0) {
#pragma HLS pipeline II=1
      if (s0 == 0) in0 = from_load_asked.read();
    results_1:
      for (int l1 = 0; l1 < 16; ++l1) {
#pragma HLS unroll
        const float x0 = in0[16 * s0 + l1];
        const bool holds = x0 != x0 || x0 != x0;
        const bool holds_2 = x0 > 0.0f;
        const bool chosen = holds ? holds : holds_2;
        out0[16 * s0 + l1] = chosen;
      }
      if (s0 == 3) to_answer.write(out0);
    }
  }
}

// 1x2 tiles of 4x16 points (parallel, parallel), 4 steps per tile, 1 cycle per step.
static void answer(hls::stream<token_i1_4x16>& from_ask, hls::stream<token_i8_4x16>& to_store_answers) {
  token_i1_4x16 in0;
  token_i8_4x16 out0;
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_0:
    for (int s0 = 0; s0 < 4; ++s0) {
#pragma HLS pipeline II=1
      if (s0 == 0) in0 = from_ask.read();
    results_1:
      for (int l1 = 0; l1 < 16; ++l1) {
#pragma HLS unroll
        const bool x0 = in0[16 * s0 + l1];
        const ap_int<8> wide = ap_int<8>(x0 ? -1 : 0);
        out0[16 * s0 + l1] = wide;
      }
      if (s0 == 3) to_store_answers.write(out0);
    }
  }
}

// ---- To memory -----------------------------------------------------------------------------------------------------

// quantise_out: a grid of 1x2 tiles of 4x16 i8, row-major, in 2 words.
static void store_quantise_out(ap_uint<512>* quantise_out, hls::stream<token_i8_4x16>& from_quantise) {
  token_i8_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    token = from_quantise.read();
    ap_uint<512> word = 0;
  elements_0:
    for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
    elements_1:
      for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
        i8_into_word(word, 16 * e0 + e1, token[16 * e0 + e1]);
      }
    }
    quantise_out[t0] = word;
  }
}

// integers_out: a grid of 1x2 tiles of 4x16 i32, row-major, in 8 words.
static void store_integers_out(ap_uint<512>* integers_out, hls::stream<token_i32_4x16>& from_integers) {
  token_i32_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
      if (w1 == 0) token = from_integers.read();
      ap_uint<512> word = 0;
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
          i32_into_word(word, 4 * e0 + e1, token[16 * e0 + 4 * w1 + e1]);
        }
      }
      integers_out[4 * t0 + w1] = word;
    }
  }
}

// narrow_out: a grid of 1x2 tiles of 4x16 f16, row-major, in 4 words.
static void store_narrow_out(ap_uint<512>* narrow_out, hls::stream<token_f16_4x16>& from_narrow) {
  token_f16_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  words_1:
    for (int w1 = 0; w1 < 2; ++w1) {
#pragma HLS pipeline II=1
      if (w1 == 0) token = from_narrow.read();
      ap_uint<512> word = 0;
    elements_0:
      for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
      elements_1:
        for (int e1 = 0; e1 < 8; ++e1) {
#pragma HLS unroll
          f16_into_word(word, 8 * e0 + e1, token[16 * e0 + 8 * w1 + e1]);
        }
      }
      narrow_out[2 * t0 + w1] = word;
    }
  }
}

// answers: a grid of 1x2 tiles of 4x16 i8, row-major, in 2 words.
static void store_answers(ap_uint<512>* answers, hls::stream<token_i8_4x16>& from_answer) {
  token_i8_4x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    token = from_answer.read();
    ap_uint<512> word = 0;
  elements_0:
    for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
    elements_1:
      for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
        i8_into_word(word, 16 * e0 + e1, token[16 * e0 + e1]);
      }
    }
    answers[t0] = word;
  }
}

// ---- The kernel ----------------------------------------------------------------------------------------------------

extern "C" void group0(const ap_uint<512>* quantise_in0, const ap_uint<512>* quantise_in1,
                       const ap_uint<512>* integers_in0, const ap_uint<512>* integers_in1,
                       const ap_uint<512>* narrow_in0, const ap_uint<512>* narrow_in1, const ap_uint<512>* asked,
                       ap_uint<512>* quantise_out, ap_uint<512>* integers_out, ap_uint<512>* narrow_out,
                       ap_uint<512>* answers) {
#pragma HLS interface mode=m_axi port=quantise_in0 bundle=gmem0 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=s_axilite port=quantise_in0 bundle=control
#pragma HLS interface mode=m_axi port=quantise_in1 bundle=gmem1 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=s_axilite port=quantise_in1 bundle=control
#pragma HLS interface mode=m_axi port=integers_in0 bundle=gmem2 offset=slave depth=1 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=1
#pragma HLS interface mode=s_axilite port=integers_in0 bundle=control
#pragma HLS interface mode=m_axi port=integers_in1 bundle=gmem3 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=s_axilite port=integers_in1 bundle=control
#pragma HLS interface mode=m_axi port=narrow_in0 bundle=gmem4 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=s_axilite port=narrow_in0 bundle=control
#pragma HLS interface mode=m_axi port=narrow_in1 bundle=gmem5 offset=slave depth=4 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=4
#pragma HLS interface mode=s_axilite port=narrow_in1 bundle=control
#pragma HLS interface mode=m_axi port=asked bundle=gmem6 offset=slave depth=8 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=8
#pragma HLS interface mode=s_axilite port=asked bundle=control
#pragma HLS interface mode=m_axi port=quantise_out bundle=gmem7 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=s_axilite port=quantise_out bundle=control
#pragma HLS interface mode=m_axi port=integers_out bundle=gmem8 offset=slave depth=8 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=8
#pragma HLS interface mode=s_axilite port=integers_out bundle=control
#pragma HLS interface mode=m_axi port=narrow_out bundle=gmem9 offset=slave depth=4 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=4
#pragma HLS interface mode=s_axilite port=narrow_out bundle=control
#pragma HLS interface mode=m_axi port=answers bundle=gmem10 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=s_axilite port=answers bundle=control
#pragma HLS interface mode=s_axilite port=return bundle=control
#pragma HLS dataflow

  // !df.itensor<vector<4x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_4x16, 2> load_quantise_in0_to_quantise("load_quantise_in0__quantise");
#pragma HLS bind_storage variable=load_quantise_in0_to_quantise type=fifo impl=srl
  // !df.itensor<vector<4x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_4x16, 2> load_quantise_in1_to_quantise("load_quantise_in1__quantise");
#pragma HLS bind_storage variable=load_quantise_in1_to_quantise type=fifo impl=srl
  // !df.itensor<vector<4x16xi4>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i4_4x16, 2> load_integers_in0_to_integers("load_integers_in0__integers");
#pragma HLS bind_storage variable=load_integers_in0_to_integers type=fifo impl=srl
  // !df.itensor<vector<4x16xi8>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i8_4x16, 2> load_integers_in1_to_integers("load_integers_in1__integers");
#pragma HLS bind_storage variable=load_integers_in1_to_integers type=fifo impl=srl
  // !df.itensor<vector<4x16xi32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i32_4x16, 2> load_narrow_in0_to_narrow("load_narrow_in0__narrow");
#pragma HLS bind_storage variable=load_narrow_in0_to_narrow type=fifo impl=srl
  // !df.itensor<vector<4x16xf16>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f16_4x16, 2> load_narrow_in1_to_narrow("load_narrow_in1__narrow");
#pragma HLS bind_storage variable=load_narrow_in1_to_narrow type=fifo impl=srl
  // !df.itensor<vector<4x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_4x16, 2> load_asked_to_ask("load_asked__ask");
#pragma HLS bind_storage variable=load_asked_to_ask type=fifo impl=srl
  // !df.itensor<vector<4x16xi8>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i8_4x16, 2> quantise_to_store_quantise_out("quantise__store_quantise_out");
#pragma HLS bind_storage variable=quantise_to_store_quantise_out type=fifo impl=srl
  // !df.itensor<vector<4x16xi32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i32_4x16, 2> integers_to_store_integers_out("integers__store_integers_out");
#pragma HLS bind_storage variable=integers_to_store_integers_out type=fifo impl=srl
  // !df.itensor<vector<4x16xf16>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f16_4x16, 2> narrow_to_store_narrow_out("narrow__store_narrow_out");
#pragma HLS bind_storage variable=narrow_to_store_narrow_out type=fifo impl=srl
  // !df.itensor<vector<4x16xi1>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i1_4x16, 2> ask_to_answer("ask__answer");
#pragma HLS bind_storage variable=ask_to_answer type=fifo impl=srl
  // !df.itensor<vector<4x16xi8>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_i8_4x16, 2> answer_to_store_answers("answer__store_answers");
#pragma HLS bind_storage variable=answer_to_store_answers type=fifo impl=srl

  STTEST_PROCESS(load_quantise_in0, quantise_in0, load_quantise_in0_to_quantise);
  STTEST_PROCESS(load_quantise_in1, quantise_in1, load_quantise_in1_to_quantise);
  STTEST_PROCESS(load_integers_in0, integers_in0, load_integers_in0_to_integers);
  STTEST_PROCESS(load_integers_in1, integers_in1, load_integers_in1_to_integers);
  STTEST_PROCESS(load_narrow_in0, narrow_in0, load_narrow_in0_to_narrow);
  STTEST_PROCESS(load_narrow_in1, narrow_in1, load_narrow_in1_to_narrow);
  STTEST_PROCESS(load_asked, asked, load_asked_to_ask);
  STTEST_PROCESS(quantise, load_quantise_in0_to_quantise, load_quantise_in1_to_quantise,
                 quantise_to_store_quantise_out);
  STTEST_PROCESS(integers, load_integers_in0_to_integers, load_integers_in1_to_integers,
                 integers_to_store_integers_out);
  STTEST_PROCESS(narrow, load_narrow_in0_to_narrow, load_narrow_in1_to_narrow, narrow_to_store_narrow_out);
  STTEST_PROCESS(ask, load_asked_to_ask, ask_to_answer);
  STTEST_PROCESS(answer, ask_to_answer, answer_to_store_answers);
  STTEST_PROCESS(store_quantise_out, quantise_out, quantise_to_store_quantise_out);
  STTEST_PROCESS(store_integers_out, integers_out, integers_to_store_integers_out);
  STTEST_PROCESS(store_narrow_out, narrow_out, narrow_to_store_narrow_out);
  STTEST_PROCESS(store_answers, answers, answer_to_store_answers);
}
