//===- Completion.h - Ways in which a memory access completes ------------------------------===//
//
// An access completes in one of three ways:
//
//     with its operation     loads and stores
//     counter                at a wait on the counter that covers the access's group (AsyncCounter.h)
//     barrier phase          with a phase of a barrier in memory; visible to the threads that have waited for the phase
//
//     hk.async_copy_to_shared %p, %a              completes on a counter: hk.async_wait_group waits for it
//     hk_nv.tma_load %desc[%i], %b, %bar, %true   completes with the current phase of %bar
//     hk_nv.mbarrier_wait %bar, %phase            waits for the phase with that parity
//
// An operation with the interface AsyncArrival makes earlier accesses on a counter complete with a phase of a barrier,
// too, so that no wait on the counter is needed.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_COMPLETION_H
#define HOCKET_DIALECT_HK_FACTS_COMPLETION_H

#include "dialect/hk/facts/AsyncCounter.h"
#include "mlir/IR/Value.h"

#include <variant>

namespace hocket::hk {

/// A phase of a barrier in memory.
struct BarrierPhase {
  mlir::Value barrier; ///< handle of the barrier
  /// The number of the phase, of which only the parity is used; null for the phase that is current at the access.
  mlir::Value parity = {};
};

/// The way in which a memory access completes.
class Completion {
public:
  /// Completion of a synchronous access: the access completes with its operation.
  Completion() = default;
  Completion(AsyncCounter counter) : value(counter) {}
  Completion(BarrierPhase phase) : value(phase) {}

  /// True if the access is asynchronous: it continues after its operation.
  bool isAsync() const { return !std::holds_alternative<std::monostate>(value); }
  bool isOn(AsyncCounter counter) const { return getCounter() == counter; }
  std::optional<AsyncCounter> getCounter() const { return get<AsyncCounter>(); }
  std::optional<BarrierPhase> getPhase() const { return get<BarrierPhase>(); }

private:
  template <typename T>
  std::optional<T> get() const {
    const T *found = std::get_if<T>(&value);
    return found ? std::optional(*found) : std::nullopt;
  }

  std::variant<std::monostate, AsyncCounter, BarrierPhase> value;
};

} // namespace hocket::hk

#endif
