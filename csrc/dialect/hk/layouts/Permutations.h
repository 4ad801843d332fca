//===- Permutations.h - Orders of dimensions ---------------------------------------===//
//
// The `order` of a view gives the origin of each dimension: result dimension i is operand dimension order[i]. The
// `order` parameter of a layout lists dimensions, the fastest first.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_PERMUTATIONS_H
#define HOCKET_DIALECT_HK_LAYOUTS_PERMUTATIONS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

namespace hocket::hk {

inline bool isPermutationOf(llvm::ArrayRef<int32_t> order, size_t rank) {
  llvm::SmallVector<int32_t> sorted = llvm::to_vector(order);
  llvm::sort(sorted);
  return sorted.size() == rank && llvm::equal(sorted, llvm::seq<int32_t>(0, rank));
}

/// Returns values[order[0]], values[order[1]], ...
inline llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int32_t> order) {
  return llvm::map_to_vector(order, [&](int32_t dim) { return values[dim]; });
}

/// Returns the inverse of `order`.
inline llvm::SmallVector<int32_t> inverseOrder(llvm::ArrayRef<int32_t> order) {
  llvm::SmallVector<int32_t> inverse(order.size());
  for (auto [dim, source] : llvm::enumerate(order))
    inverse[source] = dim;
  return inverse;
}

/// Returns the dimensions in `dims` (a layout's `order`) after dimension order[i] was renamed to i.
inline llvm::SmallVector<int64_t> renamed(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int32_t> order) {
  llvm::SmallVector<int32_t> newName = inverseOrder(order);
  return llvm::map_to_vector(dims, [&](int64_t dim) -> int64_t { return newName[dim]; });
}

/// Calls `test` with every order of `rank` dimensions, row-major first, until it returns true.
inline void forEachOrder(unsigned rank, llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> test) {
  llvm::SmallVector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  do {
    if (test(order))
      return;
  } while (std::prev_permutation(order.begin(), order.end()));
}

} // namespace hocket::hk

#endif
