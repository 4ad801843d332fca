//===- DependentCopies.cpp - Copies of elements at inputs that differ in several bits ---===//
#include "layout/DependentCopies.h"

namespace hocket {

bool hasDependentCopies(const LinearLayout &layout) {
  Coords free = layout.getFreeVariableMasks();
  for (DimBits in : layout.getInDims()) {
    std::span<const uint64_t> bases = layout.getFlatBases(in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if ((free[in.dim] >> bit & 1) && bases[bit])
        return true;
  }
  return false;
}

} // namespace hocket
