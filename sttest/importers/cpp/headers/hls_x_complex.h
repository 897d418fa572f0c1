#include <complex>
