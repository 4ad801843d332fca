//===- ArrayGaps.cpp - Memory between the elements of a strided array ---------------------------===//
#include "emulator/run/ArrayGaps.h"

#include <algorithm>
#include <cstdlib>

namespace hocket::emulator {

ArrayGaps::ArrayGaps(llvm::ArrayRef<ArrayDimension> dimensions, uint64_t elementBytes) : run(elementBytes) {
  for (const ArrayDimension &dimension : dimensions)
    if (dimension.size > 1 && dimension.strideBytes != 0)
      levels.push_back({uint64_t(std::abs(dimension.strideBytes)), uint64_t(dimension.size - 1)});
  std::ranges::sort(levels, std::greater(), &Level::stride);
  while (!levels.empty() && levels.back().stride == run) {
    run *= levels.back().last + 1;
    levels.pop_back();
  }
  uint64_t extent = run;
  for (size_t i = levels.size(); i-- > 0;) {
    if (levels[i].stride < extent) {
      levels.clear();
      return;
    }
    extent += levels[i].stride * levels[i].last;
  }
}

} // namespace hocket::emulator
