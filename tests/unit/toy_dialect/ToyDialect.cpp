//===- ToyDialect.cpp - A dialect for tests of interfaces ---------------------------------===//
#include "ToyDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ToyDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ToyAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

namespace hocket::toy {

static constexpr hk::CounterSpelling kFetchSpelling{.access = "fetch",
                                                    .accesses = "fetches",
                                                    .wait = "toy.await_fetches(",
                                                    .waitEnd = ", all=True)",
                                                    .commit = "toy.end_fetches()"};
static constexpr hk::CounterSpelling kSendSpelling{.access = "send", .accesses = "sends", .wait = "toy.await_sends("};
static constexpr hk::AsyncCounter kFetches{"toy.fetches", &kFetchSpelling}, kSends{"toy.sends", &kSendSpelling},
    kSendsRead{"toy.sends_read", &kSendSpelling};
/// The counter of MMAs has no spelling.
static constexpr hk::AsyncCounter kProducts{"toy.products"};

hk::Completion FetchOp::getCompletionOf(Value operand) { return operand == getDst() ? kFetches : hk::Completion(); }
SmallVector<hk::AsyncCounter, 1> EndFetchesOp::getCommittedCounters() { return {kFetches}; }
SmallVector<hk::AsyncCounter, 1> AwaitFetchesOp::getAwaitedCounters() { return {kFetches}; }

hk::Completion SendOp::getCompletionOf(Value operand) { return operand == getSrc() ? kSendsRead : kSends; }
SmallVector<hk::AsyncCounter, 1> SendOp::getCommittedCounters() { return {kSendsRead, kSends}; }
SmallVector<hk::AsyncCounter, 1> AwaitSendsOp::getAwaitedCounters() {
  if (getRead())
    return {kSendsRead};
  return {kSendsRead, kSends};
}

hk::Completion MultiplyOp::getCompletionOf(Value operand) { return kProducts; }
SmallVector<hk::AsyncCounter, 1> MultiplyOp::getCommittedCounters() { return {kProducts}; }
SmallVector<hk::AsyncCounter, 1> AwaitProductsOp::getAwaitedCounters() { return {kProducts}; }

// Bank memory ---------------------------------------------------------------------------------------------------------

StringRef BankAttr::getName() const { return "bank memory"; }
SideEffects::Resource *BankAttr::getResource() const { return BankMemory::get(); }
int64_t BankAttr::getCapacity(const TargetInfo &) const { return 4096; }
int64_t BankAttr::getAlignment() const { return 32; }
hk::AllocationAttrs BankAttr::getAllocationAttrs() const {
  return {hk::IntFact("toy.bank_bytes"), hk::IntFact("toy.bank_alignment"),
          hk::ListFact<hk::BufferAttr>("toy.bank_buffers")};
}
bool BankAttr::isBarrier(Operation *op) const { return isa<BankBarrierOp>(op); }
Operation *BankAttr::createBarrier(OpBuilder &builder, Location loc, bool) const {
  return BankBarrierOp::create(builder, loc);
}
bool BankAttr::needsProxyFences() const { return false; }
bool BankAttr::isOrderedByStages() const { return false; }

hk::Completion FetchToBankOp::getCompletionOf(Value operand) {
  return operand == getDst() ? kFetches : hk::Completion();
}

hk::Completion LoadToBankOp::getCompletionOf(Value operand) {
  return operand == getSrc() || operand == getDst() ? hk::BarrierPhase{getFlag()} : hk::Completion();
}

bool RaiseOp::isByOneThread() { return true; }
bool RaiseOp::isConcurrent() { return true; }
bool RaiseOp::precedesWaits() { return false; }
bool RaiseOp::signalsAll() { return true; }

bool AwaitFlagOp::isByOneThread() { return false; }
bool AwaitFlagOp::isConcurrent() { return true; }
bool AwaitFlagOp::precedesWaits() { return false; }
bool AwaitFlagOp::signalsAll() { return false; }
std::optional<hk::BarrierPhase> AwaitFlagOp::getAwaitedPhase() { return hk::BarrierPhase{getFlag(), getParity()}; }

// Scratch memory and concurrent regions -------------------------------------------------------------------------------

int64_t RotateOp::getScratchBytes() { return 64; }

std::pair<Operation *, Operation *> ApartOp::getConcurrentOps() { return {*this, *this}; }

void ToyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ToyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

} // namespace hocket::toy
