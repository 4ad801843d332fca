//===- RequireExportable.cpp - Rejects operations that cannot become LLVM IR of one vendor -===//
//
// MLIR exports every operation with an export interface. Without this pass, NVIDIA's intrinsics would reach AMD's back
// end, which would abort the process. MLIR also exports types without an LLVM equivalent as null pointers. LLVM runs
// out of memory for vectors of 2^31 elements.
//
// Input:   LLVM dialect and the vendor's dialect.
// Output:  the same module, or an error at the first operation that cannot be exported.
// Not done: checking arguments of intrinsics, and features of one architecture.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/RequireExportable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_REQUIREEXPORTABLE
#include "conversion/lane_to_llvm/RequireExportable.h.inc"

/// Maximum number of scalars in one value. The limit is larger than the number of registers of a thread, and small
/// enough for LLVM, which assigns a virtual register to each scalar.
static constexpr uint64_t kMostScalars = 4096;

LogicalResult LlvmTypeCheck::check(Operation *op, Type type) {
  auto [entry, isNew] = known.try_emplace(type, false);
  if (isNew)
    entry->second = LLVM::isCompatibleType(type);
  if (entry->second)
    return success();
  return emitError(op->getLoc()) << "LLVM has no type " << type;
}

/// Returns the number of scalars (numbers and pointers) in a value of `type`, or more than `limit`.
static uint64_t countScalars(Type type, uint64_t limit) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    uint64_t each = countScalars(array.getElementType(), limit);
    return each && array.getNumElements() > limit / each ? limit + 1 : each * array.getNumElements();
  }
  auto record = dyn_cast<LLVM::LLVMStructType>(type);
  if (!record)
    return 1;
  uint64_t count = 0;
  for (Type member : record.getBody())
    count = std::min(count + countScalars(member, limit), limit + 1);
  return count;
}

LogicalResult LlvmTypeCheck::checkValue(Operation *op, Type type) {
  if (failed(check(op, type)))
    return failure();
  if (countScalars(type, kMostScalars) <= kMostScalars)
    return success();
  return emitError(op->getLoc()) << "a value of type " << type << " exceeds the register file of any thread";
}

LogicalResult LlvmTypeCheck::check(Operation *op) {
  // The initializer of a global variable can be larger, because no thread holds it in registers.
  bool isWhole = isa_and_nonnull<LLVM::GlobalOp>(op->getParentOp()) && op->getNumOperands() == 0;
  for (Type type : op->getResultTypes())
    if (failed(isWhole ? check(op, type) : checkValue(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (failed(checkValue(op, argument.getType())))
        return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::GlobalOp global) { return check(op, global.getType()); })
      .Case([&](LLVM::AllocaOp allocation) { return check(op, allocation.getElemType()); })
      .Case([&](LLVM::GEPOp address) { return check(op, address.getElemType()); })
      .Default(success());
}

namespace {

class RequireExportable : public impl::RequireExportableBase<RequireExportable> {
public:
  RequireExportable(StringRef vendor, ExportNames own, ArrayRef<ExportNames> others)
      : vendor(vendor), own(own), others(others) {}

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (op == getOperation())
        return WalkResult::advance();
      return WalkResult(failure(failed(checkName(op)) || failed(checkAttributes(op)) || failed(checkIntrinsic(op)) ||
                                failed(types.check(op))));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult refuse(Operation *op, const Twine &what) {
    return emitError(op->getLoc()) << what << " has no meaning on " << vendor << " GPUs";
  }

  LogicalResult checkName(Operation *op) {
    Dialect *dialect = op->getDialect();
    if (isa_and_nonnull<LLVM::LLVMDialect>(dialect) || (dialect && dialect->getNamespace() == own.dialect))
      return success();
    return emitError(op->getLoc()) << "'" << op->getName() << "' has no translation to LLVM IR for " << vendor
                                   << " GPUs";
  }

  LogicalResult checkAttributes(Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (isOfOther([&](const ExportNames &other) {
            return attribute.getName().getValue().split('.').first == other.dialect;
          }))
        return refuse(op, "the attribute '" + attribute.getName().getValue() + "'");
    return success();
  }

  LogicalResult checkIntrinsic(Operation *op) {
    StringRef name;
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      name = call.getIntrin();
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      name = function.getSymName();
    if (isOfOther([&](const ExportNames &other) { return name.starts_with(other.intrinsics); }))
      return refuse(op, "the intrinsic '" + name + "'");
    return success();
  }

  template <typename Test>
  bool isOfOther(Test test) const {
    return llvm::any_of(others, test);
  }

  StringRef vendor;
  ExportNames own;
  SmallVector<ExportNames, 1> others;
  LlvmTypeCheck types;
};

} // namespace

std::unique_ptr<Pass> createRequireExportablePass(StringRef vendor, ExportNames own, ArrayRef<ExportNames> others) {
  return std::make_unique<RequireExportable>(vendor, own, others);
}

} // namespace hocket
