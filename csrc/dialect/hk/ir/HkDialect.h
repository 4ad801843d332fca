//===- HkDialect.h - The `hk` dialect ---------------------------------------------===//
//
// Includes all attributes, types and operations of the dialect.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_IR_HKDIALECT_H
#define HOCKET_DIALECT_HK_IR_HKDIALECT_H

#include "dialect/hk/facts/Completion.h"
#include "dialect/hk/facts/GlobalAddresses.h"
#include "dialect/hk/facts/MemorySpaces.h"
#include "dialect/hk/layouts/BasisRows.h"
#include "dialect/hk/layouts/ViewedPart.h"
#include "layout/LinearLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <string>

#include "dialect/hk/ir/HkDialect.h.inc"
#include "dialect/hk/ir/HkEnums.h.inc"
#include "dialect/hk/layouts/HkLayoutInterfaces.h.inc"

namespace hocket::hk::detail {
/// Verifies the region of a CombineRegion.
mlir::LogicalResult verifyCombineRegion(mlir::Operation *op);
} // namespace hocket::hk::detail

#include "dialect/hk/ir/HkOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk/ir/HkAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/hk/ir/HkTypes.h.inc"

namespace hocket::hk {

/// The resource of global memory, which all blocks access through `!hk.ptr`.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};

/// The resource of shared memory, which the warps of one block access through `!hk.memdesc`.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};

/// The resource of operations that print or assert at run time.
struct Messages : mlir::SideEffects::Resource::Base<Messages> {
  llvm::StringRef getName() final { return "Messages"; }
};

/// Returns `type`, a scalar or a tensor, with another element type; shape and layout stay the same.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

} // namespace hocket::hk

#define GET_OP_CLASSES
#include "dialect/hk/ir/HkOps.h.inc"

#endif
