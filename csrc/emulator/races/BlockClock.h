//===- BlockClock.h - How far the work of each block is known -------------------------------===//
//
// A clock maps blocks to epochs: everything that block b did up to its epoch clock[b] is known. Blocks that are not in
// it have epoch 0, of which nothing is known.
//
//   {3: 2} join {3: 1, 7: 4}  =  {3: 2, 7: 4}
//
// A launch has up to millions of blocks, and each block, and each variable blocks synchronise through, has a clock.
// They are immutable trees of fan-out 16 that share what they have in common: passing one on is a pointer, adding a
// block copies one node per level, and comparing stops where both sides are the same node.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_RACES_BLOCKCLOCK_H
#define HOCKET_EMULATOR_RACES_BLOCKCLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <cstdint>
#include <optional>

namespace hocket::emulator {

class BlockClock {
public:
  /// The epoch of `block`, 0 if nothing of it is known.
  uint32_t epochOf(uint64_t block) const;
  /// This clock with `block` known at least up to `epoch`.
  BlockClock with(uint64_t block, uint32_t epoch) const;
  /// For each block the greater epoch. The same tree as `a` if that holds everything already.
  static BlockClock join(const BlockClock &a, const BlockClock &b);
  /// The lowest block other than `except` of which this clock has a later epoch than `known`.
  std::optional<uint64_t> firstBeyond(const BlockClock &known, uint64_t except) const;
  /// Whether both are the same tree. Clocks that are not may still be equal.
  bool isSameTree(const BlockClock &other) const { return root == other.root; }

  /// Of level n: it stands for 16^(n + 1) blocks. Freed through this type, hence the virtual destructor.
  struct Node : llvm::ThreadSafeRefCountedBase<Node> {
    explicit Node(unsigned level) : level(level) {}
    virtual ~Node() = default;
    const unsigned level;
  };

  BlockClock() = default;

private:
  explicit BlockClock(llvm::IntrusiveRefCntPtr<const Node> root) : root(std::move(root)) {}
  llvm::IntrusiveRefCntPtr<const Node> root;
};

} // namespace hocket::emulator

#endif
