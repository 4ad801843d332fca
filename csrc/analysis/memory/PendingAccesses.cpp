//===- PendingAccesses.cpp - Pending and outstanding accesses of buffers -----------===//
#include "analysis/memory/PendingAccesses.h"

#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace hocket {

/// Ages of at least this number of commits are treated as one age. If a wait leaves more groups in flight than this
/// number, accesses of these ages count both as covered by the wait and as in flight.
static constexpr unsigned kMaxAge = 64;

SmallVector<CounterUse, 1> countersOf(Operation *function) {
  SmallVector<CounterUse, 1> uses;
  auto useOf = [&](hk::AsyncCounter counter) -> CounterUse & {
    auto known = llvm::find_if(uses, [&](const CounterUse &use) { return use.counter == counter; });
    return known != uses.end() ? *known : uses.emplace_back(CounterUse{counter});
  };
  function->walk([&](Operation *op) {
    if (auto start = dyn_cast<hk::AsyncAccess>(op))
      for (Value operand : op->getOperands())
        if (std::optional<hk::AsyncCounter> counter = start.getCompletionOf(operand).getCounter())
          useOf(*counter);
    if (auto wait = dyn_cast<hk::AsyncWait>(op))
      for (hk::AsyncCounter counter : wait.getAwaitedCounters()) {
        CounterUse &use = useOf(counter);
        use.maxOutstanding = std::max<unsigned>(use.maxOutstanding, wait.getOutstanding());
      }
  });
  return uses;
}

PendingAccesses::PendingAccesses(unsigned numAccesses, ArrayRef<CounterUse> counters, unsigned moreAges)
    : recent(numAccesses), older(numAccesses), carried(numAccesses) {
  for (const CounterUse &use : counters) {
    unsigned ages = std::min(use.maxOutstanding + moreAges, kMaxAge) + 2;
    inFlight.push_back({use.counter, SmallVector<llvm::BitVector, 0>(ages, llvm::BitVector(numAccesses))});
  }
}

const PendingAccesses::InFlight *PendingAccesses::find(hk::AsyncCounter counter) const {
  auto found = llvm::find_if(inFlight, [&](const InFlight &one) { return one.counter == counter; });
  return found == inFlight.end() ? nullptr : found;
}

llvm::BitVector PendingAccesses::allInFlight() const {
  llvm::BitVector all(carried.size());
  for (const InFlight &one : inFlight)
    for (const llvm::BitVector &started : one.byAge)
      all |= started;
  return all;
}

void PendingAccesses::start(unsigned number, hk::AsyncCounter counter) { find(counter)->byAge.front().set(number); }

void PendingAccesses::commit(hk::AsyncCounter counter) {
  InFlight *one = find(counter);
  if (!one)
    return;
  auto &byAge = one->byAge;
  byAge.back() |= byAge[byAge.size() - 2];
  for (unsigned age = byAge.size() - 2; age > 0; --age)
    byAge[age] = byAge[age - 1];
  byAge.front().reset();
}

void PendingAccesses::startIteration() {
  older |= recent;
  recent.reset();
  carried |= allInFlight();
}

/// Applies the effect of a wait that leaves `outstanding` groups in flight. The covered accesses are added to `older`,
/// because they may have been started in earlier iterations.
void PendingAccesses::wait(hk::AsyncCounter counter, unsigned outstanding) {
  InFlight *one = find(counter);
  if (!one)
    return;
  if (outstanding + 1 >= one->byAge.size()) {
    older |= one->byAge.back();
    return;
  }
  for (llvm::BitVector &covered : llvm::drop_begin(one->byAge, outstanding + 1)) {
    older |= covered;
    covered.reset();
  }
  carried &= allInFlight();
}

void PendingAccesses::waitFor(Operation *op) {
  if (auto waiting = dyn_cast<hk::AsyncWait>(op))
    for (hk::AsyncCounter counter : waiting.getAwaitedCounters())
      wait(counter, waiting.getOutstanding());
}

void PendingAccesses::commitFor(Operation *op) {
  if (auto committing = dyn_cast<hk::AsyncCommit>(op))
    for (hk::AsyncCounter counter : committing.getCommittedCounters())
      commit(counter);
}

SmallVector<unsigned, 2> PendingAccesses::agesInFlight(unsigned number, hk::AsyncCounter counter) const {
  SmallVector<unsigned, 2> ages;
  const auto &byAge = find(counter)->byAge;
  for (unsigned age = byAge.size(); age-- > 0;)
    if (byAge[age].test(number))
      ages.push_back(age);
  return ages;
}

unsigned PendingAccesses::lastAge(hk::AsyncCounter counter) const { return find(counter)->byAge.size() - 1; }

PendingAccesses &PendingAccesses::operator|=(const PendingAccesses &other) {
  recent |= other.recent;
  older |= other.older;
  carried |= other.carried;
  for (auto [mine, theirs] : llvm::zip_equal(inFlight, other.inFlight))
    for (auto [here, there] : llvm::zip_equal(mine.byAge, theirs.byAge))
      here |= there;
  return *this;
}

bool PendingAccesses::isWithin(const PendingAccesses &other) const {
  // BitVector::test(other) is true if `this` has bits that `other` lacks.
  if (recent.test(other.recent) || older.test(other.older) || carried.test(other.carried))
    return false;
  for (auto [mine, theirs] : llvm::zip_equal(inFlight, other.inFlight))
    for (auto [here, there] : llvm::zip_equal(mine.byAge, theirs.byAge))
      if (here.test(there))
        return false;
  return true;
}

} // namespace hocket
