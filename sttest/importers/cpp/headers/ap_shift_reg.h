// A shift register: what is shifted in moves one place further with each shift.
#ifndef STTEST_AP_SHIFT_REG_H
#define STTEST_AP_SHIFT_REG_H
#include "sttest_hls.h"
template <class T, unsigned DEPTH = 32> class ap_shift_reg {
 public:
  STTEST_INLINE ap_shift_reg(const char * = nullptr) {}
  STTEST_INLINE T shift(T value, unsigned place = DEPTH - 1, bool is_enabled = true) {
    T found = places_[place];
    if (is_enabled) {
      for (unsigned i = DEPTH - 1; i > 0; i--) places_[i] = places_[i - 1];
      places_[0] = value;
    }
    return found;
  }
  STTEST_INLINE T read(unsigned place = DEPTH - 1) const { return places_[place]; }

 private:
  T places_[DEPTH] = {};
};
#endif
