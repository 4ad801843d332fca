//===- AddressSpaces.h - Numbers of the address spaces of lane form ----------------===//
#ifndef HOCKET_DIALECT_LANE_ADDRESSSPACES_H
#define HOCKET_DIALECT_LANE_ADDRESSSPACES_H

namespace hocket {

/// NVPTX and AMDGPU use the same numbers for these two.
inline constexpr unsigned kGlobalAddressSpace = 1, kSharedAddressSpace = 3;
/// The shared memory of all blocks of a cluster, including the block's own (NVIDIA).
inline constexpr unsigned kClusterAddressSpace = 7;
/// Buffer descriptors (AMD).
inline constexpr unsigned kBufferAddressSpace = 8;

} // namespace hocket

#endif
