//===- JoinPartitions.h - One kernel of the functions of all partitions ----------------===//
#ifndef HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPARTITIONS_H
#define HOCKET_CONVERSION_HK_NV_TO_NVVM_JOINPARTITIONS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hocket {

/// Leaves modules alone that have no partitions of warps.
std::unique_ptr<mlir::Pass> createJoinPartitionsPass();

} // namespace hocket

#endif
