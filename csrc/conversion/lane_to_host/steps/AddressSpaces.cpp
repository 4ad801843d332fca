//===- AddressSpaces.cpp - Replaces pointers of all address spaces by host pointers -===//
//
// The host has only one address space. When this step runs, accesses of global (1) and shared (3) memory use checked
// host addresses, and private memory (5) is the lane's stack.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace hocket {

void eraseAddressSpaces(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LLVM::LLVMPointerType type) -> Type {
    return type.getAddressSpace() ? LLVM::LLVMPointerType::get(type.getContext()) : type;
  });
  module.walk([&](Operation *op) {
    // Only functions, allocas, getelementptrs and calls have pointer types in attributes; rebuilding the attributes of
    // every operation would take longer than the rest of the conversion.
    bool hasTypeAttrs = isa<LLVM::LLVMFuncOp, LLVM::AllocaOp, LLVM::GEPOp, LLVM::CallOp>(op);
    replacer.replaceElementsIn(op, hasTypeAttrs, /*replaceLocs=*/false, /*replaceTypes=*/true);
    if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op)) {
      cast.replaceAllUsesWith(cast.getArg());
      cast.erase();
    }
  });
}

} // namespace hocket
