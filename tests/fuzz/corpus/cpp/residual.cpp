// A row is filtered in a second pass; what skips the filter has to be held until the row comes back.
#pragma once
#include <hls_stream.h>

#define ROWS 16
#define COLUMNS 8
#define LANES 2

typedef hls::stream<float> fifo_t;


void load(const float in[ROWS * COLUMNS], fifo_t &body, fifo_t &skip) {
  tokens: for (int i = 0; i < ROWS * COLUMNS; i++) {
    #pragma HLS pipeline II=1
    float value = in[i];
    body.write(value);
    skip.write(value);
  }
}

void filter(fifo_t &body, fifo_t filtered[LANES]) {
  float row[COLUMNS];
  rows: for (int r = 0; r < ROWS; r++) {
    fill: for (int c = 0; c < COLUMNS; c++) {
      #pragma HLS pipeline II=1
      row[c] = body.read();
    }
    drain: for (int c = 0; c < COLUMNS / LANES; c++) {
      #pragma HLS pipeline II=1
      for (int lane = 0; lane < LANES; lane++) {
        filtered[lane].write(row[c * LANES + lane] * 0.5f);
      }
    }
  }
}

void join(fifo_t filtered[LANES], fifo_t &skip, float out[ROWS * COLUMNS]) {
  sums: for (int i = 0; i < ROWS * COLUMNS / LANES; i++) {
    #pragma HLS pipeline II=2
    for (int lane = 0; lane < LANES; lane++) {
      out[i * LANES + lane] = filtered[lane].read() + skip.read();
    }
  }
}

void residual(const float in[ROWS * COLUMNS], float out[ROWS * COLUMNS]) {
  #pragma HLS dataflow
  fifo_t body("body");
  fifo_t skip("skip");
  #pragma HLS stream variable=skip depth=4
  fifo_t filtered[LANES];
  #pragma HLS stream variable=filtered depth=2
  load(in, body, skip);
  filter(body, filtered);
  join(filtered, skip, out);
}
