//===- Wgmma.cpp - lane.wgmma, lane.wgmma_fence and lane.wgmma_wait become inline PTX --------===//
//
//   wgmma.fence.sync.aligned;
//   {
//     .reg .pred p;
//     setp.ne.b32 p, $use_acc, 0;
//     wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, ..}, $a, $b, p, 1, 1, trans-a, trans-b;
//   }
//   wgmma.wait_group.sync.aligned N;
//
// LLVM has no intrinsic for the product. NVVM's operation is inline PTX as well, but takes a from shared memory only
// and says in its attributes whether the accumulators count. NVVM has operations for the fence and the wait; yet
// neither names the registers that it is about. Here they are inputs and outputs in the same registers, so that LLVM
// writes them before the fence, and reads them after the wait.
//
// PTX ISA 9.0, "wgmma.mma_async", "wgmma.fence", "wgmma.wait_group".
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_nvvm/Expansions.h"
#include "conversion/lane_to_nvvm/Ptx.h"
#include "target/WgmmaInstructions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hocket::nvvm {

static StringRef constraintOf(Type type) { return type.isF32() ? "f" : type.isInteger(64) ? "l" : "r"; }

/// Makes `values` outputs of `ptx`, which are inputs too: their names.
static SmallVector<std::string> addInPlace(Ptx &ptx, ValueRange values) {
  SmallVector<std::string> names;
  for (Value value : values)
    names.push_back(ptx.output(constraintOf(value.getType())));
  for (auto [number, value] : llvm::enumerate(values))
    ptx.tie(value, number);
  return names;
}

/// Replaces `op` by the outputs of `ptx`, which has as many as the operation has results.
static void replaceByOutputs(IRRewriter &rewriter, Operation *op, Ptx &ptx) {
  Location loc = op->getLoc();
  SmallVector<Type> types(op->getResultTypes());
  Type result = types.empty() ? Type() : types.front();
  if (types.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types);
  LLVM::InlineAsmOp block = ptx.emit(rewriter, loc, result, /*hasSideEffects=*/true);
  SmallVector<Value> outputs;
  if (types.size() == 1)
    outputs.push_back(block.getRes());
  for (size_t i = 0; types.size() > 1 && i < types.size(); ++i)
    outputs.push_back(LLVM::ExtractValueOp::create(rewriter, loc, block.getRes(), int64_t(i)));
  rewriter.replaceOp(op, outputs);
}

/// What follows the operands: signs of a and b, and, of 16-bit elements, which dimension is fastest.
static std::string immediates(const WgmmaInstruction &instruction, lane::WgmmaOp op) {
  if (isInteger(instruction.a))
    return "";
  std::string text = ", 1, 1";
  if (!canTransposeWgmma(instruction.a))
    return text;
  bool isShared = op.getA().size() == 1;
  if (isShared)
    text += op.getTransposedA() ? ", 1" : ", 0";
  return text + (op.getTransposedB() ? ", 1" : ", 0");
}

LogicalResult expandWgmma(IRRewriter &rewriter, lane::WgmmaOp op) {
  Ptx ptx;
  SmallVector<std::string> sums = addInPlace(ptx, op.getAcc());
  SmallVector<std::string> a;
  for (Value value : op.getA())
    a.push_back(ptx.input(value, constraintOf(value.getType())));
  std::string left = a.size() == 1 ? a.front() : "{" + llvm::join(a, ", ") + "}";
  std::string right = ptx.input(op.getB(), "l");
  std::string use = "1";
  if (Value useAcc = op.getUseAcc())
    use = ptx.input(LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), useAcc), "r");
  ptx.text = "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " + use + ", 0;\n\t";
  ptx.text += "wgmma.mma_async.sync.aligned." + op.getInstruction().str() + " {" + llvm::join(sums, ", ") + "}, " +
              left + ", " + right + ", p" + immediates(*findWgmma(op.getInstruction()), op) + ";\n\t}";
  replaceByOutputs(rewriter, op, ptx);
  return success();
}

LogicalResult expandWgmmaFence(IRRewriter &rewriter, lane::WgmmaFenceOp op) {
  Ptx ptx;
  addInPlace(ptx, op.getRegisters());
  ptx.text = "wgmma.fence.sync.aligned;";
  replaceByOutputs(rewriter, op, ptx);
  return success();
}

LogicalResult expandWgmmaWait(IRRewriter &rewriter, lane::WgmmaWaitOp op) {
  Ptx ptx;
  addInPlace(ptx, op.getAccs());
  // There are never more groups: then it only says that what it gives back is read here.
  constexpr unsigned kMostGroups = 7;
  if (op.getOutstanding() <= kMostGroups)
    ptx.text = "wgmma.wait_group.sync.aligned " + std::to_string(op.getOutstanding()) + ";";
  replaceByOutputs(rewriter, op, ptx);
  return success();
}

} // namespace hocket::nvvm
