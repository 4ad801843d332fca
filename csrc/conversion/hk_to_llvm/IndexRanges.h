//===- IndexRanges.h - Between which numbers a 32-bit value of a lane lies ---------------===//
#ifndef HOCKET_CONVERSION_HK_TO_LLVM_INDEXRANGES_H
#define HOCKET_CONVERSION_HK_TO_LLVM_INDEXRANGES_H

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
  /// Of `value`, an i32 in lane form, as a signed number.
  IndexRange of(mlir::Value value);
  /// What an addition, subtraction, multiplication or left shift would give in 64 bits; nothing for other operations.
  std::optional<IndexRange> inWideArithmetic(mlir::Operation *op);

private:
  IndexRange compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, IndexRange> known;
};

} // namespace hocket

#endif
