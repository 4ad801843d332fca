//===- AddressSpaces.h - Numbers of the address spaces of lane form ----------------===//
#ifndef HOCKET_DIALECT_LANE_ADDRESSSPACES_H
#define HOCKET_DIALECT_LANE_ADDRESSSPACES_H

namespace hocket {

/// Address spaces of global and of shared memory, which have the same numbers on NVPTX and AMDGPU.
inline constexpr unsigned kGlobalAddressSpace = 1, kSharedAddressSpace = 3;
/// Address space of the shared memory of all blocks of a cluster, including the block's own (NVIDIA).
inline constexpr unsigned kClusterAddressSpace = 7;
/// Address space of buffer descriptors (AMD).
inline constexpr unsigned kBufferAddressSpace = 8;

} // namespace hocket

#endif
