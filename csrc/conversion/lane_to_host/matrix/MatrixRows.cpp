//===- MatrixRows.cpp - Converts batches of MFMA and mma.sync to one rendezvous each ------===//
//
//   %d = rocdl.mfma.f32.32x32x8f16 %a, %b, %c, 0, 0, 0
//   %f = rocdl.mfma.f32.32x32x8f16 %e, %b, %d, 0, 0, 0
//     ->  operands[0...] = %a, %b, %c, %e                     on the lane's stack
//         crossLane(lane, Mmas, operands, row, ...) {operation, 2, a b c of %d, a b c of %f}
//         %f = operands[offset of c]
//
// The lane that arrives last computes the MMA for the whole wave (emulator/machine/WarpMma.cpp). NVIDIA's lane.mma is
// converted in the same way. A rendezvous takes as much time as an MMA, so several MMAs of one kind share a rendezvous
// (Rows.h). Within a batch, an accumulator that the next MMA uses stays in memory, and an operand of several MMAs is
// stored once.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/matrix/MatrixRows.h"

#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"
#include "emulator_abi/MatrixOperations.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/IR/Matchers.h"
#include "target/MatrixInstructions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::MatrixRow;
using host_abi::MatrixStep;

/// Maximum size of a batch. With larger batches, the stack frames of the lanes would not fit into the caches.
static constexpr size_t kMostMmas = 32;

static constexpr StringLiteral kMfmaPrefix = "rocdl.mfma.";

static bool isMma(Operation *op) {
  return isa<lane::MmaOp>(op) || op->getName().getStringRef().starts_with(kMfmaPrefix);
}

/// Returns the pending MMA whose result is the accumulator of `op`, if the result has no other use; null otherwise.
static const PendingMma *findSummand(ArrayRef<PendingMma> pending, Operation *op) {
  Value sum = op->getOperand(2);
  for (const PendingMma &mma : pending)
    if (sum == mma.op->getResult(0))
      return sum.hasOneUse() ? &mma : nullptr;
  return nullptr;
}

static bool isOfKind(Operation *op, Operation *other) {
  auto mma = dyn_cast<lane::MmaOp>(op), otherMma = dyn_cast<lane::MmaOp>(other);
  if (mma && otherMma && mma.getInstruction() != otherMma.getInstruction())
    return false;
  return op->getName() == other->getName() && llvm::equal(op->getOperandTypes(), other->getOperandTypes());
}

static SmallVector<Operation *> opsOf(ArrayRef<PendingMma> pending) {
  return llvm::map_to_vector(pending, [](const PendingMma &mma) { return mma.op; });
}

/// True if the next MMA can be computed together with the pending MMAs.
bool MatrixRows::canGoOn() const {
  if (pending.size() == kMostMmas)
    return false;
  SmallVector<Operation *> ops = opsOf(pending);
  Row row(ops);
  auto isNext = [&](Operation *op) {
    return isMma(op) && isOfKind(op, ops.back()) && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             return !row.gives(operand.get()) || (operand.getOperandNumber() == 2 && findSummand(pending, op));
           });
  };
  return row.canGoOn(isNext, [](Operation *) { return false; });
}

/// Assigns an offset in the lane's operand memory to each operand of the pending MMAs.
class Placement {
public:
  explicit Placement(HostFunction &host) : host(host) {}

  void assignOffsets(MutableArrayRef<PendingMma> pending) {
    for (PendingMma &mma : pending) {
      Operation *op = mma.op;
      mma.step.a = offsetOf(op->getOperand(0));
      mma.step.b = offsetOf(op->getOperand(1));
      if (const PendingMma *summand = findSummand(pending, op))
        mma.step.c = summand->step.c;
      else
        mma.step.c = add(op->getOperand(2)); // C has its own memory, because the result overwrites C
      if (host_abi::matrixOperations()[size_t(mma.operation)].isScaled) {
        // LLVM selects the instruction without scales if both scales are the constant 0.
        bool hasScales = !matchPattern(op->getOperand(6), m_Zero()) || !matchPattern(op->getOperand(8), m_Zero());
        mma.step.scaleA = offsetOf(hasScales ? op->getOperand(6) : scaleOfOne());
        mma.step.scaleB = offsetOf(hasScales ? op->getOperand(8) : scaleOfOne());
      }
    }
    host.stack.matrices.reserve(bytes);
    for (auto [value, offset] : values)
      LLVM::StoreOp::create(host.builder, host.loc(), value, addressOf(offset), alignmentOf(value.getType()));
  }

  Value addressOf(uint32_t offset) {
    return LLVM::GEPOp::create(host.builder, host.loc(), LLVM::LLVMPointerType::get(host.builder.getContext()),
                               host.builder.getI8Type(), host.stack.matrices.reserve(bytes),
                               ArrayRef<LLVM::GEPArg>{int32_t(offset)}, LLVM::GEPNoWrapFlags::inbounds);
  }
  static unsigned alignmentOf(Type type) { return type.isInteger(32) ? 4 : 8; }

private:
  uint32_t offsetOf(Value value) {
    auto [known, isNew] = offsets.try_emplace(value);
    if (isNew)
      known->second = add(value);
    return known->second;
  }
  uint32_t add(Value value) {
    constexpr int64_t kUnit = 8;
    auto offset = uint32_t(bytes);
    values.push_back({value, offset});
    bytes += int64_t(llvm::alignTo(uint64_t(bitWidthOf(value.getType()) / 8), kUnit));
    return offset;
  }
  Value scaleOfOne() { return one ? one : one = host.i32(kScalesOfOne); }

  HostFunction &host;
  int64_t bytes = 0;
  Value one;
  llvm::DenseMap<Value, uint32_t> offsets;
  SmallVector<std::pair<Value, uint32_t>> values;
};

/// Returns the address of a constant host_abi::MatrixRow that describes the MMAs.
static Value rowOf(HostFunction &host, ArrayRef<PendingMma> pending) {
  OpBuilder &builder = host.builder;
  const PendingMma &first = pending.front();
  SmallVector<int32_t> fields = {int32_t(first.operation), int32_t(pending.size())};
  for (const PendingMma &mma : pending)
    for (uint32_t field : {mma.step.formats, mma.step.a, mma.step.b, mma.step.c, mma.step.scaleA, mma.step.scaleB})
      fields.push_back(int32_t(field));
  static_assert(sizeof(MatrixRow) == 2 * sizeof(int32_t) && sizeof(MatrixStep) == 6 * sizeof(int32_t));
  Value address = host.constantNumbers(fields);
  return LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), address);
}

/// Emits, at the last of the pending MMAs, the rendezvous that computes all of these MMAs.
void MatrixRows::emitRendezvous(HostFunction &host) {
  Operation *last = pending.back().op;
  Placement placement(host);
  placement.assignOffsets(pending);
  crossLane(host, last, host_abi::CrossLaneOp::Mmas, host.stack.matrices.reserve(0), rowOf(host, pending));
  Operation *rest = last->getNextNode();
  host.builder.setInsertionPoint(rest);
  SmallVector<Operation *> ops = opsOf(pending);
  Row row(ops);
  for (PendingMma &mma : llvm::reverse(pending)) {
    // A result whose only use was as accumulator of a later MMA of the batch has no use left, because that MMA has been
    // erased.
    Value result = mma.op->getResult(0);
    if (!result.use_empty())
      result.replaceAllUsesWith(LLVM::LoadOp::create(host.builder, host.loc(), result.getType(),
                                                     placement.addressOf(mma.step.c),
                                                     Placement::alignmentOf(result.getType())));
    mma.op->erase();
  }
  row.moveDependents(rest);
  pending.clear();
}

void MatrixRows::add(HostFunction &host, PendingMma mma) {
  pending.push_back(mma);
  if (!canGoOn())
    emitRendezvous(host);
}

void addMmas(OpConversions &table) {
  auto rows = std::make_shared<MatrixRows>();
  table.add(lane::MmaOp::getOperationName(),
            [rows](HostFunction &host, Operation *op) { return convertMma(host, op, *rows); });
  table.addPrefix(kMfmaPrefix, [rows](HostFunction &host, Operation *op) { return convertMfma(host, op, *rows); });
}

} // namespace hocket
