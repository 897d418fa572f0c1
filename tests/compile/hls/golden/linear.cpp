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

// A number from 1 to 2 with 23 bits behind the point, rounded from 29: c0 + c1 t + c2 t^2, where t counts parts of
// 2^-BITS and products are floored.
template <int BITS>
static inline int significand(ap_int<31> c0, ap_int<24> c1, ap_int<16> c2, ap_int<BITS + 1> t) {
#pragma HLS inline
  const ap_int<24> slope = c1 + ((c2 * t) >> BITS);
  const ap_int<32> value = c0 + ((slope * t) >> BITS), rounded_value = (value + 32) >> 6;
  return rounded_value.to_int();
}

// 1 / sqrt(x): half the exponent, and a significand from a table by the exponent's last bit and the fraction's first.
static inline float rsqrt_f32(float x) {
#pragma HLS inline
  static const int c0[256] = {
    759250121, 756301566, 753387099, 750506067, 747657836, 744841789, 742057324, 739303855, 736580812, 733887637,
    731223789, 728588740, 725981974, 723402989, 720851295, 718326415, 715827880, 713355238, 710908043, 708485862,
    706088272, 703714859, 701365220, 699038961, 696735697, 694455050, 692196654, 689960148, 687745182, 685551412,
    683378502, 681226123, 679093955, 676981683, 674888998, 672815602, 670761198, 668725500, 666708224, 664709094,
    662727840, 660764198, 658817908, 656888715, 654976371, 653080632, 651201260, 649338019, 647490681, 645659021,
    643842817, 642041855, 640255921, 638484809, 636728314, 634986236, 633258379, 631544551, 629844562, 628158228,
    626485367, 624825800, 623179353, 621545852, 619925130, 618317021, 616721361, 615137992, 613566756, 612007498,
    610460069, 608924318, 607400099, 605887270, 604385688, 602895216, 601415716, 599947055, 598489101, 597041725,
    595604800, 594178199, 592761801, 591355484, 589959129, 588572619, 587195840, 585828676, 584471018, 583122756,
    581783781, 580453988, 579133272, 577821530, 576518661, 575224566, 573939146, 572662306, 571393949, 570133983,
    568882315, 567638855, 566403513, 565176202, 563956834, 562745325, 561541591, 560345548, 559157115, 557976211,
    556802758, 555636678, 554477893, 553326328, 552181909, 551044561, 549914212, 548790790, 547674226, 546564449,
    545461392, 544364986, 543275165, 542191863, 541115017, 540044560, 538980432, 537922570, 1073741819, 1069571932,
    1065450253, 1061375858, 1057347852, 1053365360, 1049427532, 1045533539, 1041682574, 1037873850, 1034106600,
    1030380078, 1026693554, 1023046319, 1019437678, 1015866958, 1012333497, 1008836652, 1005375796, 1001950315,
    998559610, 995203098, 991880207, 988590380, 985333071, 982107750, 978913895, 975750999, 972618564, 969516104,
    966443146, 963399223, 960383881, 957396677, 954437175, 951504949, 948599584, 945720671, 942867812, 940040616,
    937238700, 934461690, 931709220, 928980929, 926276467, 923595487, 920937653, 918302633, 915690103, 913099744,
    910531244, 907984299, 905458607, 902953876, 900469817, 898006146, 895562588, 893138869, 890734722, 888349886,
    885984103, 883637121, 881308692, 878998574, 876706527, 874432317, 872175714, 869936491, 867714427, 865509305,
    863320908, 861149029, 858993458, 856853994, 854730437, 852622591, 850530262, 848453262, 846391404, 844344505,
    842312386, 840294868, 838291779, 836302946, 834328202, 832367381, 830420320, 828486859, 826566841, 824660110,
    822766513, 820885902, 819018127, 817163044, 815320509, 813490382, 811672525, 809866799, 808073072, 806291211,
    804521085, 802762567, 801015530, 799279850, 797555404, 795842071, 794139733, 792448273, 790767575, 789097525,
    787438012, 785788926, 784150157, 782521598, 780903144, 779294691, 777696136, 776107378, 774528318, 772958857,
    771398898, 769848346, 768307106, 766775087, 765252195, 763738342, 762233437, 760737394
  };
  static const int c1[256] = {
    -2965758, -2931340, -2897583, -2864469, -2831981, -2800102, -2768817, -2738110, -2707967, -2678372, -2649313,
    -2620776, -2592747, -2565214, -2538165, -2511588, -2485472, -2459805, -2434577, -2409777, -2385395, -2361422,
    -2337848, -2314663, -2291859, -2269427, -2247359, -2225646, -2204280, -2183254, -2162560, -2142191, -2122140,
    -2102399, -2082963, -2063824, -2044977, -2026415, -2008132, -1990122, -1972380, -1954900, -1937676, -1920704,
    -1903979, -1887494, -1871246, -1855230, -1839441, -1823875, -1808527, -1793393, -1778470, -1763751, -1749235,
    -1734917, -1720793, -1706860, -1693113, -1679551, -1666168, -1652962, -1639930, -1627068, -1614373, -1601843,
    -1589473, -1577262, -1565207, -1553305, -1541552, -1529947, -1518487, -1507169, -1495991, -1484951, -1474046,
    -1463273, -1452631, -1442118, -1431731, -1421468, -1411326, -1401305, -1391402, -1381615, -1371942, -1362382,
    -1352932, -1343591, -1334357, -1325228, -1316202, -1307279, -1298456, -1289732, -1281105, -1272574, -1264137,
    -1255793, -1247541, -1239378, -1231304, -1223317, -1215416, -1207600, -1199868, -1192217, -1184647, -1177158,
    -1169746, -1162413, -1155155, -1147973, -1140865, -1133830, -1126867, -1119975, -1113153, -1106399, -1099714,
    -1093096, -1086544, -1080057, -1073635, -1067276, -1060979, -1054744, -4194215, -4145541, -4097801, -4050971,
    -4005025, -3959942, -3915698, -3872272, -3829643, -3787790, -3746695, -3706336, -3666698, -3627760, -3589507,
    -3551922, -3514988, -3478689, -3443012, -3407939, -3373459, -3339555, -3306216, -3273428, -3241178, -3209455,
    -3178245, -3147538, -3117323, -3087587, -3058322, -3029516, -3001159, -2973242, -2945755, -2918689, -2892034,
    -2865783, -2839927, -2814458, -2789366, -2764646, -2740288, -2716286, -2692632, -2669320, -2646342, -2623692,
    -2601363, -2579349, -2557644, -2536241, -2515136, -2494321, -2473792, -2453543, -2433569, -2413864, -2394424,
    -2375243, -2356317, -2337641, -2319211, -2301021, -2283068, -2265347, -2247855, -2230586, -2213537, -2196704,
    -2180084, -2163672, -2147465, -2131459, -2115651, -2100038, -2084615, -2069381, -2054331, -2039463, -2024773,
    -2010259, -1995917, -1981745, -1967740, -1953899, -1940220, -1926699, -1913335, -1900124, -1887065, -1874155,
    -1861391, -1848772, -1836294, -1823957, -1811756, -1799692, -1787760, -1775960, -1764289, -1752745, -1741327,
    -1730032, -1718858, -1707805, -1696869, -1686049, -1675345, -1664752, -1654271, -1643900, -1633636, -1623479,
    -1613427, -1603478, -1593630, -1583883, -1574235, -1564685, -1555231, -1545871, -1536606, -1527432, -1518349,
    -1509356, -1500451, -1491634
  };
  static const int c2[256] = {
    17209, 16879, 16558, 16245, 15940, 15643, 15354, 15072, 14798, 14530, 14269, 14015, 13767, 13525, 13289, 13059,
    12834, 12614, 12400, 12191, 11987, 11787, 11593, 11402, 11216, 11035, 10857, 10683, 10513, 10347, 10185, 10026,
    9870, 9718, 9570, 9424, 9281, 9142, 9005, 8871, 8740, 8612, 8486, 8363, 8242, 8124, 8008, 7895, 7783, 7674, 7567,
    7462, 7359, 7258, 7159, 7062, 6967, 6873, 6781, 6691, 6603, 6516, 6431, 6347, 6265, 6185, 6106, 6028, 5951, 5876,
    5803, 5730, 5659, 5589, 5520, 5453, 5386, 5321, 5257, 5194, 5132, 5071, 5011, 4952, 4894, 4836, 4780, 4725, 4671,
    4617, 4565, 4513, 4462, 4412, 4362, 4313, 4266, 4218, 4172, 4126, 4081, 4037, 3993, 3950, 3908, 3866, 3825, 3785,
    3745, 3706, 3667, 3629, 3591, 3554, 3518, 3482, 3446, 3411, 3377, 3343, 3309, 3276, 3243, 3211, 3180, 3148, 3117,
    3087, 24338, 23871, 23416, 22973, 22542, 22123, 21714, 21315, 20927, 20549, 20180, 19820, 19469, 19127, 18793,
    18468, 18150, 17839, 17537, 17241, 16952, 16670, 16394, 16125, 15862, 15605, 15354, 15108, 14868, 14633, 14403,
    14179, 13959, 13744, 13533, 13327, 13126, 12928, 12735, 12546, 12361, 12179, 12001, 11827, 11656, 11489, 11325,
    11165, 11007, 10853, 10701, 10553, 10407, 10265, 10125, 9987, 9853, 9720, 9590, 9463, 9338, 9215, 9095, 8977, 8861,
    8747, 8635, 8525, 8416, 8310, 8206, 8104, 8003, 7904, 7807, 7711, 7617, 7525, 7434, 7345, 7257, 7171, 7086, 7003,
    6921, 6840, 6760, 6682, 6605, 6530, 6455, 6382, 6310, 6239, 6169, 6100, 6032, 5966, 5900, 5836, 5772, 5709, 5648,
    5587, 5527, 5468, 5410, 5353, 5296, 5241, 5186, 5132, 5079, 5026, 4975, 4924, 4873, 4824, 4775, 4727, 4680, 4633,
    4587, 4541, 4497, 4452, 4409, 4366
  };
  const unsigned int bits = bits_of_float(x), exponent = (bits >> 23) & 0xffu, n = (bits >> 16) & 0xffu;
  if (exponent == 0u) return float_of_bits((bits & 0x80000000u) | 0x7f800000u);
  if (exponent == 0xffu && bits & 0x7fffffu) return x;  // NaN
  if (bits >> 31) return float_of_bits(0x7fc00000u);
  if (exponent == 0xffu) return 0.0f;
  const int halved = static_cast<int>((exponent + 1u) >> 1);
  const int number = (189 - halved) * 0x800000 + significand<16>(c0[n], c1[n], c2[n], ap_uint<16>(bits & 0xffffu));
  return float_of_bits(static_cast<unsigned int>(number));
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
      norm[l0] = x[l0] * rsqrt_f32((squares / 32.0f) + 1e-05f);
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
