//===- AsyncCounter.h - Counters of asynchronous memory accesses -------------------===//
//
// An asynchronous memory access continues after the operation that starts it, and completes on a *counter*. A commit
// forms a *group* of all accesses on the counter that a warp has started since its previous commit. Groups complete in
// the order of their commits, and a wait leaves at most the newest N groups pending.
//
//     start a            groups, newest first        certainly complete
//     commit             {a}
//     start b, start c   {a}                                               b and c are in no group yet
//     commit             {b, c} {a}
//     wait 1             {b, c}                      a
//
// Counters are independent: a wait for copies does not order MMAs. A group may complete in two steps for which there
// are separate waits (its memory has been read; its writes are visible). Each step then has its own counter, and one
// operation commits a group on both counters. An access belongs to the counter of the step that completes the access.
//
// Accesses on a counter without waits are assumed to continue to the end of the function. Accesses that complete with a
// phase of a barrier are on no counter (Completion.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_ASYNCCOUNTER_H
#define HOCKET_DIALECT_HK_FACTS_ASYNCCOUNTER_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace hocket::hk {

/// Text for a counter in diagnostics: the name of its accesses, and the Python calls that commit a group and wait.
struct CounterSpelling {
  /// Singular and plural name of an access, such as "copy" and "copies".
  llvm::StringRef access = "access", accesses = "accesses";
  /// Text of the wait call before and after the number of pending groups, such as "wait_group(" and ")". `wait` is
  /// empty if users cannot wait on the counter.
  llvm::StringRef wait = "", waitEnd = ")";
  /// Text of the call that commits a group; empty if each access is a separate group.
  llvm::StringRef commit = "";

  std::string waitLeaving(unsigned outstanding) const {
    return wait.str() + std::to_string(outstanding) + waitEnd.str();
  }
};

/// Default text of a counter on which users cannot wait.
inline constexpr CounterSpelling kUnspelled;

/// A counter of asynchronous accesses. Its name identifies the counter, so that any dialect can define counters.
struct AsyncCounter {
  /// Name of the counter: the dialect and the counted accesses, such as "hk.copy_groups".
  llvm::StringRef name;
  const CounterSpelling *spelling = &kUnspelled;

  bool operator==(const AsyncCounter &other) const { return name == other.name; }
};

/// Counter of hk.async_commit_group and hk.async_wait_group.
inline constexpr CounterSpelling kCopySpelling{
    .access = "copy", .accesses = "copies", .wait = "async_copy.wait_group(", .commit = "async_copy.commit_group()"};
inline constexpr AsyncCounter kCopyGroups{"hk.copy_groups", &kCopySpelling};

/// True if `op` commits a group on `counter`.
bool commitsOn(mlir::Operation *op, AsyncCounter counter);

/// Returns the number of groups that `op` may leave pending, if it waits on `counter`.
std::optional<unsigned> outstandingOn(mlir::Operation *op, AsyncCounter counter);

} // namespace hocket::hk

#endif
