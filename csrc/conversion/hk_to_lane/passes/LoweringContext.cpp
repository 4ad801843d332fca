//===- LoweringContext.cpp - Cached thread indices and shared memory addresses -----===//
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/Scratch.h"
#include "dialect/hk/ir/HkDialect.h"
#include "layout/LayoutWarps.h"
#include "layout/LinearLayout.h"
#include "layout/SharedAlignment.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace hocket {

static constexpr llvm::StringLiteral kSharedSymbol = "hocket_shared";

static bool readFpFusion(ModuleOp module) { return hk::kFpFusionAttr.get(module).value_or(true); }

static ModuleOp moduleOf(Operation *root) {
  auto module = dyn_cast<ModuleOp>(root);
  return module ? module : root->getParentOfType<ModuleOp>();
}

static int firstWarpOf(Operation *root) {
  hk::PartitionAttr partition = hk::partitionOf(root);
  return partition ? partition.getFirstWarp() : 0;
}

LoweringContext::LoweringContext(Operation *root, const TargetLowering &targetLowering)
    : module(moduleOf(root)), targetLowering(targetLowering), target(targetLowering.target),
      typeConverter(root->getContext()), numWarps(hk::numWarpsAt(root)), firstWarp(firstWarpOf(root)),
      numBlocks(hk::numCtasOf(root)), mayFuse(readFpFusion(module)) {}

KernelLimits LoweringContext::kernelLimits() const {
  return {.numThreads = hk::blockWarpsOf(module) * warpSize(),
          .numBlocks = numBlocks,
          .maxRegisters = hk::kMaxRegistersAttr.get(module),
          .wavesPerUnit = hk::kWavesPerEuAttr.get(module)};
}

void LoweringContext::emitThreadIndices(OpBuilder &builder, Location loc) {
  Operation *current = builder.getInsertionBlock()->getParentOp();
  while (!isa<LLVM::LLVMFuncOp>(current))
    current = current->getParentOp();
  if (function == current)
    return;
  function = current;
  uniformWarp = rank = Value();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&current->getRegion(0).front());
  // The debug location of thread indices is the function, not a particular line.
  loc = current->getLoc();
  Type i32 = builder.getI32Type();
  unsigned warpBits = llvm::Log2_32(warpSize());
  thread = targetLowering.threadId(builder, loc, hk::blockWarpsOf(module) * warpSize());
  if (firstWarp > 0)
    thread =
        LLVM::SubOp::create(builder, loc, thread, LLVM::ConstantOp::create(builder, loc, i32, firstWarp * warpSize()));
  if (numWarps == 1) {
    lane = thread;
    warp = LLVM::ConstantOp::create(builder, loc, i32, 0);
    return;
  }
  lane = LLVM::AndOp::create(builder, loc, thread, LLVM::ConstantOp::create(builder, loc, i32, warpSize() - 1));
  warp = LLVM::LShrOp::create(builder, loc, thread, LLVM::ConstantOp::create(builder, loc, i32, warpBits));
}

Value LoweringContext::laneId(OpBuilder &builder, Location loc) {
  emitThreadIndices(builder, loc);
  return lane;
}

Value LoweringContext::warpId(OpBuilder &builder, Location loc) {
  emitThreadIndices(builder, loc);
  return warp;
}

Value LoweringContext::threadId(OpBuilder &builder, Location loc) {
  emitThreadIndices(builder, loc);
  return thread;
}

Value LoweringContext::uniformWarpId(OpBuilder &builder, Location loc) {
  emitThreadIndices(builder, loc);
  if (uniformWarp)
    return uniformWarp;
  if (numWarps == 1)
    return uniformWarp = warp;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(warp);
  return uniformWarp = targetLowering.uniform(builder, warp.getLoc(), warp);
}

Value LoweringContext::blockRank(OpBuilder &builder, Location loc) {
  emitThreadIndices(builder, loc);
  if (rank)
    return rank;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(thread);
  loc = thread.getLoc();
  return rank = numBlocks > 1 ? targetLowering.blockRank(builder, loc, numBlocks)
                              : LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
}

Value LoweringContext::sharedAddress(OpBuilder &builder, Location loc, int64_t offset) {
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kSharedSymbol);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    int64_t bytes = hk::kSharedBytesAttr.get(module).value_or(0);
    auto array = LLVM::LLVMArrayType::get(builder.getI8Type(), targetLowering.sharedArrayBytes(bytes));
    global = LLVM::GlobalOp::create(
        builder, module.getLoc(), array, /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
        /*value=*/Attribute(), hk::kSharedAlignmentAttr.get(module).value_or(kSharedAlignment), kSharedAddressSpace);
  }
  Value base = LLVM::AddressOfOp::create(builder, loc, global);
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)}, LLVM::GEPNoWrapFlags::inbounds);
}

LinearLayout LoweringContext::layoutOf(Type type) const {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensorLayout(tensor);
  return LinearLayout::zeros1D(1, Dim::Register, Dim::Dim0) * LinearLayout::zeros1D(warpSize(), Dim::Lane, Dim::Dim0) *
         LinearLayout::zeros1D(layoutWarps(numWarps), Dim::Warp, Dim::Dim0);
}

Value LoweringContext::allocatedAddress(OpBuilder &builder, Operation *op) {
  std::optional<int64_t> offset = hk::offsetOf(op);
  if (!offset) {
    emitError(op->getLoc()) << "'" << op->getName() << "' was given no shared memory; run hocket-allocate-memory first";
    return Value();
  }
  return sharedAddress(builder, op->getLoc(), *offset);
}

Value i32Constant(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

} // namespace hocket
