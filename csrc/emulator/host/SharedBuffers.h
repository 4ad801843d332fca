//===- SharedBuffers.h - Which buffers a byte of shared memory belongs to ----------------------------===//
//
// Buffers that are never in use together share memory, so there may be several.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_HOST_SHAREDBUFFERS_H
#define HOCKET_EMULATOR_HOST_SHAREDBUFFERS_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace hocket::emulator {

struct SharedBuffer {
  std::string name; ///< as the user reads it: "`a_smem`", "scratch of reduce in line 7"
  uint64_t offset = 0, bytes = 0;
  bool holdsMbarriers = false;
  /// Of mbarriers: where the kernel arrives there, and starts copies that do: "line 10 of worker `load`".
  std::vector<std::string> arrivals = {}, copies = {};

  bool contains(uint64_t place) const { return place >= offset && place - offset < bytes; }
};

/// Reads what AllocateShared left on `module`.
std::vector<SharedBuffer> readBuffers(mlir::ModuleOp module);

/// "`a_smem`", "`a_smem` or scratch of reduce in line 7", or "shared memory".
std::string nameOf(const std::vector<SharedBuffer> &buffers, uint64_t place);

} // namespace hocket::emulator

#endif
