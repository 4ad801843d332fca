//===- RequireExportable.cpp - What becomes LLVM IR is of one vendor -----------------------===//
//
// MLIR exports whatever has an interface for it, so that NVIDIA's intrinsics reach AMD's back end, which ends the
// process; and it exports types that LLVM does not have as null.
//
// Input:   LLVM dialect and a vendor's own.
// Output:  the same, or an error at the first operation that cannot stay.
// Not done: verifying what is of the right vendor: arguments of intrinsics, features of one architecture.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/RequireExportable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

LogicalResult LlvmTypeCheck::check(Operation *op, Type type) {
  auto [entry, isNew] = known.try_emplace(type, false);
  if (isNew)
    entry->second = LLVM::isCompatibleType(type);
  if (entry->second)
    return success();
  return emitError(op->getLoc()) << "LLVM has no type " << type;
}

LogicalResult LlvmTypeCheck::check(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(check(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(check(op, argument.getType())))
        return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::GlobalOp global) { return check(op, global.getType()); })
      .Case([&](LLVM::AllocaOp allocation) { return check(op, allocation.getElemType()); })
      .Case([&](LLVM::GEPOp address) { return check(op, address.getElemType()); })
      .Default(success());
}

namespace {

/// What tells one vendor's code from another's.
struct VendorNames {
  StringRef vendor;
  StringRef dialect;
  StringRef intrinsics;
};

VendorNames namesOf(Vendor vendor) {
  switch (vendor) {
  case Vendor::Nvidia:
    return {"NVIDIA", NVVM::NVVMDialect::getDialectNamespace(), "llvm.nvvm."};
  case Vendor::Amd:
    return {"AMD", ROCDL::ROCDLDialect::getDialectNamespace(), "llvm.amdgcn."};
  }
  llvm_unreachable("all vendors are handled");
}

class RequireExportablePass : public PassWrapper<RequireExportablePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RequireExportablePass)

  explicit RequireExportablePass(const TargetInfo &target)
      : own(namesOf(target.vendor)), foreign(namesOf(target.vendor == Vendor::Nvidia ? Vendor::Amd : Vendor::Nvidia)) {}

  StringRef getArgument() const override { return "hocket-require-exportable"; }
  StringRef getDescription() const override { return "Refuse what does not become LLVM IR of one vendor"; }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (op == getOperation())
        return WalkResult::advance();
      return WalkResult(failure(failed(checkName(op)) || failed(checkAttributes(op)) || failed(checkIntrinsic(op)) ||
                                failed(types.check(op))));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult refuse(Operation *op, const Twine &what) {
    return emitError(op->getLoc()) << what << " has no meaning on " << own.vendor << " GPUs";
  }

  LogicalResult checkName(Operation *op) {
    Dialect *dialect = op->getDialect();
    if (isa_and_nonnull<LLVM::LLVMDialect>(dialect) || (dialect && dialect->getNamespace() == own.dialect))
      return success();
    return emitError(op->getLoc()) << "'" << op->getName() << "' does not become LLVM IR for " << own.vendor << " GPUs";
  }

  LogicalResult checkAttributes(Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getName().getValue().split('.').first == foreign.dialect)
        return refuse(op, "the attribute '" + attribute.getName().getValue() + "'");
    return success();
  }

  LogicalResult checkIntrinsic(Operation *op) {
    StringRef name;
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      name = call.getIntrin();
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      name = function.getSymName();
    return name.starts_with(foreign.intrinsics) ? refuse(op, "the intrinsic '" + name + "'") : success();
  }

  VendorNames own, foreign;
  LlvmTypeCheck types;
};

} // namespace

std::unique_ptr<Pass> createRequireExportablePass(const TargetInfo &target) {
  return std::make_unique<RequireExportablePass>(target);
}

} // namespace hocket
