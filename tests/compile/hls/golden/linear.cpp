// linear: a dataflow kernel for Vitis HLS 2024.1.
// For AMD Alveo U55C at 250 MHz; fp32, tiles of 16, tokens of at most 4096 bits.
// Made by sttest 0.1.0 (schema sttest.hls/1); its values are those of docs/reference/values.md.
// What several processes do, for any sizes and types.
// Types of tokens and blocks, and functions on single values.

#include <ap_int.h>
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
typedef hls::vector<float, 16> f32x16;
typedef float block_f32_1[1];

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

// An integer that is ordered as the binary32 numbers are, -0 below +0; `nan` for all that are none.
static inline int ordered(float value, int nan) {
  const int bits = static_cast<int>(bits_of_float(value));
  if ((bits & 0x7fffffff) > 0x7f800000) return nan;
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

// The larger of two, NaN if one of them is; +0 is larger than -0 (MLIR's maximumf).
static inline float larger(float a, float b) {
  return ordered(a, 0x7fffffff) < ordered(b, 0x7fffffff) ? b : a;
}

// The sums of neighbors, of neighboring sums and so on, each behind the terms.
template <int SUMS, int SIZE, class T>
static inline T tree_sum(T (&term)[SIZE]) {
#pragma HLS inline
  tree: for (int n = 0; n < SUMS; ++n) {
#pragma HLS unroll
    term[SUMS + 1 + n] = term[2 * n] + term[2 * n + 1];
  }
  return term[SIZE - 1];
}

// A word of memory holds elements; these take out, and put in, the one of a number.
static inline float f32_of_word(const ap_uint<512>& word, int number) {
  return float_of_bits(ap_uint<32>(word.range(32 * number + 31, 32 * number)).to_uint());
}
static inline void f32_into_word(ap_uint<512>& word, int number, float value) {
  word.range(32 * number + 31, 32 * number) = ap_uint<32>(bits_of_float(value));
}


// How the top function calls a process.  The tool sees plain calls; a simulation on bounded FIFOs may define another.
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif
// Name and depth of FIFOs for the words of one token, which the tool has from directives.
#ifndef STTEST_FIFO
#define STTEST_FIFO(fifos, name, depth)
#endif

// Streams a tensor out of memory.
static void load_x(const ap_uint<512>* memory, fifo<f32x16>& to) {
  constexpr int TILES_0 = 2;
  f32x16 token;
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = memory[t0];
    elements_0: for (int e0 = 0; e0 < 16; ++e0) {
      token[e0] = f32_of_word(word, e0);
    }
    to.write(token);
  }
}

// Copies every token to 2 readers.
static void fork_load_x(fifo<f32x16>& from, fifo<f32x16>& to0, fifo<f32x16>& to1) {
  constexpr int TOKENS = 2;
  tokens: for (int t = 0; t < TOKENS; ++t) {
#pragma HLS pipeline II=1
    const f32x16 token = from.read();
    to0.write(token); to1.write(token);
  }
}

// Streams a tensor out of memory.
static void load_proj_weight(const ap_uint<512>* memory, fifo<f32x16> (&to)[8]) {
  constexpr int TILES_0 = 2, PARTS_0 = 2, PARTS_1 = 2, WORDS_0 = 2, WORDS_1 = 4;
  f32x16 token[8];
#pragma HLS array_partition variable=token type=complete dim=1
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
    parts_0: for (int p0 = 0; p0 < PARTS_0; ++p0) {
      parts_1: for (int p1 = 0; p1 < PARTS_1; ++p1) {
        words_0: for (int w0 = 0; w0 < WORDS_0; ++w0) {
          words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
            const ap_uint<512> word = memory[32 * t0 + 16 * p0 + 4 * p1 + 8 * w0 + w1];
            elements_0: for (int e0 = 0; e0 < 4; ++e0) {
              elements_1: for (int e1 = 0; e1 < 4; ++e1) {
                token[(64 * w0 + 16 * e0 + 4 * w1 + e1) / 16][(64 * w0 + 16 * e0 + 4 * w1 + e1) % 16] = f32_of_word(word, 4 * e0 + e1);
              }
            }
            if (w0 == 1 && w1 == 3) write_words<8>(to, token);
          }
        }
      }
    }
  }
}

// Streams a tensor out of memory.
static void load_proj_bias(const ap_uint<512>* memory, fifo<f32x16> (&to)[2]) {
  constexpr int WORDS_0 = 2;
  f32x16 token[2];
#pragma HLS array_partition variable=token type=complete dim=1
  words_0: for (int w0 = 0; w0 < WORDS_0; ++w0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = memory[w0];
    elements_0: for (int e0 = 0; e0 < 16; ++e0) {
      token[(16 * w0 + e0) / 16][(16 * w0 + e0) % 16] = f32_of_word(word, e0);
    }
    if (w0 == 1) write_words<2>(to, token);
  }
}

// squares += x[i] * x[i], for all i.  Tiles of 16, 1 step of 1 cycle.
static void norm(fifo<f32x16>& x_in, fifo<float>& squares_out) {
  constexpr int TILES_0 = 2, LANES = 16;
  float level_squares;
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
#pragma HLS pipeline II=1
    const f32x16 x = x_in.read();
    float term[2 * LANES - 1];
#pragma HLS array_partition variable=term type=complete dim=1
    lanes_0: for (int l0 = 0; l0 < LANES; ++l0) {
      const float x_i = x[l0];
      term[l0] = x_i * x_i;
    }
    float acc = tree_sum<LANES - 1>(term);
    const int step_of_sum = t0;
    bool carries = true;
    levels: for (int n = 0; n < 1; ++n) {
      if ((step_of_sum >> n) % 2 == 0) {
        if (carries) level_squares = acc;
        carries = false;
      }
      else if (carries) acc = level_squares + acc;
    }
    if (t0 == TILES_0 - 1) squares_out.write(acc);
  }
}

// Fills blocks with tokens.
static void order_norm_fill(fifo<float>& from, ping_pong<block_f32_1>& blocks) {
  constexpr int BLOCKS = 1;
  blocks: for (int b = 0; b < BLOCKS; ++b) {
    hls::write_lock<block_f32_1> block(blocks);
    const float token = from.read();
    block[0] = token;
  }
}

// Drains blocks in tokens.
static void order_norm_drain(ping_pong<block_f32_1>& blocks, fifo<float>& to) {
  constexpr int BLOCKS = 1, TOKENS_0 = 2;
  blocks: for (int b = 0; b < BLOCKS; ++b) {
    hls::read_lock<block_f32_1> block(blocks);
    tokens_0: for (int t0 = 0; t0 < TOKENS_0; ++t0) {
#pragma HLS pipeline II=1
      const float token = block[0];
      to.write(token);
    }
  }
}

// norm[i] = x[i] * rsqrt(squares / 32 + 1e-05).  Tiles of 16, 1 step of 1 cycle.
static void norm_2(fifo<f32x16>& x_in, fifo<float>& squares_in, fifo<f32x16>& norm_out) {
  constexpr int TILES_0 = 2;
  f32x16 norm;
  tiles_0: for (int t0 = 0; t0 < TILES_0; ++t0) {
#pragma HLS pipeline II=1
    const f32x16 x = x_in.read();
    const float squares = squares_in.read();
    results_0: for (int l0 = 0; l0 < 16; ++l0) {
      norm[l0] = x[l0] * hls::rsqrt((squares / 32.0f) + 1e-05f);
    }
    norm_out.write(norm);
  }
}

// y[i] += x[j] * weight[j, i], for all j.  Tiles of 32x16, 1 step of 4 cycles.
static void proj(fifo<f32x16>& x_in, fifo<f32x16> (&weight_in)[8], fifo<f32x16> (&y_out)[2]) {
  constexpr int TILES_1 = 2, LANES = 16;
  float weight[16][32];
#pragma HLS array_partition variable=weight type=complete dim=1
#pragma HLS array_partition variable=weight type=complete dim=2
  f32x16 y[2];
#pragma HLS array_partition variable=y type=complete dim=1
  float level_y[32];
#pragma HLS array_partition variable=level_y type=complete dim=1
  tiles_1: for (int t1 = 0; t1 < TILES_1; ++t1) {
#pragma HLS pipeline II=4
    const f32x16 x = x_in.read();
    tokens_weight_0: for (int v0 = 0; v0 < 2; ++v0) {
      tokens_weight_1: for (int v1 = 0; v1 < 2; ++v1) {
        f32x16 token[8];
#pragma HLS array_partition variable=token type=complete dim=1
        read_words<8>(weight_in, token);
        read_weight_0: for (int e0 = 0; e0 < 8; ++e0) {
          read_weight_1: for (int e1 = 0; e1 < 16; ++e1) {
            weight[8 * v0 + e0][16 * v1 + e1] = token[(16 * e0 + e1) / 16][(16 * e0 + e1) % 16];
          }
        }
      }
    }
    results_0: for (int l0 = 0; l0 < 32; ++l0) {
      float term[2 * LANES - 1];
#pragma HLS array_partition variable=term type=complete dim=1
      lanes_1: for (int l1 = 0; l1 < LANES; ++l1) {
        term[l1] = x[l1] * weight[l1][l0];
      }
      float acc = tree_sum<LANES - 1>(term);
      const int step_of_sum = t1;
      bool carries = true;
      levels: for (int n = 0; n < 1; ++n) {
        if ((step_of_sum >> n) % 2 == 0) {
          if (carries) level_y[l0] = acc;
          carries = false;
        }
        else if (carries) acc = level_y[l0] + acc;
      }
      y[l0 / 16][l0 % 16] = acc;
    }
    if (t1 == TILES_1 - 1) write_words<2>(y_out, y);
  }
}

// act[i] = max(proj[i] + bias[i], 0).  Tiles of 32, 1 step of 1 cycle.
static void act_2(fifo<f32x16> (&proj_in)[2], fifo<f32x16> (&bias_in)[2], fifo<f32x16> (&act_out)[2]) {
  f32x16 act[2];
#pragma HLS array_partition variable=act type=complete dim=1
  f32x16 proj[2];
#pragma HLS array_partition variable=proj type=complete dim=1
  read_words<2>(proj_in, proj);
  f32x16 bias[2];
#pragma HLS array_partition variable=bias type=complete dim=1
  read_words<2>(bias_in, bias);
  results_0: for (int l0 = 0; l0 < 32; ++l0) {
#pragma HLS unroll
    act[l0 / 16][l0 % 16] = larger(proj[l0 / 16][l0 % 16] + bias[l0 / 16][l0 % 16], 0.0f);
  }
  write_words<2>(act_out, act);
}

// Streams a tensor into memory.
static void store_act(ap_uint<512>* memory, fifo<f32x16> (&from)[2]) {
  constexpr int WORDS_1 = 2;
  f32x16 token[2];
#pragma HLS array_partition variable=token type=complete dim=1
  words_1: for (int w1 = 0; w1 < WORDS_1; ++w1) {
#pragma HLS pipeline II=1
    if (w1 == 0) read_words<2>(from, token);
    ap_uint<512> word = 0;
    elements_0: for (int e0 = 0; e0 < 16; ++e0) {
      f32_into_word(word, e0, token[(16 * w1 + e0) / 16][(16 * w1 + e0) % 16]);
    }
    memory[w1] = word;
  }
}

extern "C" void group0(const ap_uint<512>* x, const ap_uint<512>* proj_weight, const ap_uint<512>* proj_bias,
                       ap_uint<512>* act) {
#pragma HLS interface mode=m_axi port=x bundle=gmem0 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=m_axi port=proj_weight bundle=gmem1 offset=slave depth=64 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=64
#pragma HLS interface mode=m_axi port=proj_bias bundle=gmem2 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=m_axi port=act bundle=gmem3 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=s_axilite port=return bundle=control
#pragma HLS dataflow
  hls::stream<f32x16, 2> x_in("load_x__fork_load_x");
#pragma HLS bind_storage variable=x_in type=fifo impl=srl
  hls::stream<f32x16, 2> x_in0("fork_load_x__norm");
#pragma HLS bind_storage variable=x_in0 type=fifo impl=srl
  hls::stream<f32x16, 2> x_in1("fork_load_x__norm_2");
#pragma HLS bind_storage variable=x_in1 type=fifo impl=srl
  hls::stream<f32x16> proj_weight_in[8]; STTEST_FIFO(proj_weight_in, "load_proj_weight__proj", 2);
#pragma HLS stream variable=proj_weight_in depth=2
#pragma HLS bind_storage variable=proj_weight_in type=fifo impl=srl
  hls::stream<f32x16> proj_bias_in[2]; STTEST_FIFO(proj_bias_in, "load_proj_bias__act", 2);
#pragma HLS stream variable=proj_bias_in depth=2
#pragma HLS bind_storage variable=proj_bias_in type=fifo impl=srl
  hls::stream<float, 2> norm_out("norm__order_norm");
#pragma HLS bind_storage variable=norm_out type=fifo impl=srl
  hls::stream<float, 2> norm_ordered("order_norm__norm_2");
#pragma HLS bind_storage variable=norm_ordered type=fifo impl=srl
  hls::stream<f32x16, 2> norm_2_out("norm_2__proj");
#pragma HLS bind_storage variable=norm_2_out type=fifo impl=srl
  hls::stream<f32x16> proj_out[2]; STTEST_FIFO(proj_out, "proj__act", 3);
#pragma HLS stream variable=proj_out depth=3
#pragma HLS bind_storage variable=proj_out type=fifo impl=srl
  hls::stream<f32x16> act_out[2]; STTEST_FIFO(act_out, "act__store_act", 3);
#pragma HLS stream variable=act_out depth=3
#pragma HLS bind_storage variable=act_out type=fifo impl=srl
  hls::stream_of_blocks<block_f32_1, 2> norm_blocks;
#pragma HLS bind_storage variable=norm_blocks type=ram_2p impl=bram
  STTEST_PROCESS(load_x, x, x_in); STTEST_PROCESS(fork_load_x, x_in, x_in0, x_in1); STTEST_PROCESS(load_proj_weight,
    proj_weight, proj_weight_in); STTEST_PROCESS(load_proj_bias, proj_bias, proj_bias_in); STTEST_PROCESS(norm, x_in0,
    norm_out); STTEST_PROCESS(order_norm_fill, norm_out, norm_blocks); STTEST_PROCESS(order_norm_drain, norm_blocks,
    norm_ordered); STTEST_PROCESS(norm_2, x_in1, norm_ordered, norm_2_out); STTEST_PROCESS(proj, norm_2_out,
    proj_weight_in, proj_out); STTEST_PROCESS(act_2, proj_out, proj_bias_in, act_out); STTEST_PROCESS(store_act, act,
    act_out);
}
