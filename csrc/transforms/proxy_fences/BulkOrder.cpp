//===- BulkOrder.cpp - Rejects bulk loads of a tile that a bulk store may still be writing ---===//
#include "transforms/proxy_fences/BulkOrder.h"

#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/ir/HkDialect.h"

using namespace mlir;

namespace hocket {

namespace {
/// A tile of a tensor in global memory, identified by the operands of the bulk copy.
struct TensorBlock {
  SmallVector<Value> operands;
  std::optional<hk::AsyncCounter> counter; ///< counter on which the access of global memory completes, if any
  bool writes = false;

  bool operator==(const TensorBlock &other) const { return operands == other.operands; }
};
} // namespace

/// Returns the tile of global memory that a bulk copy accesses, identified by all operands except handles to shared
/// memory and the predicate.
static std::optional<TensorBlock> blockOf(Operation *op) {
  auto async = dyn_cast<hk::AsyncAccess>(op);
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!async || !memory || !isa<hk::AsyncProxyAccess>(op))
    return std::nullopt;
  SmallVector<MemoryEffects::EffectInstance> effects;
  memory.getEffects(effects);
  std::optional<TensorBlock> block;
  for (const MemoryEffects::EffectInstance &effect : effects)
    if (effect.getResource() == hk::GlobalMemory::get() && effect.getValue())
      block = {.counter = async.getCompletionOf(effect.getValue()).getCounter(),
               .writes = isa<MemoryEffects::Write>(effect.getEffect())};
  if (block)
    for (Value operand : op->getOperands())
      if (!isa<hk::MemDescType>(operand.getType()) && !operand.getType().isInteger(1))
        block->operands.push_back(operand);
  return block;
}

/// True if `op`, or an operation inside `op`, possibly waits for the writes that `counter` counts.
static bool mayWait(Operation *op, const hk::AsyncCounter &counter) {
  WalkResult result = op->walk(
      [&](hk::AsyncWait wait) { return WalkResult(failure(llvm::is_contained(wait.getAwaitedCounters(), counter))); });
  return result.wasInterrupted();
}

static LogicalResult checkStore(Operation *store, const TensorBlock &written) {
  for (Operation *op = store->getNextNode(); op && !mayWait(op, *written.counter); op = op->getNextNode()) {
    std::optional<TensorBlock> read = blockOf(op);
    if (!read || read->writes || !(*read == written))
      continue;
    InFlightDiagnostic error = op->emitError()
                               << "this loads a block that the store" << hk::lineOf(store, " of ")
                               << " may still be writing: the waits before it cover only the reads of the store";
    error.attachNote() << "hint: write tma.store_wait(0, read_only=False) before it";
    return failure();
  }
  return success();
}

LogicalResult checkBulkOrder(func::FuncOp function) {
  bool hasFailed = false;
  function.walk([&](hk::AsyncProxyAccess op) {
    std::optional<TensorBlock> block = blockOf(op);
    if (block && block->writes && block->counter)
      hasFailed |= failed(checkStore(op, *block));
  });
  return failure(hasFailed);
}

} // namespace hocket
