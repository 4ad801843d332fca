//===- TensorReductions.h - Applies a bulk reduction to the elements of a tensor ----===//
#ifndef HOCKET_EMULATOR_MACHINE_TENSORREDUCTIONS_H
#define HOCKET_EMULATOR_MACHINE_TENSORREDUCTIONS_H

#include "emulator_abi/HostAbi.h"
#include "runtime/TensorMap.h"

#include <cstddef>

namespace hocket::emulator {

/// Reduces the `bytes` bytes of elements at `from` into the elements at `to`. Concurrent calls of several blocks are
/// serialized.
void reduceElements(host_abi::TensorReduction reduction, TensorElement element, std::byte *to, const std::byte *from,
                    size_t bytes);

} // namespace hocket::emulator

#endif
