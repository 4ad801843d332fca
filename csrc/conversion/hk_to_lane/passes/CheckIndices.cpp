//===- CheckIndices.cpp - Inserts assertions that indices of addresses have not overflowed --===//
//
// Input:   lane form of a module with kChecksIndicesAttr.
// Output:  the module with an assertion before each access whose address depends on a 32-bit index that has possibly
//          overflowed or, with kChecksBufferOffsetsAttr, on an offset that is possibly negative.
// Method:  a 32-bit value that can overflow and on which an address depends gets a 64-bit *shadow*: its exact value,
//          computed in 64 bits. An assertion compares the final index of an address with its shadow, if the access is
//          not masked off. An intermediate result that wraps around and back is not an error. Remainders, masks, right
//          shifts, comparisons and unsigned extensions end the tracking, so that a hash that wraps on purpose is not
//          reported. The shadow of a pointer or 64-bit value is the exact value of an overflowed index on which the
//          value depends; 0 without an overflow.
// Not done: overflow of 64-bit arithmetic.
// Cost:    one 64-bit operation for each tracked 32-bit operation, and one comparison for each index of an address.
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_to_lane/passes/ConvertHkToLane.h"
#include "conversion/hk_to_lane/passes/IndexRanges.h"
#include "conversion/hk_to_lane/passes/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_CHECKINDICES
#include "conversion/hk_to_lane/passes/Passes.h.inc"

namespace {

/// The address of an access, and its predicate.
struct Address {
  Value pointer;      ///< the address of the access; null if `bufferOffset` is set
  Value bufferOffset; ///< for a buffer access: the offset in bytes, an i32
  Value predicate;    ///< i1 predicate of the access; null if the access is unconditional
};

/// Returns the address of a buffer access. The offset of a masked access has the form `mask ? offset : constant`.
Address addressOfBuffer(Operation *op, unsigned offset) { return {{}, op->getOperand(offset), {}}; }

std::optional<Address> addressOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Address>>(op)
      .Case<lane::LoadOp, lane::StoreOp, lane::AtomicRmwOp>(
          [](auto access) { return Address{access.getPtr(), {}, access.getPred()}; })
      .Case([](lane::AtomicCasOp access) { return Address{access.getPtr(), {}, access.getPred()}; })
      .Case<ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp>([](auto copy) { return Address{copy.getGlobalPtr(), {}, {}}; })
      .Case([](ROCDL::RawPtrBufferLoadLdsOp copy) { return Address{{}, copy.getVoffset(), {}}; })
      .Default([](Operation *other) -> std::optional<Address> {
        for (OpOperand &operand : other->getOpOperands())
          if (operand.get().getDefiningOp<ROCDL::MakeBufferRsrcOp>())
            return addressOfBuffer(other, operand.getOperandNumber() + 1);
        return std::nullopt;
      });
}

bool isIndex(Value value) { return value.getType().isInteger(32); }
bool isWideOrPointer(Value value) {
  return value.getType().isInteger(64) || isa<LLVM::LLVMPointerType>(value.getType());
}

/// True if a wrong index in an operand of `op` makes the result of `op` wrong.
bool passesOn(Operation *op) {
  Value result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  if (!result || !(isIndex(result) || isWideOrPointer(result)))
    return false;
  if (isa<LLVM::SExtOp, LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
    return isWideOrPointer(result);
  if (isa<LLVM::ShlOp>(op))
    return matchPattern(op->getOperand(1), m_Constant());
  return isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::SelectOp>(op);
}

class IndexChecker {
public:
  IndexChecker(LLVM::LLVMFuncOp function, bool checksOffsets)
      : function(function), builder(function.getContext()), checksOffsets(checksOffsets) {}

  void run() {
    findWrong();
    for (Block &block : function.getBody())
      addBlockArguments(block);
    std::vector<Operation *> operations;
    for (Block *block : llvm::ReversePostOrderTraversal<Block *>(&function.getBody().front()))
      for (Operation &op : *block)
        operations.push_back(&op);
    for (Operation *op : operations) {
      builder.setInsertionPoint(op);
      check(op);
      passToSuccessors(op);
      if (op->getNumResults() == 1 && tracked.contains(op->getResult(0)) && !isa<LLVM::GEPOp>(op)) {
        builder.setInsertionPointAfter(op);
        compute(op);
      }
    }
  }

private:
  void findWrong();
  void addBlockArguments(Block &block);
  void passToSuccessors(Operation *op);
  void compute(Operation *op);
  void check(Operation *op);
  void checkPointer(Operation *op, const Address &address);
  void checkBufferOffset(Operation *op, Value offset);
  void require(Operation *op, Location loc, Value wrong, Value predicate, StringRef message, Value index);

  /// Returns the exact value of an i32, as i64.
  Value unlimited(Value index) {
    if (Value wide = shadows.lookup(index))
      return wide;
    return LLVM::SExtOp::create(builder, index.getLoc(), builder.getI64Type(), index);
  }
  Value zero(Location loc) { return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), 0); }
  /// Returns an i1 that is true if `value` differs from its exact value.
  Value isWrong(Value value) {
    Location loc = value.getLoc();
    Value right = isIndex(value) ? LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value) : zero(loc);
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, shadows.lookup(value), right);
  }
  /// Returns the exact value of the index whose overflow makes `value` wrong; 0 if `value` is correct. A result of 0 is
  /// unambiguous, because an index whose exact value is 0 does not overflow. culpritOf is not used for the pointer of
  /// an access, because checkPointer checks each index of the pointer.
  Value culpritOf(Value value) {
    Location loc = value.getLoc();
    if (auto step = value.getDefiningOp<LLVM::GEPOp>(); step && tracked.contains(value)) {
      Value culprit = culpritOf(step.getBase());
      for (Value index : step.getDynamicIndices())
        if (shadows.contains(index))
          culprit = LLVM::SelectOp::create(builder, loc, isWrong(index), culpritOf(index), culprit);
      return culprit;
    }
    if (!shadows.contains(value))
      return zero(loc);
    Value shadow = shadows.lookup(value);
    return isIndex(value) ? LLVM::SelectOp::create(builder, loc, isWrong(value), shadow, zero(loc)).getResult()
                          : shadow;
  }

  LLVM::LLVMFuncOp function;
  OpBuilder builder;
  const bool checksOffsets;
  IndexRanges ranges;
  llvm::DenseSet<Value> tracked; ///< values that can be wrong, and on which an address depends
  llvm::DenseMap<Value, Value>
      shadows; ///< i64 values: the exact value of an index; the result of culpritOf for other values
  llvm::DenseMap<Block *, SmallVector<unsigned>> shadowed;
  llvm::DenseSet<std::tuple<Value, Value, Block *>> required;
};

/// Computes `tracked`: the values that depend on an operation that can overflow, and on which an address depends.
void IndexChecker::findWrong() {
  llvm::SetVector<Value> wrong, needed;
  function.walk([&](Operation *op) {
    if (std::optional<IndexRange> range = ranges.inWideArithmetic(op); range && !range->fitsInt32())
      wrong.insert(op->getResult(0));
    if (std::optional<Address> address = addressOf(op))
      needed.insert(address->pointer ? address->pointer : address->bufferOffset);
  });
  for (size_t i = 0; i < wrong.size(); ++i)
    for (OpOperand &use : wrong[i].getUses()) {
      if (auto branch = dyn_cast<BranchOpInterface>(use.getOwner())) {
        if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
          wrong.insert(*argument);
      } else if (passesOn(use.getOwner())) {
        wrong.insert(use.getOwner()->getResult(0));
      }
    }
  for (size_t i = 0; i < needed.size(); ++i) {
    Value value = needed[i];
    if (Operation *op = value.getDefiningOp()) {
      if (passesOn(op))
        for (Value operand : op->getOperands())
          if (isIndex(operand) || isWideOrPointer(operand))
            needed.insert(operand);
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Block *block = argument.getOwner();
    for (auto it = block->pred_begin(); !block->isEntryBlock() && it != block->pred_end(); ++it)
      if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
        if (Value passed = branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()])
          needed.insert(passed);
  }
  for (Value value : wrong)
    if (needed.contains(value))
      tracked.insert(value);
}

void IndexChecker::addBlockArguments(Block &block) {
  for (unsigned i = 0, count = block.getNumArguments(); i < count; ++i) {
    BlockArgument argument = block.getArgument(i);
    if (!tracked.contains(argument))
      continue;
    shadowed[&block].push_back(i);
    shadows[argument] = block.addArgument(builder.getI64Type(), argument.getLoc());
  }
}

void IndexChecker::passToSuccessors(Operation *op) {
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (unsigned i = 0; branch && i < op->getNumSuccessors(); ++i) {
    auto arguments = shadowed.find(op->getSuccessor(i));
    if (arguments == shadowed.end())
      continue;
    SmallVector<Value> values;
    for (unsigned number : arguments->second) {
      Value passed = branch.getSuccessorOperands(i)[number];
      values.push_back(isIndex(passed) ? unlimited(passed) : culpritOf(passed));
    }
    branch.getSuccessorOperands(i).append(values);
  }
}

void IndexChecker::compute(Operation *op) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto select = dyn_cast<LLVM::SelectOp>(op);
  if (!isIndex(result)) {
    if (select) {
      shadows[result] = LLVM::SelectOp::create(builder, loc, select.getCondition(), culpritOf(select.getTrueValue()),
                                               culpritOf(select.getFalseValue()));
      return;
    }
    Value culprit = zero(loc);
    for (Value operand : op->getOperands())
      if (shadows.contains(operand))
        culprit = LLVM::SelectOp::create(builder, loc, isWrong(operand), culpritOf(operand), culprit);
    shadows[result] = culprit;
    return;
  }
  if (select) {
    shadows[result] = LLVM::SelectOp::create(builder, loc, select.getCondition(), unlimited(select.getTrueValue()),
                                             unlimited(select.getFalseValue()));
    return;
  }
  Value a = unlimited(op->getOperand(0)), b = unlimited(op->getOperand(1));
  shadows[result] = llvm::TypeSwitch<Operation *, Value>(op)
                        .Case([&](LLVM::AddOp) -> Value { return LLVM::AddOp::create(builder, loc, a, b); })
                        .Case([&](LLVM::SubOp) -> Value { return LLVM::SubOp::create(builder, loc, a, b); })
                        .Case([&](LLVM::MulOp) -> Value { return LLVM::MulOp::create(builder, loc, a, b); })
                        .Case([&](LLVM::ShlOp) -> Value { return LLVM::ShlOp::create(builder, loc, a, b); });
}

// Assertions ----------------------------------------------------------------------------------------------------------

/// Inserts an assertion that `wrong` and `predicate` are not both true. A null predicate means true.
void IndexChecker::require(Operation *op, Location loc, Value wrong, Value predicate, StringRef message, Value index) {
  if (predicate)
    wrong = LLVM::AndOp::create(builder, loc, wrong, predicate);
  Value yes = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(), builder.getBoolAttr(true));
  Value holds = LLVM::XOrOp::create(builder, loc, wrong, yes);
  lane::AssertOp::create(builder, loc, holds, builder.getStringAttr(message), index);
}

void IndexChecker::check(Operation *op) {
  std::optional<Address> address = addressOf(op);
  if (!address)
    return;
  if (address->pointer)
    checkPointer(op, *address);
  else
    checkBufferOffset(op, address->bufferOffset);
}

/// Checks each index of the llvm.getelementptr operations that compute the pointer.
void IndexChecker::checkPointer(Operation *op, const Address &address) {
  Value pointer = address.pointer;
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
    for (Value index : step.getDynamicIndices()) {
      bool isNew = shadows.contains(index) && required.insert({index, address.predicate, op->getBlock()}).second;
      if (!isNew)
        continue;
      Location loc = index.getDefiningOp() ? index.getLoc() : op->getLoc();
      require(op, loc, isWrong(index), address.predicate, "an index overflows 32 bits", shadows.lookup(index));
    }
    pointer = step.getBase();
  }
  if (shadows.contains(pointer) && required.insert({pointer, address.predicate, op->getBlock()}).second)
    require(op, op->getLoc(), isWrong(pointer), address.predicate,
            "an index in the address of this access has overflowed 32 bits", shadows.lookup(pointer));
}

void IndexChecker::checkBufferOffset(Operation *op, Value offset) {
  Location loc = op->getLoc();
  if (shadows.contains(offset))
    require(op, loc, isWrong(offset), {}, "the offset of this buffer access, in bytes, overflows 32 bits",
            shadows.lookup(offset));
  if (!checksOffsets || ranges.of(offset).low >= 0)
    return;
  // Masked-off accesses have the lowest i32 as their offset.
  auto constant = [&](int32_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
  };
  Value isNegative = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, offset, constant(0));
  Value isMeant = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, offset, constant(INT32_MIN));
  require(op, loc, isNegative, isMeant, "the offset of this buffer access, in bytes, is negative",
          LLVM::SExtOp::create(builder, loc, builder.getI64Type(), offset));
}

struct CheckIndices : impl::CheckIndicesBase<CheckIndices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!hk::kChecksIndicesAttr.isOn(module))
      return markAllAnalysesPreserved();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        IndexChecker(function, hk::kChecksBufferOffsetsAttr.isOn(module)).run();
  }
};

} // namespace
} // namespace hocket
