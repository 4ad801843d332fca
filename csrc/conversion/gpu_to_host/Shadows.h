//===- Shadows.h - Which bits of a value are undefined ---------------------------------===//
//
// The shadow of a value has a bit for each of its bits, set where that one is undefined: the integer of its width for a
// number, 64 bits for a pointer, vectors and structs of these for vectors and structs. A value without a shadow is
// defined.
//
// E. Stepanov, K. Serebryany, "MemorySanitizer: fast detector of uninitialized memory use in C++", CGO 2015.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_GPU_TO_HOST_SHADOWS_H
#define HOCKET_CONVERSION_GPU_TO_HOST_SHADOWS_H

#include "conversion/gpu_to_host/HostFunction.h"

namespace hocket {

class Shadows {
public:
  explicit Shadows(HostFunction &host) : host(host) {}

  static mlir::Type typeFor(mlir::Type type);

  /// The shadow of `value`, null where it is defined.
  mlir::Value find(mlir::Value value) const { return shadows.lookup(value); }
  /// The same with zeros where it is defined.
  mlir::Value of(mlir::Value value);
  void set(mlir::Value value, mlir::Value shadow) { shadows[value] = shadow; }

  mlir::Value zeros(mlir::Type shadowType);
  /// All bits of `shadowType` where `isUndefined`, none elsewhere.
  mlir::Value spread(mlir::Value isUndefined, mlir::Type shadowType);
  /// i1: is a bit of `shadow` set?
  mlir::Value isAnySet(mlir::Value shadow);
  /// i1: is a bit of any of the values undefined? Null where none can be.
  mlir::Value isAnyUndefined(mlir::ValueRange values);

  /// Emits the shadow of the results of `op`, arithmetic or a move of values, of which an operand has a shadow.
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
