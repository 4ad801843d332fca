//===- AxisInfo.h - What is known of a tensor's values along each dimension ------------===//
//
// Wide memory accesses need neighbouring elements at neighbouring addresses, aligned, under one mask. Three powers of
// two per dimension say so. Cut the dimension into aligned groups of n elements; then
//
//   contiguity    the largest n so that in every group each value is the one before plus 1 (pointers: plus one element)
//   divisibility  a power of two that divides the first value of every such group (pointers: its address in bytes)
//   constancy     the largest n so that in every group all values are equal
//
//   values                    contiguity  divisibility  constancy
//   0 1 2 3 4 5 6 7                    8       (large)          1
//   4 5 6 7 20 21 22 23                4             4          1
//   0 0 0 0 16 16 16 16                1            16          4
//
// A scalar is a tensor of one element. Values are as at run time; wrapping around is harmless, as all numbers are
// powers of two. The analysis is forward and optimistic in loops (iterated until nothing changes), over scf and
// straight code; hk.divisibility on arguments is where facts come from, and on any operation the attributes
//
//   hk.divisibility, hk.contiguity, hk.constancy    one integer, or one per dimension
//
// are promises of the user (`multiple_of`, `max_contiguous`, `max_constancy`) that override what was found.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AXISINFO_H
#define HOCKET_ANALYSIS_AXISINFO_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace hocket {

struct AxisFacts {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;
  bool operator==(const AxisFacts &) const = default;
};

/// "Divides everything": the divisibility of zero.
inline constexpr int64_t kMaxDivisibility = int64_t(1) << 40;

struct AxisInfo {
  /// One per dimension; one for a scalar.
  llvm::SmallVector<AxisFacts, 2> dims;
  /// The value, where all elements are the same integer constant.
  std::optional<int64_t> constant;
  /// No element is negative.
  bool nonNegative = false;

  static AxisInfo unknown(mlir::Type type);
  unsigned rank() const { return dims.size(); }
  /// What holds in both cases.
  AxisInfo join(const AxisInfo &other) const;
  bool operator==(const AxisInfo &) const = default;
  void print(llvm::raw_ostream &os) const;
};

class AxisInfoAnalysis {
public:
  /// Analyses all of a function.
  explicit AxisInfoAnalysis(mlir::Operation *function);
  /// The facts of a scalar or tensor; nothing is known of values the analysis has not seen.
  AxisInfo get(mlir::Value value) const;

private:
  void visitRegion(mlir::Region &region);
  void visitOperation(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitIf(mlir::Operation *op);
  void visitPartitions(mlir::Operation *op);
  void set(mlir::Value value, AxisInfo info) { facts[value] = std::move(info); }
  /// Joins into what `value` has; true if that changed.
  bool joinInto(mlir::Value value, const AxisInfo &info);

  llvm::DenseMap<mlir::Value, AxisInfo> facts;
};

/// The rule of one operation without regions: facts of result `index` from those of the operands.
AxisInfo transferAxisInfo(mlir::Operation *op, unsigned index, llvm::ArrayRef<AxisInfo> operands);

/// The facts of the pointers base + offsets, where elements take `elementBytes`.
AxisInfo addOffsets(const AxisInfo &base, const AxisInfo &offsets, mlir::RankedTensorType offsetsType,
                    int64_t elementBytes);

/// How a global memory access is cut into vectors: consecutive elements along a dimension.
struct AccessShape {
  unsigned dim = 0;
  /// Elements, at most; the layout may allow fewer.
  int64_t width = 1;
};

/// Along which dimension, and how wide, memory at `pointers` (elements of `elementBits`) can be accessed by one lane in
/// at most `maxBits` bits, under `mask` if there is one: the widest access that stays contiguous, aligned and under one
/// predicate.
AccessShape chooseAccess(const AxisInfo &pointers, const AxisInfo *mask, unsigned elementBits, unsigned maxBits);

} // namespace hocket

#endif
