//===- DirectWidth.h - Chooses the width of copies directly to LDS --------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H

#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/ir/HkDialect.h"

namespace hocket {

struct DirectWidth {
  /// Bytes per lane and instruction.
  int32_t bytes = 0;
  /// The registers of each instruction, adjacent in LDS and in global memory.
  std::vector<std::vector<int32_t>> groups;
  /// Shape, element type and layout of the source.
  mlir::RankedTensorType source;
};

/// Returns the widest copy that `op` (a hk::GlobalAccess) can make into `tile`. If no copy is possible, emits an error
/// at `op` with the properties of its layouts and the required properties.
mlir::FailureOr<DirectWidth> chooseDirectWidth(const LoweringContext &lowering, mlir::Operation *op,
                                               hk::MemDescType tile);

} // namespace hocket

#endif
