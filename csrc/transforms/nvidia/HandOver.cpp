//===- HandOver.cpp - Passes captured values to workers --------------------------------===//
#include "transforms/nvidia/HandOver.h"

#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/lane/AddressSpaces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

/// Maximum number of operations to rematerialize for one value.
static constexpr size_t kMostRemade = 32;

/// True if `op` has the same result in all threads of the block whenever all threads have the same operands. The
/// results of freeze and undefined values can differ between threads.
static bool isSameForAll(Operation *op) {
  if (isa<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp,
          NVVM::ClusterIdXOp, NVVM::ClusterDimXOp, NVVM::ClusterId>(op))
    return true;
  return isa<LLVM::LLVMDialect>(op->getDialect()) && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !isa<LLVM::FreezeOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::CallIntrinsicOp, LLVM::AllocaOp>(op);
}

/// Collects the operations that must be rematerialized to compute `value`, each after its operands. Returns false if
/// one of the operations cannot be rematerialized.
static bool collectRemade(Value value, Block &entry, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock() == &entry;
  if (ops.contains(op))
    return true;
  if (!isSameForAll(op) || ops.size() >= kMostRemade)
    return false;
  for (Value operand : op->getOperands())
    if (!collectRemade(operand, entry, ops))
      return false;
  ops.insert(op);
  return true;
}

Value HandOver::slotAddress(OpBuilder &builder, Location loc, int64_t slot) const {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedAddressSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, "hocket_shared");
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(offset + slot * hk::kHandOverSlotBytes)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value HandOver::take(OpBuilder &builder, Value value) {
  llvm::SetVector<Operation *> ops;
  if (collectRemade(value, kernel.getBody().front(), ops)) {
    IRMapping remade;
    for (Operation *op : ops)
      builder.clone(*op, remade);
    return remade.lookupOrDefault(value);
  }
  auto known = llvm::find(given, value);
  int64_t slot = 1 + (known - given.begin());
  if (known == given.end())
    given.push_back(value);
  Value address = slotAddress(builder, value.getLoc(), slot);
  if (!value.getType().isInteger(1))
    return LLVM::LoadOp::create(builder, value.getLoc(), value.getType(), address);
  Value byte = LLVM::LoadOp::create(builder, value.getLoc(), builder.getI8Type(), address);
  return LLVM::TruncOp::create(builder, value.getLoc(), builder.getI1Type(), byte);
}

void HandOver::give(OpBuilder &builder, Location loc) const {
  for (auto [index, value] : llvm::enumerate(given)) {
    Value stored = value.getType().isInteger(1)
                       ? LLVM::ZExtOp::create(builder, loc, builder.getI8Type(), value).getResult()
                       : value;
    LLVM::StoreOp::create(builder, loc, stored, slotAddress(builder, loc, 1 + int64_t(index)));
  }
}

void HandOver::giveNumber(OpBuilder &builder, Location loc, int32_t number) const {
  Value value = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), number);
  LLVM::StoreOp::create(builder, loc, value, slotAddress(builder, loc, 0));
}

Value HandOver::takeNumber(OpBuilder &builder, Location loc) const {
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(), slotAddress(builder, loc, 0));
}

} // namespace hocket
