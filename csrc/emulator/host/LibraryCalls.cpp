//===- LibraryCalls.cpp - Library functions that compiled code may call -----------------------===//
//
// Compiled code can call only the library functions that this file lists. The JIT linker does not search the process
// for symbols, because the extension module hides its symbols. Functions of NVIDIA's libdevice and of AMD's OCML map to
// the corresponding functions of the C library.
//
//===------------------------------------------------------------------------------===//
#include "emulator/host/LibraryCalls.h"

#include "emulator/host/HalfConversions.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace hocket::emulator {

// The types __bf16 and _Float16 make the functions pass 16-bit floats in vector registers, like the functions of the
// compiler's support library.
static __bf16 truncsfbf2(float value) { return std::bit_cast<__bf16>(bfloatFromFloat(value)); }
static __bf16 truncdfbf2(double value) { return std::bit_cast<__bf16>(bfloatFromDouble(value)); }
static _Float16 truncsfhf2(float value) { return std::bit_cast<_Float16>(halfFromFloat(value)); }
static _Float16 truncdfhf2(double value) { return std::bit_cast<_Float16>(halfFromDouble(value)); }
static float extendhfsf2(_Float16 value) { return floatFromHalf(std::bit_cast<uint16_t>(value)); }

static float rsqrtFloat(float value) { return 1 / std::sqrt(value); }
static double rsqrtDouble(double value) { return 1 / std::sqrt(value); }

template <typename Result, typename... Arguments>
static void *addressOf(Result (*function)(Arguments...)) {
  return reinterpret_cast<void *>(function);
}

// Maps the C, NVIDIA and AMD names of a function of one argument to the C function.
#define HOCKET_UNARY(name)                                                                                             \
  {#name "f", addressOf<float, float>(::name##f)}, {#name, addressOf<double, double>(::name)},                         \
      {"__nv_" #name "f", addressOf<float, float>(::name##f)}, {"__nv_" #name, addressOf<double, double>(::name)},     \
      {"__ocml_" #name "_f32", addressOf<float, float>(::name##f)}, {                                                  \
    "__ocml_" #name "_f64", addressOf<double, double>(::name)                                                          \
  }
#define HOCKET_BINARY(name)                                                                                            \
  {#name "f", addressOf<float, float, float>(::name##f)}, {#name, addressOf<double, double, double>(::name)},          \
      {"__nv_" #name "f", addressOf<float, float, float>(::name##f)},                                                  \
      {"__nv_" #name, addressOf<double, double, double>(::name)},                                                      \
      {"__ocml_" #name "_f32", addressOf<float, float, float>(::name##f)}, {                                           \
    "__ocml_" #name "_f64", addressOf<double, double, double>(::name)                                                  \
  }

std::span<const NamedFunction> libraryCalls() {
  static const NamedFunction table[] = {
      {"__truncsfbf2", addressOf(truncsfbf2)},
      {"__truncdfbf2", addressOf(truncdfbf2)},
      {"__truncsfhf2", addressOf(truncsfhf2)},
      {"__truncdfhf2", addressOf(truncdfhf2)},
      {"__extendhfsf2", addressOf(extendhfsf2)},
      {"__nv_rsqrtf", addressOf(rsqrtFloat)},
      {"__nv_rsqrt", addressOf(rsqrtDouble)},
      {"__ocml_rsqrt_f32", addressOf(rsqrtFloat)},
      {"__ocml_rsqrt_f64", addressOf(rsqrtDouble)},
      {"fmaf", addressOf<float, float, float, float>(::fmaf)},
      {"fma", addressOf<double, double, double, double>(::fma)},
      {"memcpy", reinterpret_cast<void *>(::memcpy)},
      {"memmove", reinterpret_cast<void *>(::memmove)},
      {"memset", reinterpret_cast<void *>(::memset)},
      HOCKET_UNARY(sin),
      HOCKET_UNARY(cos),
      HOCKET_UNARY(tan),
      HOCKET_UNARY(asin),
      HOCKET_UNARY(acos),
      HOCKET_UNARY(atan),
      HOCKET_UNARY(sinh),
      HOCKET_UNARY(cosh),
      HOCKET_UNARY(tanh),
      HOCKET_UNARY(asinh),
      HOCKET_UNARY(acosh),
      HOCKET_UNARY(atanh),
      HOCKET_UNARY(exp),
      HOCKET_UNARY(exp2),
      HOCKET_UNARY(exp10),
      HOCKET_UNARY(expm1),
      HOCKET_UNARY(log),
      HOCKET_UNARY(log2),
      HOCKET_UNARY(log10),
      HOCKET_UNARY(log1p),
      HOCKET_UNARY(sqrt),
      HOCKET_UNARY(cbrt),
      HOCKET_UNARY(erf),
      HOCKET_UNARY(erfc),
      HOCKET_UNARY(tgamma),
      HOCKET_UNARY(lgamma),
      HOCKET_UNARY(floor),
      HOCKET_UNARY(ceil),
      HOCKET_UNARY(trunc),
      HOCKET_UNARY(rint),
      HOCKET_UNARY(nearbyint),
      HOCKET_UNARY(round),
      HOCKET_UNARY(roundeven),
      HOCKET_UNARY(fabs),
      HOCKET_BINARY(pow),
      HOCKET_BINARY(fmod),
      HOCKET_BINARY(atan2),
      HOCKET_BINARY(fmin),
      HOCKET_BINARY(fmax),
      HOCKET_BINARY(hypot),
      HOCKET_BINARY(remainder),
      HOCKET_BINARY(copysign),
  };
  return table;
}

} // namespace hocket::emulator
