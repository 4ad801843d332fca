//===- Wgmma.cpp - Expands wgmma, its fences and waits to inline PTX -------------------------===//
//
//   {
//     .reg .pred p;
//     wgmma.fence.sync.aligned;
//     setp.ne.b32 p, $use_acc, 0;
//     wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, ...}, $a, $b, p, 1, 1, trans-a, trans-b;
//     wgmma.mma_async...
//   }
//   wgmma.wait_group.sync.aligned N;
//
// LLVM has no intrinsic for wgmma. NVVM's operation for wgmma is also exported as inline PTX, but requires operand a in
// shared memory, and use_acc at compile time. NVVM's operations for the fence and the wait do not have the accumulator
// registers as operands. In the inline PTX of this file, accumulators are inputs and outputs in the same registers, so
// that LLVM writes accumulators before the fence, and reads accumulators after the wait.
//
// A run is a fence, followed by a sequence of wgmmas. A run becomes one inline assembly statement. For each statement,
// LLVM processes an output, an input and an extraction per accumulator, so separate statements would multiply the
// number of instructions. Several runs without commits between the runs also become one statement with a single fence.
// With several fences, the code would be wrong: ptxas counts a group for each fence between wgmmas, without changing
// the operand of wgmma.wait_group. With a second fence between two wgmmas of a group, a wait that should leave the
// group in flight would complete the first wgmma.
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

/// Emits `ptx`, and returns its outputs, which have the types `types`.
static SmallVector<Value> emit(IRRewriter &rewriter, Location loc, Ptx &ptx, ArrayRef<Type> types) {
  Type result = types.empty() ? Type() : types.front();
  if (types.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types);
  LLVM::InlineAsmOp block = ptx.emit(rewriter, loc, result, /*hasSideEffects=*/true);
  if (types.size() == 1)
    return {block.getRes()};
  SmallVector<Value> outputs;
  for (size_t i = 0; i < types.size(); ++i)
    outputs.push_back(LLVM::ExtractValueOp::create(rewriter, loc, block.getRes(), int64_t(i)));
  return outputs;
}

/// Returns the immediates after the operands: the signs of a and b and, for 16-bit elements, whether a and b are
/// transposed.
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

/// Returns the operands that are updated in place by `op`, a wgmma or a fence.
static OperandRange inPlace(Operation *op) {
  if (auto wgmma = dyn_cast<lane::WgmmaOp>(op))
    return wgmma.getAcc();
  return cast<lane::WgmmaFenceOp>(op).getRegisters();
}

namespace {
/// Consecutive wgmmas, and the fences before these wgmmas.
class Run {
public:
  /// Adds `op` to the run. Returns false if `op` cannot be added, so that the run ends before `op`. Other operations
  /// between the operations of the run are moved before the run.
  bool tryAdd(Operation *op);
  void expand(IRRewriter &rewriter);

private:
  bool gives(Value value) const { return llvm::is_contained(operations, value.getDefiningOp()); }
  bool needsFence(lane::WgmmaOp previous, lane::WgmmaOp next) const;
  std::string nameOf(Ptx &ptx, Value value);
  void addWgmma(IRRewriter &rewriter, Ptx &ptx, lane::WgmmaOp op);

  SmallVector<Operation *> operations;
  /// `places` maps a value to the index of its output, and `last` contains the final value of each output.
  DenseMap<Value, size_t> places;
  SmallVector<Value> last;
};
} // namespace

bool Run::tryAdd(Operation *op) {
  if (!isa<lane::WgmmaOp, lane::WgmmaFenceOp>(op))
    return operations.empty() || (isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                                  llvm::none_of(op->getOperands(), [&](Value value) { return gives(value); }));
  // If an operation of the run defines an accumulator that `op` overwrites, `op` must be the only user of this
  // accumulator.
  bool continues = llvm::all_of(inPlace(op), [&](Value value) { return !gives(value) || value.hasOneUse(); });
  if (continues)
    operations.push_back(op);
  return continues;
}

std::string Run::nameOf(Ptx &ptx, Value value) {
  auto place = places.find(value);
  return place == places.end() ? ptx.input(value, constraintOf(value.getType())) : "$" + std::to_string(place->second);
}

void Run::addWgmma(IRRewriter &rewriter, Ptx &ptx, lane::WgmmaOp op) {
  auto names = [&](ValueRange values) {
    return llvm::join(llvm::map_to_vector(values, [&](Value value) { return nameOf(ptx, value); }), ", ");
  };
  std::string sums = "{" + names(op.getResults()) + "}";
  std::string left = op.getA().size() == 1 ? names(op.getA()) : "{" + names(op.getA()) + "}";
  std::string right = names(op.getB());
  std::string use = "1";
  if (Value useAcc = op.getUseAcc())
    use = ptx.input(LLVM::ZExtOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), useAcc), "r");
  ptx.text += "setp.ne.b32 p, " + use + ", 0;\n\t";
  ptx.text += "wgmma.mma_async.sync.aligned." + op.getInstruction().str() + " " + sums + ", " + left + ", " + right +
              ", p" + immediates(*findWgmma(op.getInstruction()), op) + ";\n\t";
}

/// True if `next` follows a fence and accumulates into registers that wgmma of another shape have written.
bool Run::needsFence(lane::WgmmaOp previous, lane::WgmmaOp next) const {
  auto fence = next.getAcc().front().getDefiningOp<lane::WgmmaFenceOp>();
  return fence && llvm::any_of(fence.getRegisters(), [&](Value value) { return gives(value); }) &&
         previous.getInstruction() != next.getInstruction();
}

void Run::expand(IRRewriter &rewriter) {
  if (operations.empty())
    return;
  Ptx ptx;
  SmallVector<Value> first;
  for (Operation *op : operations)
    for (auto [before, after] : llvm::zip_equal(inPlace(op), op->getResults())) {
      auto place = gives(before) ? places.find(before) : places.end();
      if (place == places.end()) {
        ptx.output(constraintOf(after.getType()));
        first.push_back(before);
        last.push_back(after);
        places[after] = last.size() - 1;
      } else {
        last[place->second] = after;
        places[after] = place->second;
      }
    }
  for (auto [number, value] : llvm::enumerate(first))
    ptx.tie(value, number);

  rewriter.setInsertionPoint(operations.back());
  ptx.text = "{\n\t.reg .pred p;\n\t";
  static constexpr char kFence[] = "wgmma.fence.sync.aligned;\n\t";
  if (llvm::any_of(operations, llvm::IsaPred<lane::WgmmaFenceOp>))
    ptx.text += kFence;
  lane::WgmmaOp previous;
  for (Operation *op : operations)
    if (auto wgmma = dyn_cast<lane::WgmmaOp>(op)) {
      if (previous && needsFence(previous, wgmma))
        ptx.text += kFence;
      addWgmma(rewriter, ptx, wgmma);
      previous = wgmma;
    }
  ptx.text += "}";
  SmallVector<Value> outputs =
      emit(rewriter, operations.back()->getLoc(), ptx, llvm::to_vector(ValueRange(last).getTypes()));
  for (auto [value, output] : llvm::zip_equal(last, outputs))
    rewriter.replaceAllUsesWith(value, output);
  for (Operation *op : llvm::reverse(operations))
    rewriter.eraseOp(op);
}

void expandWgmmas(IRRewriter &rewriter, Block &block) {
  Run run;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (run.tryAdd(&op))
      continue;
    run.expand(rewriter);
    run = Run();
    run.tryAdd(&op);
  }
  run.expand(rewriter);
}

LogicalResult expandWgmmaWait(IRRewriter &rewriter, lane::WgmmaWaitOp op) {
  Ptx ptx;
  for (Value value : op.getAccs())
    ptx.output(constraintOf(value.getType()));
  for (auto [number, value] : llvm::enumerate(op.getAccs()))
    ptx.tie(value, number);
  // A wait that leaves more than kMostWgmmaGroups groups in flight waits for nothing, and only marks the program point
  // at which results are read.
  if (op.getOutstanding() <= kMostWgmmaGroups)
    ptx.text = "wgmma.wait_group.sync.aligned " + std::to_string(op.getOutstanding()) + ";";
  rewriter.replaceOp(op, emit(rewriter, op.getLoc(), ptx, llvm::to_vector(op.getResultTypes())));
  return success();
}

} // namespace hocket::nvvm
