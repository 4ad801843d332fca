//===- HkDialect.h - The `hk` dialect ---------------------------------------------===//
//
// Everything a user of its attributes, types and operations includes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_HKDIALECT_H
#define HOCKET_DIALECT_HK_HKDIALECT_H

#include "dialect/hk/AsyncCounter.h"
#include "dialect/hk/BasisRows.h"
#include "dialect/hk/GlobalAddresses.h"
#include "dialect/hk/ViewedPart.h"
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

#include "dialect/hk/HkDialect.h.inc"
#include "dialect/hk/HkEnums.h.inc"
#include "dialect/hk/HkLayoutInterfaces.h.inc"

namespace hocket::hk::detail {
/// What the interface CombineRegion demands of its region.
mlir::LogicalResult verifyCombineRegion(mlir::Operation *op);
} // namespace hocket::hk::detail

#include "dialect/hk/HkOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hk/HkAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/hk/HkTypes.h.inc"

namespace hocket::hk {

/// Memory that all blocks see, reached through `!hk.ptr`.
struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "GlobalMemory"; }
};

/// Memory of one block, reached through `!hk.memdesc`.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};

/// What the program tells its user while it runs: assertions that fail, printed text.
struct Messages : mlir::SideEffects::Resource::Base<Messages> {
  llvm::StringRef getName() final { return "Messages"; }
};

/// `type` (a scalar, or a tensor with its shape and layout) with another element type.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

} // namespace hocket::hk

#define GET_OP_CLASSES
#include "dialect/hk/HkOps.h.inc"

#endif
