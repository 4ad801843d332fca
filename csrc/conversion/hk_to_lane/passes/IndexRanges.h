//===- IndexRanges.h - Ranges of 32-bit values of a lane ---------------------------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LANE_PASSES_INDEXRANGES_H
#define HOCKET_CONVERSION_HK_TO_LANE_PASSES_INDEXRANGES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace hocket {

struct IndexRange {
  int64_t low = INT32_MIN, high = INT32_MAX;

  bool fitsInt32() const { return low >= INT32_MIN && high <= INT32_MAX; }
};

class IndexRanges {
public:
  /// Returns the range of `value`, an i32 in lane form, as a signed number.
  IndexRange of(mlir::Value value);
  /// Returns the range of an addition, subtraction, multiplication or left shift in 64 bits; nullopt for other
  /// operations.
  std::optional<IndexRange> inWideArithmetic(mlir::Operation *op);

private:
  IndexRange compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, IndexRange> known;
};

} // namespace hocket

#endif
