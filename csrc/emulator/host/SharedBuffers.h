//===- SharedBuffers.h - Finds the buffers that a byte of shared memory belongs to -------------------===//
//
// Buffers that are never live at the same time share memory, so a byte may belong to several.
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
  std::string name; ///< name in messages: "`a_smem`", "scratch of reduce in line 7"
  uint64_t offset = 0, bytes = 0;
  bool holdsMbarriers = false;
  /// For an mbarrier: the operations that arrive at it, and those that start copies which complete on it, e.g. "line 10
  /// of worker `load`".
  std::vector<std::string> arrivals = {}, copies = {};

  bool contains(uint64_t place) const { return place >= offset && place - offset < bytes; }
};

/// Reads the buffers that AllocateMemory recorded on `module`.
std::vector<SharedBuffer> readBuffers(mlir::ModuleOp module);

/// Returns "`a_smem`", "`a_smem` or scratch of reduce in line 7", or "shared memory".
std::string nameOf(const std::vector<SharedBuffer> &buffers, uint64_t place);

} // namespace hocket::emulator

#endif
