// linear: a dataflow kernel for Vitis HLS 2024.1.
// For AMD Alveo U55C at 250 MHz; fp32, tiles of 16, tokens of at most 4096 bits.
// Made by sttest 0.1.0 (schema sttest.hls/1); its values are those of docs/reference/values.md.

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

// How the top function calls a process.  The tool sees plain calls; a simulation on bounded FIFOs may define another.
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif

typedef hls::vector<float, 128> token_f32_8x16;
typedef hls::vector<float, 16> token_f32_1x16;
typedef hls::vector<float, 32> token_f32_1x32;
typedef hls::vector<float, 32> token_f32_32;

// The larger of two, NaN if one of them is; +0 is larger than -0 (MLIR's maximumf).
static inline float larger(float a, float b) {
  if (a != a || b != b || (a == 0.0f && b == 0.0f)) return a + b;
  return a < b ? b : a;
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

// Element `number` of the 16 in a word of memory.
static inline float f32_of_word(const ap_uint<512>& word, int number) {
  return float_of_bits(ap_uint<32>(word.range(32 * number + 31, 32 * number)).to_uint());
}

// Sets element `number` of the 16 in a word of memory.
static inline void f32_into_word(ap_uint<512>& word, int number, float value) {
  word.range(32 * number + 31, 32 * number) = ap_uint<32>(bits_of_float(value));
}

// ---- From memory ---------------------------------------------------------------------------------------------------

// x: a grid of 1x2 tiles of 1x16 f32, row-major, in 2 words.
static void load_x(const ap_uint<512>* x_memory, hls::stream<token_f32_1x16>& to_fork_load_x) {
  token_f32_1x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = x_memory[t0];
  elements_1:
    for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
      token[e1] = f32_of_word(word, e1);
    }
    to_fork_load_x.write(token);
  }
}

// Copies 2 tokens to 2 readers.
static void fork_load_x(hls::stream<token_f32_1x16>& from_load_x, hls::stream<token_f32_1x16>& to_norm,
                        hls::stream<token_f32_1x16>& to_norm_2) {
tokens:
  for (int t = 0; t < 2; ++t) {
#pragma HLS pipeline II=1
    const token_f32_1x16 token = from_load_x.read();
    to_norm.write(token);
    to_norm_2.write(token);
  }
}

// proj_weight: a grid of 2x1 tiles of 16x32 f32, in the order of their first use, in 64 words.
static void load_proj_weight(const ap_uint<512>* proj_weight, hls::stream<token_f32_8x16>& to_proj) {
  token_f32_8x16 token;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
  parts_0:
    for (int p0 = 0; p0 < 2; ++p0) {
    parts_1:
      for (int p1 = 0; p1 < 2; ++p1) {
      words_0:
        for (int w0 = 0; w0 < 2; ++w0) {
        words_1:
          for (int w1 = 0; w1 < 4; ++w1) {
#pragma HLS pipeline II=1
            const ap_uint<512> word = proj_weight[32 * t0 + 16 * p0 + 4 * p1 + 8 * w0 + w1];
          elements_0:
            for (int e0 = 0; e0 < 4; ++e0) {
#pragma HLS unroll
            elements_1:
              for (int e1 = 0; e1 < 4; ++e1) {
#pragma HLS unroll
                token[64 * w0 + 16 * e0 + 4 * w1 + e1] = f32_of_word(word, 4 * e0 + e1);
              }
            }
            if (w0 == 1 && w1 == 3) to_proj.write(token);
          }
        }
      }
    }
  }
}

// proj_bias: a grid of 1 tiles of 32 f32, in the order of their first use, in 2 words.
static void load_proj_bias(const ap_uint<512>* proj_bias, hls::stream<token_f32_32>& to_act) {
  token_f32_32 token;
words_0:
  for (int w0 = 0; w0 < 2; ++w0) {
#pragma HLS pipeline II=1
    const ap_uint<512> word = proj_bias[w0];
  elements_0:
    for (int e0 = 0; e0 < 16; ++e0) {
#pragma HLS unroll
      token[16 * w0 + e0] = f32_of_word(word, e0);
    }
    if (w0 == 1) to_act.write(token);
  }
}

// ---- norm ----------------------------------------------------------------------------------------------------------

// 2 tiles of 16 points (reduction), 1 step per tile, 1 cycle per step.
static void norm(hls::stream<token_f32_1x16>& from_fork_load_x, hls::stream<float>& to_order_norm) {
  token_f32_1x16 in0;
  float out0;
  float level0;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    in0 = from_fork_load_x.read();
    float term[16];
#pragma HLS array_partition variable=term type=complete dim=1
  lanes_0:
    for (int l0 = 0; l0 < 16; ++l0) {
#pragma HLS unroll
      const float x0 = in0[l0];
      const float product = x0 * x0;
      term[l0] = product;
    }
  tree_8:
    for (int n = 0; n < 8; ++n) {
#pragma HLS unroll
      term[n] = term[2 * n] + term[2 * n + 1];
    }
  tree_4:
    for (int n = 0; n < 4; ++n) {
#pragma HLS unroll
      term[n] = term[2 * n] + term[2 * n + 1];
    }
  tree_2:
    for (int n = 0; n < 2; ++n) {
#pragma HLS unroll
      term[n] = term[2 * n] + term[2 * n + 1];
    }
  tree_1:
    for (int n = 0; n < 1; ++n) {
#pragma HLS unroll
      term[n] = term[2 * n] + term[2 * n + 1];
    }
    float acc = term[0];
    const int step_of_sum = t0;
    const bool is_last = t0 == 1;
    bool carries = true;
  levels:
    for (int n = 0; n < 1; ++n) {
#pragma HLS unroll
      if ((step_of_sum >> n) % 2 == 0) {
        if (carries) level0 = acc;
        carries = false;
      }
      else if (carries || is_last) {
        acc = level0 + acc;
      }
    }
    out0 = acc;
    if (t0 == 1) to_order_norm.write(out0);
  }
}

typedef float order_norm_block[1];

// Fills 1 block of 1 elements, 1 token each.
static void order_norm_fill(hls::stream<float>& from_norm, hls::stream_of_blocks<order_norm_block>& blocks) {
  hls::write_lock<order_norm_block> block(blocks);
  const float token = from_norm.read();
  block[0] = token;
}

// Drains 1 block of 1 elements, 2 tokens each.
static void order_norm_drain(hls::stream_of_blocks<order_norm_block>& blocks, hls::stream<float>& to_norm_2) {
  hls::read_lock<order_norm_block> block(blocks);
tokens_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    float token;
    token = block[0];
    to_norm_2.write(token);
  }
}

// 2 tiles of 16 points (parallel), 1 step per tile, 1 cycle per step.
static void norm_2(hls::stream<token_f32_1x16>& from_fork_load_x, hls::stream<float>& from_order_norm,
                   hls::stream<token_f32_1x16>& to_proj) {
  token_f32_1x16 in0;
  float in1;
  token_f32_1x16 out0;
tiles_0:
  for (int t0 = 0; t0 < 2; ++t0) {
#pragma HLS pipeline II=1
    in0 = from_fork_load_x.read();
    in1 = from_order_norm.read();
  results_0:
    for (int l0 = 0; l0 < 16; ++l0) {
#pragma HLS unroll
      const float x0 = in0[l0];
      const float x1 = in1;
      const float quotient = x1 / 32.0f;
      const float sum = quotient + 1e-05f;
      const float inverse_root = hls::rsqrt(sum);
      const float product = x0 * inverse_root;
      out0[l0] = product;
    }
    to_proj.write(out0);
  }
}

// ---- proj ----------------------------------------------------------------------------------------------------------

// 1x2 tiles of 32x16 points (parallel, reduction), 32 steps per tile, 2 cycles per step.
static void proj(hls::stream<token_f32_1x16>& from_norm_2, hls::stream<token_f32_8x16>& from_load_proj_weight,
                 hls::stream<token_f32_1x32>& to_act) {
  token_f32_1x16 in0;
  float in1[16][32];
#pragma HLS array_partition variable=in1 type=cyclic factor=8 dim=1
#pragma HLS array_partition variable=in1 type=cyclic factor=16 dim=2
  token_f32_1x32 out0;
  float kept0[2][16];
#pragma HLS array_partition variable=kept0 type=complete dim=1
#pragma HLS array_partition variable=kept0 type=complete dim=2
tiles_1:
  for (int t1 = 0; t1 < 2; ++t1) {
  steps_1:
    for (int s1 = 0; s1 < 16; ++s1) {
    steps_0:
      for (int s0 = 0; s0 < 2; ++s0) {
#pragma HLS pipeline II=2
        if (s1 == 0 && s0 == 0) in0 = from_norm_2.read();
        if (s1 == 0 && s0 == 0) {
          const token_f32_8x16 token = from_load_proj_weight.read();
        read_in1_0:
          for (int e0 = 0; e0 < 8; ++e0) {
#pragma HLS unroll
          read_in1_1:
            for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
              in1[e0][e1] = token[16 * e0 + e1];
            }
          }
        }
        if (s1 == 0 && s0 == 1) {
          const token_f32_8x16 token = from_load_proj_weight.read();
        read_in1_0_2:
          for (int e0 = 0; e0 < 8; ++e0) {
#pragma HLS unroll
          read_in1_1_2:
            for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
              in1[e0][e1 + 16] = token[16 * e0 + e1];
            }
          }
        }
        if (s1 == 8 && s0 == 0) {
          const token_f32_8x16 token = from_load_proj_weight.read();
        read_in1_0_3:
          for (int e0 = 0; e0 < 8; ++e0) {
#pragma HLS unroll
          read_in1_1_3:
            for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
              in1[e0 + 8][e1] = token[16 * e0 + e1];
            }
          }
        }
        if (s1 == 8 && s0 == 1) {
          const token_f32_8x16 token = from_load_proj_weight.read();
        read_in1_0_4:
          for (int e0 = 0; e0 < 8; ++e0) {
#pragma HLS unroll
          read_in1_1_4:
            for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
              in1[e0 + 8][e1 + 16] = token[16 * e0 + e1];
            }
          }
        }
      results_0:
        for (int l0 = 0; l0 < 16; ++l0) {
#pragma HLS unroll
          float acc = t1 == 0 && s1 == 0 ? 0.0f : kept0[1][l0];
          const float x0 = in0[s1];
          const float x1 = in1[s1][16 * s0 + l0];
          const float product = x0 * x1;
          const float sum = acc + product;
          acc = sum;
        moves:
          for (int n = 0; n < 1; ++n) {
#pragma HLS unroll
            kept0[1 - n][l0] = kept0[0 - n][l0];
          }
          kept0[0][l0] = acc;
          out0[16 * s0 + l0] = acc;
        }
        if (t1 == 1 && s1 == 15 && s0 == 1) to_act.write(out0);
      }
    }
  }
}

// ---- act -----------------------------------------------------------------------------------------------------------

// 1 tiles of 32 points (parallel), 1 step per tile, 1 cycle per step.
static void act_2(hls::stream<token_f32_1x32>& from_proj, hls::stream<token_f32_32>& from_load_proj_bias,
                  hls::stream<token_f32_1x32>& to_store_act) {
  token_f32_1x32 in0;
  token_f32_32 in1;
  token_f32_1x32 out0;
  in0 = from_proj.read();
  in1 = from_load_proj_bias.read();
results_0:
  for (int l0 = 0; l0 < 32; ++l0) {
#pragma HLS unroll
    const float x0 = in0[l0];
    const float x1 = in1[l0];
    const float sum = x0 + x1;
    const float larger_one = larger(sum, 0.0f);
    out0[l0] = larger_one;
  }
  to_store_act.write(out0);
}

// ---- To memory -----------------------------------------------------------------------------------------------------

// act: a grid of 1x1 tiles of 1x32 f32, row-major, in 2 words.
static void store_act(ap_uint<512>* act, hls::stream<token_f32_1x32>& from_act) {
  token_f32_1x32 token;
words_1:
  for (int w1 = 0; w1 < 2; ++w1) {
#pragma HLS pipeline II=1
    if (w1 == 0) token = from_act.read();
    ap_uint<512> word = 0;
  elements_1:
    for (int e1 = 0; e1 < 16; ++e1) {
#pragma HLS unroll
      f32_into_word(word, e1, token[16 * w1 + e1]);
    }
    act[w1] = word;
  }
}

// ---- The kernel ----------------------------------------------------------------------------------------------------

extern "C" void group0(const ap_uint<512>* x, const ap_uint<512>* proj_weight, const ap_uint<512>* proj_bias,
                       ap_uint<512>* act) {
#pragma HLS interface mode=m_axi port=x bundle=gmem0 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=s_axilite port=x bundle=control
#pragma HLS interface mode=m_axi port=proj_weight bundle=gmem1 offset=slave depth=64 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=64
#pragma HLS interface mode=s_axilite port=proj_weight bundle=control
#pragma HLS interface mode=m_axi port=proj_bias bundle=gmem2 offset=slave depth=2 max_widen_bitwidth=512 num_read_outstanding=1 max_read_burst_length=2
#pragma HLS interface mode=s_axilite port=proj_bias bundle=control
#pragma HLS interface mode=m_axi port=act bundle=gmem3 offset=slave depth=2 max_widen_bitwidth=512 num_write_outstanding=1 max_write_burst_length=2
#pragma HLS interface mode=s_axilite port=act bundle=control
#pragma HLS interface mode=s_axilite port=return bundle=control
#pragma HLS dataflow

  // !df.itensor<vector<1x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x16, 2> load_x_to_fork_load_x("load_x__fork_load_x");
#pragma HLS bind_storage variable=load_x_to_fork_load_x type=fifo impl=srl
  // !df.itensor<vector<1x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x16, 2> fork_load_x_to_norm("fork_load_x__norm");
#pragma HLS bind_storage variable=fork_load_x_to_norm type=fifo impl=srl
  // !df.itensor<vector<1x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x16, 2> fork_load_x_to_norm_2("fork_load_x__norm_2");
#pragma HLS bind_storage variable=fork_load_x_to_norm_2 type=fifo impl=srl
  // !df.itensor<vector<8x16xf32>, iter_space: [1,2,2,2]*[32,16,8,16], iter_map: (d0,d1,d2,d3)->((d1 + d2),(d0 + d3))>
  hls::stream<token_f32_8x16, 2> load_proj_weight_to_proj("load_proj_weight__proj");
#pragma HLS bind_storage variable=load_proj_weight_to_proj type=fifo impl=srl
  // !df.itensor<vector<32xf32>, iter_space: [1]*[32], iter_map: (d0)->(d0)>
  hls::stream<token_f32_32, 2> load_proj_bias_to_act("load_proj_bias__act");
#pragma HLS bind_storage variable=load_proj_bias_to_act type=fifo impl=srl
  // !df.itensor<vector<1xf32>, iter_space: []*[], iter_map: ()->(0)>
  hls::stream<float, 2> norm_to_order_norm("norm__order_norm");
#pragma HLS bind_storage variable=norm_to_order_norm type=fifo impl=srl
  // !df.itensor<vector<1xf32>, iter_space: [2]*[16], iter_map: (d0)->(0)>
  hls::stream<float, 2> order_norm_to_norm_2("order_norm__norm_2");
#pragma HLS bind_storage variable=order_norm_to_norm_2 type=fifo impl=srl
  // !df.itensor<vector<1x16xf32>, iter_space: [2]*[16], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x16, 2> norm_2_to_proj("norm_2__proj");
#pragma HLS bind_storage variable=norm_2_to_proj type=fifo impl=srl
  // !df.itensor<vector<1x32xf32>, iter_space: [1]*[32], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x32, 3> proj_to_act("proj__act");
#pragma HLS bind_storage variable=proj_to_act type=fifo impl=srl
  // !df.itensor<vector<1x32xf32>, iter_space: [1]*[32], iter_map: (d0)->(0,d0)>
  hls::stream<token_f32_1x32, 3> act_to_store_act("act__store_act");
#pragma HLS bind_storage variable=act_to_store_act type=fifo impl=srl
  // Ping-pong buffer of 2 x 1 elements.
  hls::stream_of_blocks<order_norm_block, 2> order_norm_blocks;

  STTEST_PROCESS(load_x, x, load_x_to_fork_load_x);
  STTEST_PROCESS(fork_load_x, load_x_to_fork_load_x, fork_load_x_to_norm, fork_load_x_to_norm_2);
  STTEST_PROCESS(load_proj_weight, proj_weight, load_proj_weight_to_proj);
  STTEST_PROCESS(load_proj_bias, proj_bias, load_proj_bias_to_act);
  STTEST_PROCESS(norm, fork_load_x_to_norm, norm_to_order_norm);
  STTEST_PROCESS(order_norm_fill, norm_to_order_norm, order_norm_blocks);
  STTEST_PROCESS(order_norm_drain, order_norm_blocks, order_norm_to_norm_2);
  STTEST_PROCESS(norm_2, fork_load_x_to_norm_2, order_norm_to_norm_2, norm_2_to_proj);
  STTEST_PROCESS(proj, norm_2_to_proj, load_proj_weight_to_proj, proj_to_act);
  STTEST_PROCESS(act_2, proj_to_act, load_proj_bias_to_act, act_to_store_act);
  STTEST_PROCESS(store_act, act, act_to_store_act);
}
