//===- PrintText.h - Text with places for values ------------------------------------===//
//
//   "x: {f} of {d}"   ->   "x: %g of %d" for an f32 and an i32, "x: %g of %lld" where the second one is an i64
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_PRINTTEXT_H
#define HOCKET_DIALECT_HK_PRINTTEXT_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <string>

namespace hocket::hk {

/// `text` as it stands, with nothing in it taken for a place.
std::string escapePrintText(llvm::StringRef text);

/// How a printed line begins: printf's format for five 32-bit numbers, and for the coordinates of the element.
inline const std::string kPrintedPlace = "block (%u, %u, %u), warp %u, lane %u: ";
std::string printedElement(size_t rank);

/// What C's printf makes of the values, in order, with `text` around them; nothing where the places are not those of
/// values of these types.
std::optional<std::string> printfFormat(llvm::StringRef text, llvm::ArrayRef<mlir::Type> types);

} // namespace hocket::hk

#endif
