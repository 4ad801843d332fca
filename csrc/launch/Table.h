//===- Table.h - The compiled kernels of one jit function ----------------------------===//
#ifndef HOCKET_LAUNCH_TABLE_H
#define HOCKET_LAUNCH_TABLE_H

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace hocket::launch {

/// Finds what was compiled before by the codes of a call. Programs launch a kernel mostly with the same
/// specialisation as before, so the last one found is tried first. A Compiled has `key`, and `isCurrent()`: whether it
/// would still be compiled so.
template <typename Key, typename Compiled>
class Table {
public:
  /// Null when nothing fits, or when a global that was used has changed since.
  std::shared_ptr<Compiled> find(const Key &key) {
    if (last && last->key == key) [[likely]]
      return last->isCurrent() ? last : nullptr;
    auto [begin, end] = byHash.equal_range(key.hash);
    for (auto it = begin; it != end; ++it)
      if (it->second->key == key && it->second->isCurrent())
        return last = it->second;
    return nullptr;
  }

  /// Replaces what was stored under the same key.
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

} // namespace hocket::launch

#endif
