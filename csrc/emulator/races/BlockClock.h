//===- BlockClock.h - A vector clock of blocks ----------------------------------------------===//
//
// A clock maps blocks to epochs. An access with this clock is ordered after all accesses of block b in the epochs up to
// clock[b]. If b is not in the clock, the access is ordered after no access of b.
//
//   {3: 2} join {3: 1, 7: 4}  =  {3: 2, 7: 4}
//
// A launch has up to millions of blocks. Each block has a clock, and so has each variable through which blocks
// synchronize. Clocks are immutable trees of fan-out 16 that share common subtrees: copying a clock copies a pointer,
// adding a block copies one node per level, and comparisons stop where both clocks have the same node.
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
  /// Returns the epoch of `block`; 0 if the block is not in the clock.
  uint32_t epochOf(uint64_t block) const;
  /// Returns this clock with the epoch of `block` raised to at least `epoch`.
  BlockClock with(uint64_t block, uint32_t epoch) const;
  /// Returns the clock with the later of the two epochs of each block. If the result equals `a`, it shares the tree of
  /// `a`.
  static BlockClock join(const BlockClock &a, const BlockClock &b);
  /// Returns the lowest block, other than `except`, whose epoch in this clock is later than in `known`.
  std::optional<uint64_t> firstBeyond(const BlockClock &known, uint64_t except) const;
  /// True if both clocks share one tree. Clocks with different trees may be equal, too.
  bool isSameTree(const BlockClock &other) const { return root == other.root; }

  /// A node of level n covers 16^(n + 1) blocks. Nodes are freed through the base class Node, so the destructor of Node
  /// is virtual.
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
