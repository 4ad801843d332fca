//===- BlockClock.h - A vector clock of blocks ----------------------------------------------===//
//
// A BlockClock maps blocks to epochs. The next access of a block with the clock `c` is ordered after the accesses of
// each block b in epochs up to c[b]. If `c` does not contain b, the access is ordered after no access of b.
//
//   {3: 2} join {3: 1, 7: 4}  =  {3: 2, 7: 4}
//
// A launch may have millions of blocks. Each block has a clock. Each variable through which blocks synchronize has a
// clock, too. Clocks are immutable trees of fan-out 16 that share common subtrees. Copying a clock copies a pointer.
// Adding a block copies one node per level. A comparison skips subtrees that both clocks share.
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
  /// Returns a clock that maps each block to the later of its epochs in `a` and `b`. If the result is equal to `a`, it
  /// shares the tree of `a`.
  static BlockClock join(const BlockClock &a, const BlockClock &b);
  /// Returns the lowest block, other than `except`, whose epoch in this clock is later than in `known`.
  std::optional<uint64_t> firstBeyond(const BlockClock &known, uint64_t except) const;
  /// True if both clocks share one tree. Clocks with different trees may be equal, too.
  bool isSameTree(const BlockClock &other) const { return root == other.root; }

  /// A node of level n covers 16^(n + 1) blocks. The destructor of Node is virtual, because nodes are freed through
  /// this base class.
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
