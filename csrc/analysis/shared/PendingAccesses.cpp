//===- PendingAccesses.cpp - What warps must not take for done ---------------------===//
#include "analysis/shared/PendingAccesses.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace hocket {

/// Waits that leave more groups than this are taken to leave all copies of these groups and of older ones in flight,
/// and to cover the older ones, too.
static constexpr unsigned kMaxAge = 64;

PendingAccesses::PendingAccesses(unsigned numAccesses, unsigned maxOutstanding)
    : recent(numAccesses), older(numAccesses), carried(numAccesses),
      byAge(std::min(maxOutstanding, kMaxAge) + 2, llvm::BitVector(numAccesses)) {}

void PendingAccesses::commit() {
  byAge.back() |= byAge[byAge.size() - 2];
  for (unsigned age = byAge.size() - 2; age > 0; --age)
    byAge[age] = byAge[age - 1];
  byAge.front().reset();
}

void PendingAccesses::startIteration() {
  older |= recent;
  recent.reset();
  for (const llvm::BitVector &copies : byAge)
    carried |= copies;
}

/// What is covered may have been issued iterations ago.
void PendingAccesses::wait(unsigned outstanding) {
  if (outstanding + 1 >= byAge.size()) {
    older |= byAge.back();
    return;
  }
  for (llvm::BitVector &copies : llvm::drop_begin(byAge, outstanding + 1)) {
    older |= copies;
    copies.reset();
  }
  llvm::BitVector left(carried.size());
  for (const llvm::BitVector &copies : byAge)
    left |= copies;
  carried &= left;
}

llvm::SmallVector<unsigned, 2> PendingAccesses::agesInFlight(unsigned number) const {
  llvm::SmallVector<unsigned, 2> ages;
  for (unsigned age = byAge.size(); age-- > 0;)
    if (byAge[age].test(number))
      ages.push_back(age);
  return ages;
}

PendingAccesses &PendingAccesses::operator|=(const PendingAccesses &other) {
  recent |= other.recent;
  older |= other.older;
  carried |= other.carried;
  for (auto [mine, theirs] : llvm::zip_equal(byAge, other.byAge))
    mine |= theirs;
  return *this;
}

bool PendingAccesses::isWithin(const PendingAccesses &other) const {
  // `test` asks for bits that are not in the argument.
  if (recent.test(other.recent) || older.test(other.older) || carried.test(other.carried))
    return false;
  return llvm::all_of(llvm::zip_equal(byAge, other.byAge),
                      [](auto pair) { return !std::get<0>(pair).test(std::get<1>(pair)); });
}

} // namespace hocket
