//===- GlobalAddresses.h - Where an operation accesses global memory ---------------===//
#ifndef HOCKET_DIALECT_HK_GLOBALADDRESSES_H
#define HOCKET_DIALECT_HK_GLOBALADDRESSES_H

#include "mlir/IR/Value.h"

namespace hocket::hk {

/// Addresses of an access: pointers, or offsets in elements from one pointer.
struct GlobalAddresses {
  /// What offsets count from; null if `addresses` are pointers.
  mlir::Value base;
  mlir::Value addresses;
  /// Null where everything is accessed.
  mlir::Value mask;
  /// The scalar or tensor that is read or written.
  mlir::Type accessed;
};

} // namespace hocket::hk

#endif
