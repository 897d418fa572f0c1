#pragma once
#include <hls_stream.h>

#define ROWS 16
#define COLUMNS 8
#define LANES 2

typedef hls::stream<float> fifo_t;
