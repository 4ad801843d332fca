//===- WeakenWaits.cpp - Finds waits that can be removed or can leave more groups in flight ---------===//
#include "transforms/minimize_waits/WeakenWaits.h"

#include "mlir/IR/Verifier.h"
#include "transforms/minimize_waits/WaitTexts.h"

using namespace mlir;

namespace hocket {

/// Maximum number of additional groups in flight that are tried for a wait that is possibly not needed.
static constexpr unsigned kMostTried = 4;

/// True if `wait` can leave `outstanding` groups in flight. Instructions have a maximum, e.g. 7 groups for wgmma.
static bool holds(hk::AsyncWait wait, unsigned outstanding) {
  Operation *other = wait->clone();
  cast<hk::AsyncWait>(other).setOutstanding(outstanding);
  ScopedDiagnosticHandler silence(wait->getContext(), [](mlir::Diagnostic &) { return success(); });
  bool isRight = succeeded(verify(other, /*verifyRecursively=*/false));
  other->destroy();
  return isRight;
}

/// Returns the maximum number of groups that `wait` can leave in flight; nullopt if the wait is not needed.
static std::optional<unsigned> mostLeft(hk::AsyncWait wait, ArrayRef<TrialNeed> needs) {
  if (needs.empty())
    return std::nullopt;
  auto isYounger = [](const TrialNeed &a, const TrialNeed &b) { return a.age < b.age; };
  unsigned most = llvm::min_element(needs, isYounger)->age - 1, left = wait.getOutstanding();
  while (left < most && holds(wait, left + 1))
    ++left;
  return left;
}

namespace {
class WaitWeakener {
public:
  WaitWeakener(func::FuncOp function, function_ref<bool(const WaitNeeds::Replaced &)> accepts)
      : function(function), uses(function), accepts(accepts) {}

  void weaken(hk::AsyncWait wait);

  WaitNeeds::Replaced weaker;

private:
  bool isAccepted(hk::AsyncWait wait, std::optional<unsigned> left);
  void weakenAccepted(hk::AsyncWait wait, std::optional<unsigned> most);

  func::FuncOp function;
  AsyncUses uses;
  function_ref<bool(const WaitNeeds::Replaced &)> accepts;
  /// True if `accepts` accepts the program without changes; nullopt before `accepts` has been called for the unchanged
  /// program. If the unchanged program is not accepted, it has an error, and no wait is changed.
  std::optional<bool> isAcceptedAsWritten;
};
} // namespace

bool WaitWeakener::isAccepted(hk::AsyncWait wait, std::optional<unsigned> left) {
  WaitNeeds::Replaced tried = weaker;
  tried[wait] = left;
  return accepts(tried);
}

/// Lets `wait` leave up to `most` groups in flight, or removes it if `most` is nullopt, provided that `accepts` allows
/// the change. More groups in flight never become acceptable after fewer groups have been rejected, so the search ends
/// at the first rejected number.
void WaitWeakener::weakenAccepted(hk::AsyncWait wait, std::optional<unsigned> most) {
  if (!isAcceptedAsWritten)
    isAcceptedAsWritten = accepts({});
  if (!*isAcceptedAsWritten)
    return;
  if (isAccepted(wait, most)) {
    weaker[wait] = most;
    return;
  }
  unsigned written = wait.getOutstanding(), end = most.value_or(written + kMostTried + 1);
  for (unsigned left = written + 1; left < end && holds(wait, left) && isAccepted(wait, left); ++left)
    weaker[wait] = left;
}

void WaitWeakener::weaken(hk::AsyncWait wait) {
  WaitNeeds walks(function.getBody(), uses, wait);
  std::optional<SmallVector<TrialNeed, 0>> needs = walks.tryWithout(wait, weaker);
  if (!needs) // the walk took too long, so the wait stays unchanged
    return;
  std::optional<unsigned> left = mostLeft(wait, *needs);
  if (left == wait.getOutstanding())
    return;
  if (accepts)
    weakenAccepted(wait, left);
  else
    weaker[wait] = left;
}

WaitNeeds::Replaced findWeaker(func::FuncOp function, function_ref<bool(Operation *)> mayChange,
                               function_ref<bool(const WaitNeeds::Replaced &)> accepts) {
  SmallVector<hk::AsyncWait> waits;
  function.walk([&](hk::AsyncWait wait) {
    if (wait->getNumResults() == 0 && mayChange(wait))
      waits.push_back(wait);
  });
  WaitWeakener weakener(function, accepts);
  for (hk::AsyncWait wait : llvm::reverse(waits))
    weakener.weaken(wait);
  return std::move(weakener.weaker);
}

bool isForGlobalWrites(func::FuncOp function, hk::AsyncWait wait) {
  SmallVector<hk::AsyncCounter, 1> awaited = wait.getAwaitedCounters();
  WalkResult result = function.walk([&](hk::AsyncAccess start) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    cast<MemoryEffectOpInterface>(start.getOperation()).getEffects(effects);
    return WalkResult(failure(llvm::any_of(effects, [&](const MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getResource() == hk::GlobalMemory::get() &&
             effect.getValue() && llvm::is_contained(awaited, start.getCompletionOf(effect.getValue()).getCounter());
    })));
  });
  return result.wasInterrupted();
}

void applyWeaker(const WaitNeeds::Replaced &weaker, const llvm::SmallPtrSetImpl<Operation *> &placed) {
  for (auto [op, outstanding] : weaker) {
    if (!placed.contains(op) && !cast<hk::AsyncWait>(op).getImplied())
      remarkWeaker(op, outstanding);
    if (outstanding)
      cast<hk::AsyncWait>(op).setOutstanding(*outstanding);
    else
      op->erase();
  }
}

} // namespace hocket
