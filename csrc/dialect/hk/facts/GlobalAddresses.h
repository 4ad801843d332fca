//===- GlobalAddresses.h - Addresses of global memory accesses ---------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_GLOBALADDRESSES_H
#define HOCKET_DIALECT_HK_FACTS_GLOBALADDRESSES_H

#include "mlir/IR/Value.h"

namespace hocket::hk {

/// The addresses of an access: pointers, or one pointer and offsets in elements.
struct GlobalAddresses {
  /// The pointer to which `addresses` are offsets; null if `addresses` are pointers.
  mlir::Value base;
  mlir::Value addresses;
  /// Mask of the accessed elements; null if all elements are accessed.
  mlir::Value mask;
  /// Type of the scalar or tensor that is read or written.
  mlir::Type accessed;
};

} // namespace hocket::hk

#endif
