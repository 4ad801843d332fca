//===- Table.h - Compiled kernels of one jit function --------------------------------===//
#ifndef HOCKET_DISPATCH_TABLE_H
#define HOCKET_DISPATCH_TABLE_H

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace hocket::dispatch {

/// Caches the compiled kernels of one jit function by the keys of calls (Key.h). Most calls have the same key as the
/// previous call, so `find` first compares the key of the most recently found or inserted kernel. `Compiled` has a
/// member `key` and a function `isCurrent()`, which returns false if compiling again would give another result.
template <typename Key, typename Compiled>
class Table {
public:
  /// Returns the kernel for `key`; null if none is stored or if a Python global that the kernel uses has changed.
  std::shared_ptr<Compiled> find(const Key &key) {
    if (last && last->key == key) [[likely]]
      return last->isCurrent() ? last : nullptr;
    auto [begin, end] = byHash.equal_range(key.hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == key && it->second->isCurrent())
        return last = it->second;
    return nullptr;
  }

  /// Stores a kernel; replaces a kernel that is stored under the same key.
  void insert(std::shared_ptr<Compiled> compiled) {
    auto [begin, end] = byHash.equal_range(compiled->key.hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == compiled->key) {
        byHash.erase(it);
        break;
      }
    last = compiled;
    byHash.emplace(compiled->key.hash, std::move(compiled));
  }

  void clear() {
    last.reset();
    byHash.clear();
  }

  template <typename F>
  void forEach(F &&visit) const {
    for (const auto &[hash, compiled] : byHash)
      visit(*compiled);
  }

private:
  std::shared_ptr<Compiled> last;
  std::unordered_multimap<uint64_t, std::shared_ptr<Compiled>> byHash;
};

} // namespace hocket::dispatch

#endif
