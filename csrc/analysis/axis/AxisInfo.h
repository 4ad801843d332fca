//===- AxisInfo.h - Facts about a tensor's values along each dimension -----------------===//
//
// A wide memory access is possible if adjacent elements have adjacent addresses, the first address is aligned, and the
// mask has one value for all these elements. Three powers of two for each dimension describe these conditions. The
// definitions divide the dimension into aligned groups of n elements:
//
//   contiguity    the largest n so that in every group the values increase by 1 (pointers: by one element)
//   divisibility  a power of two that divides the first value of every contiguous group (pointers: address in bytes)
//   constancy     the largest n so that in every group all values are equal
//
//   values                    contiguity  divisibility  constancy
//   0 1 2 3 4 5 6 7                    8       (large)          1
//   4 5 6 7 20 21 22 23                4             4          1
//   0 0 0 0 16 16 16 16                1            16          4
//
// A scalar is a tensor of one element. The facts also hold for values that wrap around at run time, because the number
// of values of an integer type is a power of two, too. The analysis is a forward data-flow analysis of straight-line
// code and scf operations. In loops, it starts with optimistic facts and iterates to a fixed point. Facts originate
// from hk.divisibility on kernel arguments, and from these attributes of any operation:
//
//   hk.divisibility, hk.contiguity, hk.constancy    one integer, or one per dimension
//
// With these attributes, the user asserts facts (`multiple_of`, `max_contiguous`, `max_constancy`), which override
// derived facts.
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

/// The divisibility of the constant 0, which every number divides.
inline constexpr int64_t kMaxDivisibility = int64_t(1) << 40;

struct AxisInfo {
  /// dims[i] contains the facts of dimension i; a scalar has one dimension.
  llvm::SmallVector<AxisFacts, 2> dims;
  /// The value of all elements, if it is one known integer constant.
  std::optional<int64_t> constant;
  /// True if no element is negative.
  bool nonNegative = false;

  static AxisInfo unknown(mlir::Type type);
  unsigned rank() const { return dims.size(); }
  /// Returns facts that hold both for values with the facts `*this` and for values with the facts `other`.
  AxisInfo join(const AxisInfo &other) const;
  bool operator==(const AxisInfo &) const = default;
  void print(llvm::raw_ostream &os) const;
};

class AxisInfoAnalysis {
public:
  /// Analyzes `function` and all of its regions.
  explicit AxisInfoAnalysis(mlir::Operation *function);
  /// Returns the facts of a scalar or tensor. For a value that the analysis has not visited, returns facts that hold
  /// for all values.
  AxisInfo get(mlir::Value value) const;

private:
  void visitRegion(mlir::Region &region);
  void visitOperation(mlir::Operation *op);
  void visitFor(mlir::Operation *op);
  void visitWhile(mlir::Operation *op);
  void visitIf(mlir::Operation *op);
  void visitPartitions(mlir::Operation *op);
  void set(mlir::Value value, AxisInfo info) { facts[value] = std::move(info); }
  /// Joins `info` into the facts of `value`; returns true if the facts changed.
  bool joinInto(mlir::Value value, const AxisInfo &info);

  llvm::DenseMap<mlir::Value, AxisInfo> facts;
};

/// Transfer function of an operation without regions: returns the facts of result `index`, given the facts of the
/// operands.
AxisInfo transferAxisInfo(mlir::Operation *op, unsigned index, llvm::ArrayRef<AxisInfo> operands);

/// Returns the facts of the pointers base + offsets. An element has `elementBytes` bytes.
AxisInfo addOffsets(const AxisInfo &base, const AxisInfo &offsets, mlir::RankedTensorType offsetsType,
                    int64_t elementBytes);

/// The vectors of a global memory access, each of which consists of consecutive elements along dimension `dim`.
struct AccessShape {
  unsigned dim = 0;
  /// Maximum number of elements of one vector; the layout of the tensor may reduce the number further.
  int64_t width = 1;
};

/// Returns the widest vector of at most `maxBits` bits that one lane can access at `pointers`. The addresses of a
/// vector must be contiguous and aligned, and `mask`, if it is not null, must have one value for the whole vector. An
/// element has `elementBits` bits.
AccessShape chooseAccess(const AxisInfo &pointers, const AxisInfo *mask, unsigned elementBits, unsigned maxBits);

} // namespace hocket

#endif
