//===- BasisRows.h - Bases of a linear layout as attributes store them ------------===//
//
// Row i is the tensor coordinate that bit i of an index contributes.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_BASISROWS_H
#define HOCKET_DIALECT_HK_LAYOUTS_BASISROWS_H

#include "layout/LinearLayout.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace hocket::hk {

/// The basis rows of the layout library as a separate type, so that attributes can hash, print and parse the rows.
class BasisRows : public ::hocket::BasisRows {
public:
  using ::hocket::BasisRows::vector;
  BasisRows() = default;
  BasisRows(::hocket::BasisRows rows) : ::hocket::BasisRows(std::move(rows)) {}
};

inline llvm::hash_code hash_value(const BasisRows &rows) {
  llvm::hash_code hash = llvm::hash_value(rows.size());
  for (const std::vector<int32_t> &row : rows)
    hash = llvm::hash_combine(hash, llvm::hash_combine_range(row.begin(), row.end()));
  return hash;
}

/// Prints basis rows in the form `[[0, 1], [2, 0]]`.
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const BasisRows &rows);

mlir::FailureOr<BasisRows> parseBasisRows(mlir::AsmParser &parser);

} // namespace hocket::hk

template <>
struct mlir::FieldParser<hocket::hk::BasisRows> {
  static FailureOr<hocket::hk::BasisRows> parse(AsmParser &parser) { return hocket::hk::parseBasisRows(parser); }
};

#endif
