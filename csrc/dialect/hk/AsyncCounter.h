//===- AsyncCounter.h - What tells when asynchronous accesses are done -------------===//
//
// An asynchronous access of memory goes on after the operation that starts it. Each is on a *counter*: what a warp has
// started since its last commit on that counter becomes a *group*, groups finish in the order of their commits, and a
// wait leaves at most so many of the newest groups unfinished.
//
//     start a            groups, newest first        certainly done
//     commit             {a}
//     start b, start c   {a}                                               b and c are in no group yet
//     commit             {b, c} {a}
//     wait 1             {b, c}                      a
//
// Counters know nothing of each other: a wait for copies says nothing about products. Where one group has two moments
// that can be waited for (memory has been read; what was written is visible), that is two counters, on both of which
// one operation commits; each access is on the counter of the moment at which it is done.
//
// A completion that is no count of groups (the phase of an mbarrier) is no counter. Accesses on a counter that nobody
// waits for are taken to go on to the end of the function.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_ASYNCCOUNTER_H
#define HOCKET_DIALECT_HK_ASYNCCOUNTER_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class Operation;
} // namespace mlir

namespace hocket::hk {

/// Any dialect may have counters of its own: a name is all there is to it.
struct AsyncCounter {
  /// The dialect, and what is counted.
  llvm::StringRef name;
  bool operator==(const AsyncCounter &other) const = default;
};

/// Of hk.async_commit_group and hk.async_wait_group.
inline constexpr AsyncCounter kCopyGroups{"hk.copy_groups"};

/// Does `op` make a group on `counter`?
bool commitsOn(mlir::Operation *op, AsyncCounter counter);

/// How many groups `op` may leave unfinished, if it waits on `counter`.
std::optional<unsigned> outstandingOn(mlir::Operation *op, AsyncCounter counter);

} // namespace hocket::hk

#endif
