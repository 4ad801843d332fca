//===- BlockClock.cpp - A vector clock of blocks --------------------------------------------===//
#include "emulator/races/BlockClock.h"

#include <algorithm>
#include <array>

namespace hocket::emulator {

static constexpr unsigned kFanOutBits = 4;
static constexpr size_t kFanOut = size_t(1) << kFanOutBits;

namespace {

using Node = BlockClock::Node;
using NodePointer = llvm::IntrusiveRefCntPtr<const Node>;

struct Leaf : Node {
  Leaf() : Node(0) {}
  std::array<uint32_t, kFanOut> epochs = {};
};

struct Branch : Node {
  explicit Branch(unsigned level) : Node(level) {}
  std::array<NodePointer, kFanOut> children;
};

const Leaf &leafOf(const Node &node) { return static_cast<const Leaf &>(node); }
const Branch &branchOf(const Node &node) { return static_cast<const Branch &>(node); }

bool reaches(const Node &node, uint64_t block) { return block >> kFanOutBits >> kFanOutBits * node.level == 0; }
size_t childOf(const Node &node, uint64_t block) { return block >> kFanOutBits * node.level & (kFanOut - 1); }

/// Returns a tree of height `level` that contains `node`. Each new node has the node of the level below as its first
/// child.
NodePointer raise(NodePointer node, unsigned level) {
  while (node && node->level < level) {
    auto parent = llvm::makeIntrusiveRefCnt<Branch>(node->level + 1);
    parent->children[0] = std::move(node);
    node = std::move(parent);
  }
  return node;
}

NodePointer insert(const Node *node, unsigned level, uint64_t block, uint32_t epoch) {
  if (level == 0) {
    auto leaf = llvm::makeIntrusiveRefCnt<Leaf>();
    if (node)
      leaf->epochs = leafOf(*node).epochs;
    leaf->epochs[childOf(*leaf, block)] = epoch;
    return leaf;
  }
  auto branch = llvm::makeIntrusiveRefCnt<Branch>(level);
  if (node)
    branch->children = branchOf(*node).children;
  NodePointer &child = branch->children[childOf(*branch, block)];
  child = insert(child.get(), level - 1, block, epoch);
  return branch;
}

NodePointer joinLeaves(const NodePointer &a, const NodePointer &b) {
  auto joined = llvm::makeIntrusiveRefCnt<Leaf>();
  for (size_t i = 0; i < kFanOut; ++i)
    joined->epochs[i] = std::max(leafOf(*a).epochs[i], leafOf(*b).epochs[i]);
  if (joined->epochs == leafOf(*a).epochs)
    return a;
  if (joined->epochs == leafOf(*b).epochs)
    return b;
  return joined;
}

/// Returns the join of two nodes of the same level, either of which may be null.
NodePointer joinNodes(const NodePointer &a, const NodePointer &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  if (a->level == 0)
    return joinLeaves(a, b);
  auto joined = llvm::makeIntrusiveRefCnt<Branch>(a->level);
  for (size_t i = 0; i < kFanOut; ++i)
    joined->children[i] = joinNodes(branchOf(*a).children[i], branchOf(*b).children[i]);
  if (joined->children == branchOf(*a).children)
    return a;
  if (joined->children == branchOf(*b).children)
    return b;
  return joined;
}

/// Implements firstBeyond for a subtree. `node` covers consecutive blocks that start with block `first`. `known` is the
/// node of the other clock that covers the same blocks, or null.
std::optional<uint64_t> firstBeyondIn(const Node *node, const Node *known, uint64_t first, uint64_t except) {
  if (!node || node == known)
    return std::nullopt;
  for (size_t i = 0; i < kFanOut; ++i) {
    uint64_t begin = first + (uint64_t(i) << kFanOutBits * node->level);
    if (node->level == 0) {
      if (leafOf(*node).epochs[i] > (known ? leafOf(*known).epochs[i] : 0) && begin != except)
        return begin;
    } else if (auto found = firstBeyondIn(branchOf(*node).children[i].get(),
                                          known ? branchOf(*known).children[i].get() : nullptr, begin, except)) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

uint32_t BlockClock::epochOf(uint64_t block) const {
  const Node *node = root.get();
  if (!node || !reaches(*node, block))
    return 0;
  while (node && node->level)
    node = branchOf(*node).children[childOf(*node, block)].get();
  return node ? leafOf(*node).epochs[childOf(*node, block)] : 0;
}

BlockClock BlockClock::with(uint64_t block, uint32_t epoch) const {
  if (epochOf(block) >= epoch)
    return *this;
  unsigned level = root ? root->level : 0;
  while (block >> kFanOutBits >> kFanOutBits * level)
    ++level;
  return BlockClock(insert(raise(root, level).get(), level, block, epoch));
}

BlockClock BlockClock::join(const BlockClock &a, const BlockClock &b) {
  if (!a.root || !b.root)
    return a.root ? a : b;
  unsigned level = std::max(a.root->level, b.root->level);
  return BlockClock(joinNodes(raise(a.root, level), raise(b.root, level)));
}

std::optional<uint64_t> BlockClock::firstBeyond(const BlockClock &known, uint64_t except) const {
  if (!root)
    return std::nullopt;
  unsigned level = std::max(root->level, known.root ? known.root->level : 0);
  return firstBeyondIn(raise(root, level).get(), raise(known.root, level).get(), 0, except);
}

} // namespace hocket::emulator
