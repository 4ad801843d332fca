//===- TensorReductions.cpp - Applies a bulk reduction to the elements of a tensor --===//
#include "emulator/machine/TensorReductions.h"

#include "emulator/host/HalfConversions.h"
#include "support/ForkMutex.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hocket::emulator {

using host_abi::TensorReduction;

/// Types that represent 16-bit floats. Their functions `of` round a float32 to the type.
namespace {
struct Half {
  uint16_t bits;
  operator float() const { return floatFromHalf(bits); }
  static Half of(float value) { return {halfFromFloat(value)}; }
};
struct BFloat {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
  static BFloat of(float value) { return {bfloatFromFloat(value)}; }
};
} // namespace

/// Reduces elements of the type `Rounded`. Each reduction is computed in the type `Number`.
template <typename Number, typename Rounded = Number>
static void reduceAs(TensorReduction reduction, std::byte *to, const std::byte *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof(Rounded)) {
    Rounded stored, given;
    std::memcpy(&stored, to + i, sizeof(Rounded));
    std::memcpy(&given, from + i, sizeof(Rounded));
    Number a = stored, b = given, result = a;
    switch (reduction) {
    case TensorReduction::Min:
      result = std::min(a, b);
      break;
    case TensorReduction::Max:
      result = std::max(a, b);
      break;
    default:
      if constexpr (std::is_integral_v<Number>)
        result = reduction == TensorReduction::And  ? Number(a & b)
                 : reduction == TensorReduction::Or ? Number(a | b)
                 : reduction == TensorReduction::Xor
                     ? Number(a ^ b)
                     : Number(std::make_unsigned_t<Number>(a) + std::make_unsigned_t<Number>(b));
      else
        result = a + b;
    }
    if constexpr (std::is_same_v<Number, Rounded>)
      stored = result;
    else
      stored = Rounded::of(result);
    std::memcpy(to + i, &stored, sizeof(Rounded));
  }
}

/// Serializes the reductions of all blocks.
static ForkMutex &reductions = *new ForkMutex;

void reduceElements(TensorReduction reduction, TensorElement element, std::byte *to, const std::byte *from,
                    size_t bytes) {
  std::lock_guard lock(reductions);
  switch (element) {
  case TensorElement::U8:
    return reduceAs<uint8_t>(reduction, to, from, bytes);
  case TensorElement::U16:
    return reduceAs<uint16_t>(reduction, to, from, bytes);
  case TensorElement::U32:
    return reduceAs<uint32_t>(reduction, to, from, bytes);
  case TensorElement::I32:
    return reduceAs<int32_t>(reduction, to, from, bytes);
  case TensorElement::U64:
    return reduceAs<uint64_t>(reduction, to, from, bytes);
  case TensorElement::I64:
    return reduceAs<int64_t>(reduction, to, from, bytes);
  case TensorElement::F16:
    return reduceAs<float, Half>(reduction, to, from, bytes);
  case TensorElement::BF16:
    return reduceAs<float, BFloat>(reduction, to, from, bytes);
  case TensorElement::F32:
  case TensorElement::TF32:
    return reduceAs<float>(reduction, to, from, bytes);
  case TensorElement::F64:
    return reduceAs<double>(reduction, to, from, bytes);
  }
}

} // namespace hocket::emulator
