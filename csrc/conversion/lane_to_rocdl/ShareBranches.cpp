//===- ShareBranches.cpp - Merges the branches of many masked accesses -------------===//
//
// On AMD GPUs, a masked store or atomic operation is in a branch. Unrolled loops contain thousands of such branches,
// one per element. LLVM's compile time is quadratic in the number of branches (structurizer, masks in registers,
// coalescing). In a function with many masked accesses, adjacent accesses therefore share a branch:
//
//   accesses under one predicate         one branch
//   up to 16 accesses of one statement   one branch, taken if any of their predicates is true. In the branch, a
//                                        masked-off access uses the address of an access that is not masked off. The
//                                        masked-off access has no effect: a store stores the value of the other
//                                        access, and an atomic operation uses its neutral element
//
//     lane.atomic_rmw add %p, %v, pred %a      %any = llvm.or %a, %b
//     lane.atomic_rmw add %q, %w, pred %b      where %any:  %r = llvm.select %a, %p, %q
//                                                           lane.atomic_rmw add %r, (llvm.select %a, %v, 0)
//                                                           lane.atomic_rmw add (llvm.select %b, %q, %r), ...
//
// Input:    lane form. The emulator can also run the output.
// Not done: functions with few masked accesses keep separate branches, which skip masked-off accesses. Exchanges and
//           compare-and-swaps have no neutral element. Loads need no branches.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_SHAREBRANCHES
#include "conversion/lane_to_rocdl/Passes.h.inc"

namespace {

/// Maximum number of accesses of one statement that share a branch. The number of accesses is limited, because a lane
/// that needs one access executes all accesses of the branch.
constexpr size_t kMostSharing = 16;

/// Returns the predicate of a store or atomic; null if the operation has no predicate, if the predicate is always true,
/// or for other operations.
Value predicateOf(Operation *op) {
  Value pred;
  if (auto store = dyn_cast<lane::StoreOp>(op))
    pred = store.getPred();
  else if (auto atomic = dyn_cast<lane::AtomicRmwOp>(op))
    pred = atomic.getPred();
  else if (auto exchange = dyn_cast<lane::AtomicCasOp>(op))
    pred = exchange.getPred();
  return pred && !isAlways(pred) ? pred : Value();
}

void dropPredicate(Operation *op) {
  if (auto store = dyn_cast<lane::StoreOp>(op))
    store.getPredMutable().clear();
  else if (auto atomic = dyn_cast<lane::AtomicRmwOp>(op))
    atomic.getPredMutable().clear();
  else
    cast<lane::AtomicCasOp>(op).getPredMutable().clear();
}

/// Returns the neutral element x: `y op x` has the bits of y for every y except a signaling NaN.
std::optional<TypedAttr> neutralElement(hk::AtomicOp op, Type type) {
  Builder builder(type.getContext());
  unsigned bits = type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) { return TypedAttr(builder.getIntegerAttr(type, value)); };
  switch (op) {
  case hk::AtomicOp::Add:
  case hk::AtomicOp::Or:
  case hk::AtomicOp::Xor:
  case hk::AtomicOp::UMax:
    return integer(APInt::getZero(bits));
  case hk::AtomicOp::And:
  case hk::AtomicOp::UMin:
    return integer(APInt::getAllOnes(bits));
  case hk::AtomicOp::Max:
    return integer(APInt::getSignedMinValue(bits));
  case hk::AtomicOp::Min:
    return integer(APInt::getSignedMaxValue(bits));
  case hk::AtomicOp::FAdd:
    return TypedAttr(builder.getFloatAttr(type, APFloat::getZero(cast<FloatType>(type).getFloatSemantics(), true)));
  case hk::AtomicOp::Xchg:
    return std::nullopt;
  }
  llvm_unreachable("all operations are handled");
}

bool hasNeutralForm(Operation *op) {
  auto atomic = dyn_cast<lane::AtomicRmwOp>(op);
  return isa<lane::StoreOp>(op) || (atomic && atomic.getOp() != hk::AtomicOp::Xchg);
}

/// True if `one` and `other` differ only in their operands.
bool areAlike(Operation *one, Operation *other) {
  return one->getName() == other->getName() && one->getLoc() == other->getLoc() &&
         one->getAttrs() == other->getAttrs() && one->getOperandTypes() == other->getOperandTypes();
}

/// Masked accesses of a basic block that share a branch. The operations between the masked accesses can be moved before
/// the first masked access.
class Run {
public:
  explicit Run(Operation *first) { accesses.insert(first); }

  bool accepts(Operation *access) const {
    return !dependsOnIt(access) && (extendsPredicate(access) || extendsStatement(access));
  }
  void add(Operation *access) {
    hasOnePredicate &= extendsPredicate(access);
    isOneStatement &= areAlike(accesses.front(), access);
    between.append(waiting);
    waiting.clear();
    accesses.insert(access);
  }

  bool canPass(Operation *op) const { return isMemoryEffectFree(op) && op->getNumRegions() == 0 && !dependsOnIt(op); }
  /// Records `op`, which follows the last access. If another access is added to the run, `op` is moved before the run.
  void pass(Operation *op) { waiting.push_back(op); }

  /// Returns the number of masks that LLVM must keep in registers.
  size_t masks() const { return hasOnePredicate ? 1 : accesses.size(); }
  Operation *front() const { return accesses.front(); }
  void share(IRRewriter &rewriter);

private:
  bool dependsOnIt(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return accesses.contains(operand.getDefiningOp()); });
  }
  bool extendsPredicate(Operation *access) const {
    return hasOnePredicate && predicateOf(access) == predicateOf(accesses.front());
  }
  bool extendsStatement(Operation *access) const {
    return isOneStatement && accesses.size() < kMostSharing && areAlike(accesses.front(), access) &&
           hasNeutralForm(access);
  }
  Value any(IRRewriter &rewriter) const;
  void spareMaskedOff(IRRewriter &rewriter);

  llvm::SmallSetVector<Operation *, 16> accesses;
  SmallVector<Operation *> between, waiting;
  bool hasOnePredicate = true, isOneStatement = true;
};

Value Run::any(IRRewriter &rewriter) const {
  Value any = predicateOf(accesses.front());
  if (hasOnePredicate)
    return any;
  for (Operation *access : accesses.getArrayRef().drop_front())
    any = LLVM::OrOp::create(rewriter, access->getLoc(), any, predicateOf(access));
  return any;
}

/// Gives each masked-off access the address (and for stores, the value) of an access that is not masked off, so that
/// the masked-off access has no effect.
void Run::spareMaskedOff(IRRewriter &rewriter) {
  Location loc = front()->getLoc();
  auto select = [&](Value pred, Value then, Value otherwise) -> Value {
    return then == otherwise ? then : LLVM::SelectOp::create(rewriter, loc, pred, then, otherwise).getResult();
  };
  bool isStore = isa<lane::StoreOp>(front());
  auto placeOf = [&](Operation *access) -> OpOperand & {
    return isStore ? cast<lane::StoreOp>(access).getPtrMutable() : cast<lane::AtomicRmwOp>(access).getPtrMutable();
  };
  auto valueOf = [&](Operation *access) -> OpOperand & {
    return isStore ? cast<lane::StoreOp>(access).getValueMutable() : cast<lane::AtomicRmwOp>(access).getValueMutable();
  };

  // `place` is the address, and for stores `value` is the stored value, of the first access whose predicate is true.
  Value place = placeOf(accesses.back()).get(), value = valueOf(accesses.back()).get();
  for (Operation *access : llvm::reverse(accesses.getArrayRef().drop_back())) {
    place = select(predicateOf(access), placeOf(access).get(), place);
    if (isStore)
      value = select(predicateOf(access), valueOf(access).get(), value);
  }
  if (!isStore) {
    Type type = value.getType();
    TypedAttr neutral = *neutralElement(cast<lane::AtomicRmwOp>(front()).getOp(), getElementTypeOrSelf(type));
    if (auto vector = dyn_cast<VectorType>(type))
      neutral = SplatElementsAttr::get(vector, Attribute(neutral));
    value = LLVM::ConstantOp::create(rewriter, loc, type, neutral);
  }
  for (Operation *access : accesses) {
    Value pred = predicateOf(access);
    placeOf(access).set(select(pred, placeOf(access).get(), place));
    valueOf(access).set(select(pred, valueOf(access).get(), value));
  }
}

void Run::share(IRRewriter &rewriter) {
  if (accesses.size() == 1)
    return;
  Location loc = front()->getLoc();
  for (Operation *op : between)
    op->moveBefore(front());
  Block *before = front()->getBlock(), *after = rewriter.splitBlock(before, front()->getIterator());
  Block *where = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  Value taken = any(rewriter);
  rewriter.setInsertionPointToEnd(where);
  if (!hasOnePredicate)
    spareMaskedOff(rewriter);

  SmallVector<Value> passed, skipped;
  for (Operation *access : accesses) {
    access->moveBefore(where, where->end());
    dropPredicate(access);
    for (Value result : access->getResults()) {
      if (result.use_empty())
        continue;
      rewriter.setInsertionPointToEnd(before);
      skipped.push_back(LLVM::PoisonOp::create(rewriter, loc, result.getType()));
      rewriter.replaceAllUsesWith(result, after->addArgument(result.getType(), loc));
      passed.push_back(result);
    }
  }
  rewriter.setInsertionPointToEnd(where);
  LLVM::BrOp::create(rewriter, loc, passed, after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, loc, taken, where, ValueRange(), after, skipped);
}

std::vector<Run> runsOf(Block &block) {
  std::vector<Run> runs;
  bool isOpen = false; // true while further accesses can be added to runs.back()
  for (Operation &op : block) {
    if (predicateOf(&op)) {
      if (!isOpen || !runs.back().accepts(&op))
        runs.emplace_back(&op);
      else
        runs.back().add(&op);
      isOpen = true;
    } else if (isOpen && runs.back().canPass(&op)) {
      runs.back().pass(&op);
    } else {
      isOpen = false;
    }
  }
  return runs;
}

struct ShareBranches : impl::ShareBranchesBase<ShareBranches> {
  using Base::Base;

  void runOnOperation() override {
    size_t accesses = 0;
    getOperation().walk([&](Operation *op) { accesses += predicateOf(op) != nullptr; });
    if (accesses <= above)
      return markAllAnalysesPreserved();
    std::vector<Run> runs;
    for (Block &block : getOperation().getBody())
      llvm::append_range(runs, runsOf(block));
    size_t masks = 0;
    for (const Run &run : runs)
      masks += run.masks();
    if (masks > most)
      return refuse(runs, masks);
    IRRewriter rewriter(&getContext());
    for (Run &run : runs)
      run.share(rewriter);
  }

private:
  /// Emits an error at the statement that has the most masks.
  void refuse(const std::vector<Run> &runs, size_t masks) {
    llvm::MapVector<Location, size_t> statements;
    for (const Run &run : runs)
      statements[run.front()->getLoc()] += run.masks();
    Location loc = llvm::max_element(statements, llvm::less_second())->first;
    InFlightDiagnostic error = emitError(loc) << "this kernel has " << masks
                                              << " accesses with different masks, most of them here, but a kernel for "
                                                 "AMD GPUs may have at most "
                                              << unsigned(most);
    error.attachNote() << "hint: replace gl.static_range by range, which does not unroll the loop, use smaller tiles "
                          "or more warps, or use buffer accesses, which need no branches";
    signalPassFailure();
  }
};

} // namespace
} // namespace hocket
