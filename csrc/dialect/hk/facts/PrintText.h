//===- PrintText.h - Format strings with placeholders for values --------------------===//
//
//   "x: {f} of {d}"   ->   "x: %g of %d" for an f32 and an i32, "x: %g of %lld" if the second one is an i64
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_PRINTTEXT_H
#define HOCKET_DIALECT_HK_FACTS_PRINTTEXT_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <string>

namespace hocket::hk {

/// Escapes `text` so that it prints literally, without placeholders.
std::string escapePrintText(llvm::StringRef text);

/// The printf format of the prefix of a printed line: the indices of the block, the warp and the lane.
inline const std::string kPrintedPlace = "block (%u, %u, %u), warp %u, lane %u: ";
std::string printedElement(size_t rank);

/// Returns the printf format for `text` with values of these types, in order; nullopt if the placeholders do not match
/// the types.
std::optional<std::string> printfFormat(llvm::StringRef text, llvm::ArrayRef<mlir::Type> types);

} // namespace hocket::hk

#endif
