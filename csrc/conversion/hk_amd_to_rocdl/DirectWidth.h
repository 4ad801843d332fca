//===- DirectWidth.h - How wide a copy straight into LDS can be -----------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_DIRECTWIDTH_H

#include "conversion/hk_to_llvm/LoweringContext.h"
#include "dialect/hk/HkDialect.h"

namespace hocket {

struct DirectWidth {
  /// Bytes of each lane that an instruction moves.
  int32_t bytes = 0;
  /// The registers that each instruction stands for, neighbours in LDS and in global memory.
  std::vector<std::vector<int32_t>> groups;
  /// Shape, element type and layout of what is copied.
  mlir::RankedTensorType source;
};

/// The widest copy that `op` (a hk::GlobalAccess) can make into `tile`; if there is none, an error at `op` that says
/// what its layouts give and what is needed.
mlir::FailureOr<DirectWidth> chooseDirectWidth(const LoweringContext &lowering, mlir::Operation *op,
                                               hk::MemDescType tile);

} // namespace hocket

#endif
