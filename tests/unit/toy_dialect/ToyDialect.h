//===- ToyDialect.h - A dialect for tests of interfaces -----------------------------------===//
#ifndef HOCKET_TESTS_UNIT_TOY_DIALECT_TOYDIALECT_H
#define HOCKET_TESTS_UNIT_TOY_DIALECT_TOYDIALECT_H

#include "dialect/hk/ir/HkDialect.h"

#include "ToyDialect.h.inc"

namespace hocket::toy {

/// Resource of effects on the memory space #toy.bank.
struct BankMemory : mlir::SideEffects::Resource::Base<BankMemory> {
  llvm::StringRef getName() final { return "BankMemory"; }
};

} // namespace hocket::toy

#define GET_ATTRDEF_CLASSES
#include "ToyAttrs.h.inc"

#define GET_OP_CLASSES
#include "ToyOps.h.inc"

#endif
