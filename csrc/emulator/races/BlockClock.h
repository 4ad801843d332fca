//===- BlockClock.h - A vector clock of blocks ----------------------------------------------===//
//
// A clock maps blocks to epochs: all accesses of block b up to its epoch clock[b] happened before. A block that is not
// in the clock has epoch 0: none of its accesses happened before.
//
//   {3: 2} join {3: 1, 7: 4}  =  {3: 2, 7: 4}
//
// A launch has up to millions of blocks, and each block, and each variable that blocks synchronize through, has a
// clock. Clocks are immutable trees of fan-out 16 that share common subtrees: copying one copies a pointer, adding a
// block copies one node per level, and comparisons stop where both sides are the same node.
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
  /// Returns the epoch of `block`, 0 if it is not in the clock.
  uint32_t epochOf(uint64_t block) const;
  /// Returns this clock with the epoch of `block` raised at least to `epoch`.
  BlockClock with(uint64_t block, uint32_t epoch) const;
  /// Returns the maximum epoch of each block. The result shares the tree of `a` if `b` adds nothing to it.
  static BlockClock join(const BlockClock &a, const BlockClock &b);
  /// Returns the lowest block other than `except` whose epoch in this clock is later than in `known`.
  std::optional<uint64_t> firstBeyond(const BlockClock &known, uint64_t except) const;
  /// True if both are the same tree. Different trees may still be equal clocks.
  bool isSameTree(const BlockClock &other) const { return root == other.root; }

  /// A node of level n covers 16^(n + 1) blocks. It is freed through this type, hence the virtual destructor.
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
