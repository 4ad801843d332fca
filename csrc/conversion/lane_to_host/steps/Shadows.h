//===- Shadows.h - Computes shadows: the undefined bits of values ----------------------===//
//
// The shadow of a value has a set bit for each of its undefined bits. The shadow of a number is an integer of the same
// width, and the shadow of a pointer has 64 bits. The shadow of a vector or struct is a vector or struct of shadows. A
// value without a shadow is completely defined.
//
// E. Stepanov, K. Serebryany, "MemorySanitizer: fast detector of uninitialized memory use in C++", CGO 2015.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_STEPS_SHADOWS_H

#include "conversion/lane_to_host/HostFunction.h"

namespace hocket {

class Shadows {
public:
  explicit Shadows(HostFunction &host) : host(host) {}

  static mlir::Type typeFor(mlir::Type type);

  /// Returns the shadow of `value`; null if the value is completely defined.
  mlir::Value find(mlir::Value value) const { return shadows.lookup(value); }
  /// Returns the shadow of `value`; zeros if the value is completely defined.
  mlir::Value of(mlir::Value value);
  void set(mlir::Value value, mlir::Value shadow) { shadows[value] = shadow; }

  mlir::Value zeros(mlir::Type shadowType);
  /// Returns a value of `shadowType` with all bits set if `isUndefined` is true, and zeros otherwise.
  mlir::Value spread(mlir::Value isUndefined, mlir::Type shadowType);
  /// Returns an i1 that is true if any bit of `shadow` is set.
  mlir::Value isAnySet(mlir::Value shadow);
  /// Returns an i1 that is true if any bit of the values is undefined; null if all values are completely defined.
  mlir::Value isAnyUndefined(mlir::ValueRange values);

  /// Emits the shadows of the results of `op`, which is arithmetic or a move of values, and has an operand with a
  /// shadow.
  void compute(mlir::Operation *op);

private:
  mlir::Value extended(mlir::Value isUndefined, mlir::Type shadowType);
  mlir::Value joined(mlir::ValueRange values, mlir::Type shadowType);
  mlir::Value elementwise(mlir::Operation *op, mlir::Type shadowType);
  mlir::Value upwards(mlir::Value shadow);
  mlir::Value ofOperation(mlir::Operation *op, mlir::Type shadowType);
  mlir::Value ofMove(mlir::Operation *op, mlir::Type shadowType);
  mlir::Value ofProduct(mlir::Operation *op);
  mlir::Value ofShift(mlir::Operation *op, mlir::Type shadowType);

  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return Op::create(host.builder, host.loc(), std::forward<Args>(args)...);
  }

  HostFunction &host;
  llvm::DenseMap<mlir::Value, mlir::Value> shadows;
};

} // namespace hocket

#endif
