//===- BasisRows.cpp - Text form of basis rows: `[[0, 1], [2, 0]]`, or `[]` ------------===//
#include "dialect/hk/layouts/BasisRows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket::hk {

AsmPrinter &operator<<(AsmPrinter &printer, const BasisRows &rows) {
  llvm::raw_ostream &os = printer.getStream();
  os << '[';
  llvm::interleaveComma(rows, os, [&](const std::vector<int32_t> &row) {
    os << '[';
    llvm::interleaveComma(row, os);
    os << ']';
  });
  os << ']';
  return printer;
}

FailureOr<BasisRows> parseBasisRows(AsmParser &parser) {
  BasisRows rows;
  auto parseRow = [&]() -> ParseResult {
    std::vector<int32_t> &row = rows.emplace_back();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&]() -> ParseResult { return parser.parseInteger(row.emplace_back()); });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return failure();
  return rows;
}

} // namespace hocket::hk
