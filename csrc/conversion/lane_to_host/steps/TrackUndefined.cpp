//===- TrackUndefined.cpp - Reports uses of undefined values -------------------------------===//
//
// Input:    the host function of a kernel. Output: the function with shadows (Shadows.h) for all values that may be
//           undefined (UndefinedSources.h), and a fault wherever one of these values is
//
//   stored to global memory, or an operand of an atomic operation
//   the address or the predicate of an executed access
//   the condition of a branch of the kernel
//   an array element that an atomic operation changes or compares
//
// ShadowMemory.h describes shadows of memory. Each rendezvous of lanes is repeated for the shadows.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/steps/ShadowMemory.h"
#include "conversion/lane_to_host/steps/Shadows.h"
#include "conversion/lane_to_host/steps/UndefinedSources.h"

#include "mlir/IR/RegionGraphTraits.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

using namespace mlir;

namespace hocket {
namespace {

using host_abi::CrossLaneOp;

class Tracker {
public:
  Tracker(HostFunction &host, const UndefinedSources &sources, bool unwritten)
      : host(host), sources(sources), shadows(host), memory(host), unwritten(unwritten) {}

  void run() {
    addBlockArguments();
    for (Operation *op : operationsInOrder()) {
      host.at(op);
      check(op);
      passOn(op);
      if (llvm::any_of(op->getResults(), [&](Value result) { return sources.mayBeUndefined(result); })) {
        host.builder.setInsertionPointAfter(op);
        computeShadows(op);
        noteWhereDefined(op);
      }
    }
  }

private:
  void addBlockArguments();
  std::vector<Operation *> operationsInOrder();
  void check(Operation *op);
  void checkCall(LLVM::CallOp call);
  void checkStored(Operation *op, Value value, Value address);
  void fault(Operation *op, ValueRange values, Value predicate, StringRef use);
  void fault(Operation *op, Value undefined, ValueRange values, Value predicate, StringRef use);
  void noteWhereDefined(Operation *op);
  void passOn(Operation *op);
  void computeShadows(Operation *op);
  void checkChanged(Operation *op, Value address, StringRef use);
  Value shadowOfRead(Operation *op, Value address);
  Value shadowOfCrossLane(LLVM::CallOp call);
  Value repeatCrossLane(LLVM::CallOp call, CrossLaneOp kind, Value value, Value a);
  void repeatForOperands(LLVM::CallOp call);

  OpBuilder &builder() { return host.builder; }
  Location loc() { return host.loc(); }

  HostFunction &host;
  const UndefinedSources &sources;
  Shadows shadows;
  ShadowMemory memory;
  const bool unwritten;                                    ///< true if arrays in global memory have shadows
  llvm::DenseMap<Block *, SmallVector<unsigned>> shadowed; ///< numbers of block arguments that have shadows
  /// Maps a value that is computed from loads with one mask to this mask; the value is defined if the mask is true.
  llvm::DenseMap<Value, Value> definedWhere;
  struct OperandField {
    int32_t offset;
    Value value;
    unsigned alignment;
  };
  SmallVector<OperandField> operandFields; ///< operands stored so far for the next rendezvous
  Value areOperandsUndefined;              ///< i1 for the last rendezvous; null if no operand can be undefined
};

void Tracker::addBlockArguments() {
  for (Block &block : host.function().getBody())
    for (unsigned i = 0, count = block.getNumArguments(); i < count; ++i) {
      BlockArgument argument = block.getArgument(i);
      if (block.isEntryBlock() || !sources.mayBeUndefined(argument))
        continue;
      shadowed[&block].push_back(i);
      shadows.set(argument, block.addArgument(Shadows::typeFor(argument.getType()), argument.getLoc()));
    }
}

/// Returns the operations in an order in which definitions precede uses. Operations of unreachable blocks are last.
std::vector<Operation *> Tracker::operationsInOrder() {
  std::vector<Operation *> operations;
  Region &body = host.function().getBody();
  llvm::DenseSet<Block *> reached;
  auto append = [&](Block *block) {
    for (Operation &op : *block)
      operations.push_back(&op);
  };
  for (Block *block : llvm::ReversePostOrderTraversal<Block *>(&body.front())) {
    reached.insert(block);
    append(block);
  }
  for (Block &block : body)
    if (!reached.contains(&block))
      append(&block);
  return operations;
}

// Uses ----------------------------------------------------------------------------------------------------------------

void Tracker::fault(Operation *op, ValueRange values, Value predicate, StringRef use) {
  bool isDefinedWherePredicated = predicate && llvm::all_of(values, [&](Value value) {
                                    return !shadows.find(value) || definedWhere.lookup(value) == predicate;
                                  });
  Value undefined = isDefinedWherePredicated ? Value() : shadows.isAnyUndefined(values);
  if (undefined)
    fault(op, undefined, values, predicate, use);
}

/// Emits a fault, whose message lists the reads from which `values` originate.
void Tracker::fault(Operation *op, Value undefined, ValueRange values, Value predicate, StringRef use) {
  if (predicate)
    undefined = LLVM::AndOp::create(builder(), loc(), undefined, predicate);
  host_abi::SiteNumber site = host.sites.add(
      op, {.kind = host_abi::SiteKind::Undefined, .message = use.str(), .from = sources.describe(values)});
  host.guards.faultIf(undefined, site, host.i64(0), op);
}

void Tracker::checkStored(Operation *op, Value value, Value address) {
  static constexpr StringLiteral kStored = "an undefined value is stored";
  if (LLVM::CallOp check = globalCheckOf(address))
    fault(op, value, check.getOperand(3), kStored);
  else if (host.shared.contains(address) && !isa<LLVM::StoreOp>(op))
    fault(op, value, nullptr, kStored); // an atomic operation cannot write a shadow to shared memory
}

/// Checks the old value of an atomic operation on an array.
void Tracker::checkChanged(Operation *op, Value address, StringRef use) {
  LLVM::CallOp check = globalCheckOf(address);
  if (!check || !unwritten)
    return;
  Type type = Shadows::typeFor(op->getOperand(1).getType());
  Value found = LLVM::LoadOp::create(builder(), loc(), type, memory.global(address, /*isWritten=*/false));
  fault(op, shadows.isAnySet(found), op->getResults(), check.getOperand(3), use);
}

void Tracker::checkCall(LLVM::CallOp call) {
  static constexpr StringLiteral kAddress = "the address of this access is undefined";
  static constexpr StringLiteral kMask = "the mask of this access is undefined";
  if (calls::global.match(call)) {
    fault(call, call.getOperand(3), nullptr, kMask);
    fault(call, call.getOperand(1), call.getOperand(3), kAddress);
  } else if (calls::copyToShared.match(call)) {
    fault(call, call.getOperand(3), nullptr, kMask);
    fault(call, call.getOperand(2), call.getOperand(3), kAddress);
    fault(call, call.getOperand(4), nullptr, kAddress);
  } else if (calls::mbarrierWait.match(call)) {
    fault(call, call.getOperand(2), nullptr, "an undefined value decides for which phase warps wait");
  } else if (calls::barrierReduce.match(call)) {
    fault(call, call.getOperand(4), nullptr, "an undefined value decides what all warps see");
  }
}

void Tracker::check(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LLVM::StoreOp store) { checkStored(op, store.getValue(), store.getAddr()); })
      .Case([&](LLVM::AtomicRMWOp atomic) {
        checkStored(op, atomic.getVal(), atomic.getPtr());
        if (atomic.getBinOp() != LLVM::AtomicBinOp::xchg)
          checkChanged(op, atomic.getPtr(), "an undefined value is changed");
      })
      .Case([&](LLVM::AtomicCmpXchgOp atomic) {
        checkStored(op, atomic.getVal(), atomic.getPtr());
        checkStored(op, atomic.getCmp(), atomic.getPtr());
        checkChanged(op, atomic.getPtr(), "an undefined value is compared");
      })
      .Case([&](LLVM::CallOp call) { checkCall(call); })
      .Case<LLVM::CondBrOp, LLVM::SwitchOp>([&](auto) {
        if (!host.guards.isGuard(op))
          fault(op, op->getOperand(0), nullptr, "an undefined value decides a branch");
      });
  for (Value operand : op->getOperands())
    if (host.shared.contains(operand) && !isa<LLVM::CallOp>(op))
      fault(op, host.shared.offsetOf(operand), nullptr, "the address of this access is undefined");
}

// Memory and branches -------------------------------------------------------------------------------------------------

static bool takesOperands(CrossLaneOp kind) {
  return kind == CrossLaneOp::Mmas || kind == CrossLaneOp::TransposedReads || kind == CrossLaneOp::MatrixLoads ||
         kind == CrossLaneOp::MatrixStores;
}

/// Emits a second rendezvous for the shadows, which lanes execute if an operand of some lane is undefined.
void Tracker::repeatForOperands(LLVM::CallOp call) {
  SmallVector<OperandField> fields = std::exchange(operandFields, {});
  Value undefined =
      shadows.isAnyUndefined(llvm::map_to_vector(fields, [](const OperandField &it) { return it.value; }));
  areOperandsUndefined = {};
  if (!undefined)
    return;
  constexpr unsigned kFlags = 4;
  Value flag = LLVM::SelectOp::create(builder(), loc(), undefined, host.i64(host_abi::kUndefinedOperands), host.i64(0));
  call.setOperand(kFlags, LLVM::OrOp::create(builder(), loc(), call.getOperand(kFlags), flag));
  builder().setInsertionPointAfter(call);
  Value answer = call.getResult();
  areOperandsUndefined = LLVM::ICmpOp::create(builder(), loc(), LLVM::ICmpPredicate::ne, answer, host.i64(0));
  host.guards.buildIf(areOperandsUndefined, areOperandsUndefined.getDefiningOp()->getNextNode(), [&] {
    for (const OperandField &field : fields)
      LLVM::StoreOp::create(builder(), loc(), shadows.of(field.value), memory.matrix(field.offset), field.alignment);
    CrossLaneOp kind = crossLaneKindOf(call);
    Value operands = LLVM::PtrToIntOp::create(builder(), loc(), builder().getI64Type(), memory.matrix(0));
    repeatCrossLane(call, kind == CrossLaneOp::Mmas ? CrossLaneOp::MmaShadows : kind, operands, call.getOperand(3));
  });
}

/// Emits stores of the shadows of values that `op` stores or passes to other lanes.
void Tracker::passOn(Operation *op) {
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    std::optional<int32_t> field = matrixFieldOf(host, store.getAddr());
    unsigned alignment = unsigned(store.getAlignment().value_or(0));
    if (host.shared.contains(store.getAddr()))
      LLVM::StoreOp::create(builder(), loc(), shadows.of(store.getValue()), memory.shared(store.getAddr()), alignment);
    else if (unwritten && globalCheckOf(store.getAddr())) // checkStored has already reported undefined values
      LLVM::StoreOp::create(builder(), loc(), shadows.zeros(Shadows::typeFor(store.getValue().getType())),
                            memory.global(store.getAddr(), /*isWritten=*/true), alignment);
    else if (field && sources.mayMatricesBe())
      operandFields.push_back({*field, store.getValue(), alignment});
    else if (std::optional<int32_t> word = warpgroupFieldOf(host, store.getAddr()))
      LLVM::StoreOp::create(builder(), loc(), shadows.of(store.getValue()), memory.warpgroup(*word), alignment);
  }
  if (calls::multiplyByWarpgroup.match(op))
    op->setOperand(3, memory.warpgroup(0));
  if (calls::waitForWgmmas.match(op))
    op->setOperand(2, memory.warpgroup(0));
  if (LLVM::CallOp call = calls::crossLane.match(op); call && takesOperands(crossLaneKindOf(call)))
    repeatForOperands(call);
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (unsigned i = 0; branch && i < op->getNumSuccessors(); ++i) {
    auto arguments = shadowed.find(op->getSuccessor(i));
    if (arguments == shadowed.end())
      continue;
    SuccessorOperands passed = branch.getSuccessorOperands(i);
    SmallVector<Value> values;
    for (unsigned number : arguments->second)
      values.push_back(shadows.of(passed[number]));
    branch.getSuccessorOperands(i).append(values);
  }
}

// Shadows of results --------------------------------------------------------------------------------------------------

Value Tracker::shadowOfRead(Operation *op, Value address) {
  Type type = Shadows::typeFor(op->getResult(0).getType());
  auto load = dyn_cast<LLVM::LoadOp>(op);
  unsigned alignment = load ? unsigned(load.getAlignment().value_or(0)) : 0;
  if (host.shared.contains(address))
    return LLVM::LoadOp::create(builder(), loc(), type, memory.shared(address), alignment);
  if (std::optional<int32_t> field = matrixFieldOf(host, address)) {
    if (!areOperandsUndefined)
      return shadows.zeros(type);
    Value shadow = LLVM::LoadOp::create(builder(), loc(), type, memory.matrix(*field), alignment);
    return LLVM::SelectOp::create(builder(), loc(), areOperandsUndefined, shadow, shadows.zeros(type));
  }
  if (std::optional<int32_t> word = warpgroupFieldOf(host, address))
    return LLVM::LoadOp::create(builder(), loc(), type, memory.warpgroup(*word), alignment);
  Value isMasked = LLVM::XOrOp::create(builder(), loc(), globalCheckOf(address).getOperand(3), host.i1(true));
  Value masked = shadows.spread(isMasked, type);
  if (!unwritten)
    return masked;
  Value found = LLVM::LoadOp::create(builder(), loc(), type, memory.global(address, /*isWritten=*/false), alignment);
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) // only exchanges: checkChanged has rejected all other atomics
    LLVM::StoreOp::create(builder(), loc(), shadows.zeros(type), memory.global(address, /*isWritten=*/true));
  return LLVM::OrOp::create(builder(), loc(), masked, found);
}

Value Tracker::repeatCrossLane(LLVM::CallOp call, CrossLaneOp kind, Value value, Value a) {
  return calls::crossLane(host, kind, value, a, call.getOperand(4), call.getOperand(5), crossLaneSiteOf(call));
}

Value Tracker::shadowOfCrossLane(LLVM::CallOp call) {
  Value value = call.getOperand(2), a = call.getOperand(3);
  Type i64 = builder().getI64Type();
  CrossLaneOp kind = crossLaneKindOf(call);
  if (takesOperands(kind))
    return shadows.zeros(i64);
  switch (kind) {
  case CrossLaneOp::ShuffleBfly:
  case CrossLaneOp::ShuffleUp:
  case CrossLaneOp::ShuffleDown:
  case CrossLaneOp::ShuffleIdx: {
    // The result of the rendezvous contains the value in bits 0..31. Bit 32 is set if the source lane is valid.
    Value shadow = repeatCrossLane(call, kind, shadows.of(value), a);
    return LLVM::AndOp::create(builder(), loc(), shadow, host.i64(0xffffffff));
  }
  case CrossLaneOp::Bpermute:
  case CrossLaneOp::Swizzle:
  case CrossLaneOp::Readlane:
  case CrossLaneOp::ReadFirstLane:
    return repeatCrossLane(call, kind, shadows.of(value), a);
  case CrossLaneOp::Dpp:
  case CrossLaneOp::Permlane16Swap:
  case CrossLaneOp::Permlane32Swap:
    return repeatCrossLane(call, kind, shadows.of(value), shadows.of(a));
  default: {
    Value undefined = shadows.isAnyUndefined({value, a});
    if (!undefined)
      return shadows.zeros(i64);
    Value any = repeatCrossLane(call, CrossLaneOp::VoteAny, LLVM::ZExtOp::create(builder(), loc(), i64, undefined), a);
    return LLVM::SubOp::create(builder(), loc(), shadows.zeros(i64), any);
  }
  }
}

/// Records the mask for the result of `op`, unless the result depends on other lanes, whose masks can be different.
void Tracker::noteWhereDefined(Operation *op) {
  Value where;
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (LLVM::CallOp check = globalCheckOf(load.getAddr()); check && !unwritten)
      where = check.getOperand(3);
  } else if (!isa<LLVM::CallOp, LLVM::AtomicRMWOp>(op)) {
    for (Value operand : op->getOperands()) {
      if (!shadows.find(operand))
        continue;
      Value mask = definedWhere.lookup(operand);
      if (!mask || (where && where != mask))
        return;
      where = mask;
    }
  }
  if (where)
    for (Value result : op->getResults())
      definedWhere[result] = where;
}

void Tracker::computeShadows(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return shadows.set(load.getResult(), shadowOfRead(op, load.getAddr()));
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
    return shadows.set(atomic.getResult(), shadowOfRead(op, atomic.getPtr()));
  if (LLVM::CallOp call = calls::crossLane.match(op))
    return shadows.set(call.getResult(), shadowOfCrossLane(call));
  shadows.compute(op);
}

} // namespace

void trackUndefined(HostFunction &host, bool unwritten) {
  UndefinedSources sources(host, unwritten);
  if (unwritten || !sources.areNone())
    Tracker(host, sources, unwritten).run();
}

} // namespace hocket
