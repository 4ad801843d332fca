//===- UndefinedSources.h - Which values may be undefined, and through which reads -------===//
//
// A read of shared memory may see what nothing has written, and so may one of global memory, in arrays that remember
// what was written; a read of global memory that was masked off without `other` gives nothing. From there on everything
// that is computed may be undefined, until an access or a branch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_UNDEFINEDSOURCES_H
#define HOCKET_CONVERSION_GPU_TO_HOST_UNDEFINEDSOURCES_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

class UndefinedSources {
public:
  /// `unwritten`: there are such arrays.
  UndefinedSources(HostFunction &host, bool unwritten);

  bool areNone() const { return reads.empty(); }
  bool mayBeUndefined(mlir::Value value) const { return sources.contains(value); }
  /// Whether operands of matrix products may be, and so their results.
  bool mayMatricesBe() const { return !matrices.empty(); }
  /// Where undefined bits of `values` can come from: "line 12, masked off without `other`".
  std::string describe(mlir::ValueRange values) const;

private:
  /// Numbers of reads, ascending; no more than a message names.
  using Reads = llvm::SmallVector<unsigned, 4>;

  enum class Kind : uint8_t { Shared, MaskedOff, Unwritten, Product };

  void findReads(bool unwritten);
  void addRead(mlir::Value result, Kind kind);
  void propagate(mlir::Value value);
  /// Whether that is news.
  bool add(Reads &known, const Reads &more);
  void addTo(mlir::Value value, const Reads &more);

  HostFunction &host;
  struct Read {
    int line;
    Kind kind;
    bool operator==(const Read &) const = default;
  };
  llvm::SmallVector<Read> reads;
  llvm::DenseMap<mlir::Value, Reads> sources;
  Reads matrices, stored; ///< of what is brought to matrix products, and stored to shared memory
  llvm::SmallVector<mlir::Value> pending, matrixLoads, sharedLoads;
};

/// The call that checked `address`, if it is one of global memory.
mlir::LLVM::CallOp globalCheckOf(mlir::Value address);
/// The name of the runtime function that `op` calls, or an empty one.
llvm::StringRef calleeOf(mlir::Operation *op);
/// Of a call of host_abi::kCrossLane.
host_abi::CrossLaneOp crossLaneKindOf(mlir::LLVM::CallOp call);
/// The offset of `address` in the lane's operands of matrix products, if it points there.
std::optional<int32_t> matrixFieldOf(HostFunction &host, mlir::Value address);
/// The same for products of a warpgroup.
std::optional<int32_t> warpgroupFieldOf(HostFunction &host, mlir::Value address);

} // namespace hocket

#endif
