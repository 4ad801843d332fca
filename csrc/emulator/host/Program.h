//===- Program.h - A kernel as host code, with what is known about it -------------------===//
#ifndef HOCKET_EMULATOR_HOST_PROGRAM_H
#define HOCKET_EMULATOR_HOST_PROGRAM_H

#include "conversion/gpu_to_host/HostAbi.h"
#include "conversion/gpu_to_host/TimedEvents.h"
#include "emulator/host/SharedBuffers.h"
#include "emulator/host/Workers.h"
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

/// A place in the user's source where something can fail, or lanes wait.
struct Site {
  host_abi::SiteKind kind;
  uint32_t bytes = 0; ///< width of an access
  uint32_t alignment = 0;
  int32_t argument = -1; ///< kernel parameter that is accessed, where it is known
  std::string message;   ///< of an assertion; the name of a barrier that the kernel allocates
  std::string from;      ///< the reads that an undefined value comes from
  std::string stage;     ///< of a warp pipeline; empty: in none, or in one without a label
  host_abi::AtomicOrder order = host_abi::AtomicOrder::Relaxed;
  uint32_t unusedCopies = 0; ///< of a read: bits of the numbers of lanes whose result nobody uses
  bool blockScope = false;   ///< an atomic access of the scope of its block
  bool fenced = false;       ///< an atomic access of a kernel with fences between blocks
  Diagnostic diagnostic;     ///< at this place, still without words

  bool ordersBlocks() const { return (order != host_abi::AtomicOrder::Relaxed || fenced) && !blockScope; }
};

using LaneEntry = void (*)(host_abi::LaneContext *lane, const uint64_t *arguments);

struct Program {
  Program();
  ~Program();

  std::string name;
  const TargetInfo *target = nullptr;
  unsigned numWarps = 0;       ///< of a cluster, which is one block where there are none
  unsigned numCtas = 1;        ///< blocks of a cluster
  unsigned parameterCount = 0; ///< without implicit arguments
  std::vector<ImplicitArgument> implicitArguments;
  size_t sharedBytes = 0;     ///< of all blocks of a cluster, one after the other
  size_t frameBytes = 0;      ///< stack of one lane, without what runtime calls need
  size_t sharedBytesUsed = 0; ///< of one block
  std::vector<Site> sites;
  std::vector<SharedBuffer> buffers;
  std::vector<Worker> workers;    ///< of warp_specialize
  std::vector<TimedEvent> events; ///< none without timing
  /// The variable that the profiler's records go to, in the host code; empty where launches hand over memory. It is
  /// zero unless a launch runs, of which there is one at a time.
  llvm::MutableArrayRef<std::byte> records;
  size_t recordBytes = 0; ///< of one block
  mutable std::mutex recordsInUse;
  bool tracksUndefined = false;
  std::unique_ptr<HostCode> code;
  LaneEntry entry = nullptr;

  unsigned warpSize() const { return unsigned(target->warpSize); }
  /// Threads of a cluster.
  unsigned blockSize() const { return numWarps * warpSize(); }
  unsigned warpsOfCta() const { return numWarps / numCtas; }
  unsigned threadsOfCta() const { return blockSize() / numCtas; }
  size_t sharedBytesOfCta() const { return sharedBytes / numCtas; }
};

} // namespace hocket::emulator

#endif
