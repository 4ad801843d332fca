//===- ToyDialect.cpp - A dialect for tests of interfaces ---------------------------------===//
#include "ToyDialect.h"

using namespace mlir;

#include "ToyDialect.cpp.inc"

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

int64_t RotateOp::getScratchBytes() { return 64; }

std::pair<Operation *, Operation *> ApartOp::getConcurrentOps() { return {*this, *this}; }

void ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

} // namespace hocket::toy
