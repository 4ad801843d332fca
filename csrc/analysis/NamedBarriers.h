//===- NamedBarriers.h - Numbers of a block's named barriers ------------------------------------===//
//
//   barriers   0                   1       2 ...            next                                 remaining
//   used by    default partition   block   one per worker   barriers that the kernel allocates   warp pipelines
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_NAMEDBARRIERS_H
#define HOCKET_ANALYSIS_NAMEDBARRIERS_H

#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include <map>

namespace hocket {

struct NamedBarriers {
  explicit NamedBarriers(mlir::Operation *function);

  int total;       ///< number of named barriers of a block
  int workers = 0; ///< maximum number of workers of an hk.warp_specialize
  /// Maps the index of each barrier that the kernel allocates to the uses of the barrier, in program order.
  std::map<uint32_t, llvm::SmallVector<hk::NamedBarrierUse>> uses;

  /// Index of the first barrier that the kernel allocates.
  int first() const { return hk::kFirstWorkerBarrier + workers; }
  /// Index of the first barrier that is available for warp pipelines.
  int firstFree() const { return first() + static_cast<int>(uses.size()); }
  /// Returns a text for error messages that lists the uses of named barriers: "a block has 16, and its 3 workers use
  /// one each, ...".
  std::string describe() const;
};

} // namespace hocket

#endif
