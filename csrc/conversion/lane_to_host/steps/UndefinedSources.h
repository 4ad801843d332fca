//===- UndefinedSources.h - Finds values that may be undefined, and the reads that they come from -===//
//
// A read of shared memory may return uninitialized memory, and so may a read of an array in global memory that tracks
// writes. A masked-off read of global memory without `other` has no value. All values computed from these may be
// undefined, up to an access or a branch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_UNDEFINEDSOURCES_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_UNDEFINEDSOURCES_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

class UndefinedSources {
public:
  /// `unwritten`: there are arrays that track writes.
  UndefinedSources(HostFunction &host, bool unwritten);

  bool areNone() const { return reads.empty(); }
  bool mayBeUndefined(mlir::Value value) const { return sources.contains(value); }
  /// True if operands of MMAs may be undefined, and thus their results.
  bool mayMatricesBe() const { return !matrices.empty(); }
  /// Describes the reads that undefined bits of `values` can come from: "line 12, masked off without `other`".
  std::string describe(mlir::ValueRange values) const;

private:
  /// Numbers of reads, ascending; at most the number that a message names.
  using Reads = llvm::SmallVector<unsigned, 4>;

  enum class Kind : uint8_t { Shared, MaskedOff, Unwritten, Product };

  void findReads(bool unwritten);
  void addRead(mlir::Value result, Kind kind);
  void propagate(mlir::Value value);
  /// Adds `more` to `known`; returns true if that changed it.
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
  Reads matrices, stored; ///< reads of values that are operands of MMAs, or stored to shared memory
  llvm::SmallVector<mlir::Value> pending, matrixLoads, sharedLoads;
};

/// Returns the call that checked `address`, if it is in global memory.
mlir::LLVM::CallOp globalCheckOf(mlir::Value address);
/// Returns the kind of a call of `crossLane`.
host_abi::CrossLaneOp crossLaneKindOf(mlir::LLVM::CallOp call);
/// Returns the site of a call of `crossLane`.
host_abi::SiteNumber crossLaneSiteOf(mlir::LLVM::CallOp call);
/// Returns the offset of `address` in the lane's operand memory of MMAs, if it points there.
std::optional<int32_t> matrixFieldOf(HostFunction &host, mlir::Value address);
/// Returns the offset of `address` in the lane's operand memory of wgmma, if it points there.
std::optional<int32_t> warpgroupFieldOf(HostFunction &host, mlir::Value address);

} // namespace hocket

#endif
