//===- JoinPartitions.h - Merges the functions of all partitions into one kernel -------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPARTITIONS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPARTITIONS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Creates the pass. It does not change modules without partitions of warps.
std::unique_ptr<mlir::Pass> createJoinPartitionsPass();

} // namespace hocket

#endif
