//===- Program.h - A kernel compiled to host code, with its metadata --------------------===//
#ifndef HOCKET_EMULATOR_HOST_PROGRAM_H
#define HOCKET_EMULATOR_HOST_PROGRAM_H

#include "emulator_abi/HostAbi.h"
#include "emulator_abi/TimedEvents.h"
#include "runtime/KernelFacts.h"
#include "support/CompileError.h"
#include "target/TargetInfo.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace hocket::emulator {

class HostCode;

/// A location in the user's source code at which an operation can fail or lanes can wait.
struct Site {
  host_abi::SiteKind kind;
  uint32_t bytes = 0; ///< width of the access in bytes
  uint32_t alignment = 0;
  int32_t argument = -1; ///< index of the accessed kernel parameter; -1 if it is not known
  std::string message;   ///< message of an assertion; format of a print; name of a barrier that the kernel allocates
  std::string from;      ///< for an undefined value: description of the reads from which the value originates
  std::string stage;     ///< label of a warp pipeline's stage; empty if there is none
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed;
  uint32_t unusedCopies = 0; ///< for reads: threads whose index has one of these bits set do not use the value
  bool blockScope = false;   ///< true for an atomic access of block scope
  bool isStore = false;      ///< true for an atomic access that only stores
  bool fenced = false;       ///< true for an atomic access in a kernel with fences between blocks
  Diagnostic diagnostic;     ///< source location, without a message

  bool ordersBlocks() const { return (order != host_abi::AtomicOrder::Relaxed || fenced) && !blockScope; }
};

/// A buffer in shared memory. Buffers that are never live at the same time may share memory, so a byte may belong to
/// several buffers.
struct SharedBuffer {
  std::string name; ///< name in messages: "`a_smem`", "scratch of reduce in line 7"
  uint64_t offset = 0, bytes = 0;
  bool holdsMbarriers = false;
  /// For a buffer of mbarriers: descriptions of the operations that arrive at the mbarriers, and of the copies that
  /// complete on the mbarriers, e.g. "line 10 of worker `load`".
  std::vector<std::string> arrivals = {}, copies = {};

  bool contains(uint64_t byte) const { return byte >= offset && byte - offset < bytes; }
};

/// Returns the names of the buffers to which `byte` belongs: "`a_smem`", "`a_smem` or scratch of reduce in line 7", or
/// "shared memory".
std::string nameOf(const std::vector<SharedBuffer> &buffers, uint64_t byte);

/// A worker of warp_specialize, and its warps.
struct Worker {
  std::string name; ///< name of the user's function that the worker executes
  uint32_t firstWarp, numWarps;
};

/// Returns the names of the workers to which `warp` belongs: "`load`", "`load` or `store`"; empty for a warp of the
/// default partition.
std::string workerOf(const std::vector<Worker> &workers, uint32_t warp);

using LaneEntry = void (*)(host_abi::LaneContext *lane, const uint64_t *arguments);

struct Program {
  Program();
  ~Program();

  std::string name;
  const TargetInfo *target = nullptr;
  unsigned numWarps = 0;       ///< number of warps of a cluster; without clusters, of a block
  unsigned numCtas = 1;        ///< number of blocks of a cluster; 1 without clusters
  unsigned parameterCount = 0; ///< number of kernel parameters, without implicit arguments
  std::vector<ImplicitArgument> implicitArguments;
  size_t sharedBytes = 0;     ///< bytes of shared memory of all blocks of a cluster
  size_t frameBytes = 0;      ///< bytes of stack that one lane needs, apart from runtime calls
  size_t sharedBytesUsed = 0; ///< bytes of shared memory that one block uses
  std::vector<Site> sites;
  std::vector<SharedBuffer> buffers;
  std::vector<Worker> workers;    ///< workers of warp_specialize
  std::vector<TimedEvent> events; ///< timed operations; empty if compiled without timing
  /// The variable of the host code into which a launch writes the profiler's records; empty if the kernel has no such
  /// variable. The variable is zero except during a launch. Launches that use the variable are serialized.
  llvm::MutableArrayRef<std::byte> records;
  size_t recordBytes = 0; ///< size of the profiler's records of one block
  mutable std::mutex recordsInUse;
  bool tracksUndefined = false;
  std::unique_ptr<HostCode> code;
  LaneEntry entry = nullptr;

  unsigned warpSize() const { return unsigned(target->warpSize); }
  /// Number of threads of a cluster.
  unsigned blockSize() const { return numWarps * warpSize(); }
  unsigned warpsOfCta() const { return numWarps / numCtas; }
  unsigned threadsOfCta() const { return blockSize() / numCtas; }
  size_t sharedBytesOfCta() const { return sharedBytes / numCtas; }
};

} // namespace hocket::emulator

#endif
