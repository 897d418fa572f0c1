// The operations of payloads on bits, as docs/reference/values.md says.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "functions.h"

static float f(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
static unsigned u(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}
extern "C" unsigned fp_add(unsigned a, unsigned b) { return u(f(a) + f(b)); }
extern "C" unsigned fp_sub(unsigned a, unsigned b) { return u(f(a) - f(b)); }
extern "C" unsigned fp_mul(unsigned a, unsigned b) { return u(f(a) * f(b)); }
extern "C" unsigned fp_div(unsigned a, unsigned b) { return u(f(a) / f(b)); }
extern "C" unsigned fp_max(unsigned a, unsigned b) { return u(larger(f(a), f(b))); }
extern "C" unsigned fp_min(unsigned a, unsigned b) { return u(smaller(f(a), f(b))); }
extern "C" unsigned fp_exp(unsigned a) { return u(exp_f32(f(a))); }
extern "C" unsigned fp_tanh(unsigned a) { return u(tanh_f32(f(a))); }
extern "C" unsigned fp_sqrt(unsigned a) { return u(std::sqrt(f(a))); }
extern "C" unsigned fp_rsqrt(unsigned a) { return u(rsqrt_f32(f(a))); }
extern "C" unsigned fp_round(unsigned a) { return u(std::nearbyint(f(a))); }
extern "C" unsigned fp_from_int(unsigned a) { return u(float(int32_t(a))); }
extern "C" unsigned fp_to_int(unsigned a) { return std::isnan(f(a)) ? 0 : unsigned(int32_t(f(a))); }
extern "C" unsigned fp_extend(unsigned a) {
    _Float16 half;
    uint16_t bits = uint16_t(a);
    std::memcpy(&half, &bits, 2);
    return u(float(half));
}
extern "C" unsigned fp_truncate(unsigned a) {
    const _Float16 half = _Float16(f(a));
    uint16_t bits;
    std::memcpy(&bits, &half, 2);
    return bits;
}
extern "C" unsigned char fp_compare(int predicate, unsigned a, unsigned b) {
    const float x = f(a), y = f(b);
    const bool unordered = std::isnan(x) || std::isnan(y);
    const bool ordered[] = {false, x == y, x > y, x >= y, x < y, x <= y, x < y || x > y, true};
    if (predicate < 8) return !unordered && ordered[predicate];
    const bool loose[] = {x == y, x > y, x >= y, x < y, x <= y, x < y || x > y, false, true};
    return unordered || loose[predicate - 8];
}
