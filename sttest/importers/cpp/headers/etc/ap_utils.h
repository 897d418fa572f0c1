#include "sttest_hls.h"
