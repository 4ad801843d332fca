//===- Emulator.h - Runs kernels on the CPU and checks what they do ----------------------===//
//
// EmulatedKernel::create compiles a module to host code. The module is an output of conversion/lane_to_host, which
// converts lane form, the same IR from which GPU code is generated. EmulatedKernel::launch runs the code: each lane is
// a fiber, warps converge in shuffles and barriers as on the hardware, blocks are distributed over threads, and every
// access is checked against the arrays that were passed. The first fault ends the launch with a Failure; a kernel
// cannot crash the process.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_EMULATOR_H
#define HOCKET_EMULATOR_EMULATOR_H

#include "emulator/faults/Failure.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/HostArray.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hocket {

/// The bits of an integer or float argument, in the low bytes.
struct ScalarArgument {
  uint64_t bits = 0;
};

/// A value wider than 64 bits, such as a tensor map. The launch copies the value, and the kernel receives the address
/// of the copy.
struct WideArgument {
  std::string bytes;
  /// The array that a tensor map (runtime/TensorMap.h) describes.
  std::optional<ArrayArgument> array = {};
};

using Argument = std::variant<ArrayArgument, ScalarArgument, WideArgument>;

/// Returns the memory that an argument lets a kernel access; null if it is not a pointer.
const ArrayArgument *arrayOf(const Argument &argument);

using Grid = std::array<uint32_t, 3>;

/// The time at which the data of an asynchronous copy arrive.
enum class Completion : uint8_t {
  Late,   ///< only when a wait covers the copy
  Random, ///< at a random time between the copy and the wait, which the seed determines
  Now,    ///< at once, with the copy
};

struct LaunchOptions {
  /// Selects the order in which blocks start and in which their warps run. 0 selects the natural order, any other
  /// number a random order.
  uint64_t seed = 0;
  /// Number of threads that run blocks; 0 for all cores.
  unsigned threads = 0;
  /// Report accesses of the same memory that are not ordered by synchronization.
  bool races = true;
  Completion completion = Completion::Late;
  /// Count bank conflicts of shared memory, for LaunchResult::bankCounts.
  bool countBanks = false;
  /// Number of blocks, from block 0 on, whose timeline is recorded, if the kernel was created with timing. The warps of
  /// recorded blocks run in the order of the virtual clock, and `seed` does not affect them.
  uint64_t recordedBlocks = 0;
  /// All blocks keep a virtual clock, if the kernel was created with timing. The clock that a kernel reads starts at
  /// `clockStart`.
  bool keepsTime = false;
  uint64_t clockStart = 0;
  /// Destination of the profiler's records of the launch, with the size of the kernel's records; null discards the
  /// records.
  void *profile = nullptr;
  /// All blocks run concurrently, so that each block may wait for any other block.
  bool cooperative = false;
  /// Function that the launch calls periodically on the calling thread. If the function returns true, the launch ends
  /// with FailureKind::Interrupted.
  std::function<bool()> shouldStop = {};
};

/// Wavefronts (see layout/SharedBanks.h) of all accesses of shared memory at one source location with one access width.
struct BankCount {
  std::string file;
  int line = 0;
  bool isLoad = false;
  uint32_t bytes = 0;    ///< width of the access of one lane
  uint64_t accesses = 0; ///< number of warp instructions
  uint64_t actual = 0, ideal = 0;
};

/// The kinds of a warp's time slices.
enum class SliceKind : uint8_t {
  Stage, ///< stage of a warp pipeline; contains the other slices
  Arithmetic,
  Matrix,
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  Atomic,
  Copy,
  Shuffle,
  Wait, ///< waits for results, accesses or copies
  Barrier,
  Mma, ///< wgmma on the warp's tensor core, concurrent with the warp's other slices
};

/// A slice of a warp's time on the virtual clock of its block, from `begin` to `end`, in clocks of a model
/// (target/CostTable.h) that does not predict the speed of any hardware.
struct TimelineSlice {
  uint64_t block = 0;
  uint32_t warp = 0;
  SliceKind kind = SliceKind::Stage;
  uint32_t count = 0; ///< number of operations
  std::string label;  ///< label of a stage
  std::string file;
  int line = 0;
  uint64_t begin = 0, end = 0;
};

struct LaunchResult {
  std::optional<Failure> failure;
  /// Bank conflicts, if the launch succeeded and LaunchOptions::countBanks was set.
  std::vector<BankCount> bankCounts = {};
  /// Slices of the recorded blocks if the launch succeeded, ordered by block, warp and begin; a stage precedes the
  /// slices in it.
  std::vector<TimelineSlice> timeline = {};
  /// Lines that the kernel printed, even if the launch failed.
  std::string printed = {};
};

namespace emulator {
struct Program;
}

class EmulatedKernel {
public:
  /// Compiles `module`, an output of conversion/lane_to_host. Without `optimized`, compilation takes at most half the
  /// time, and the code runs slower. A returned error is an internal error of Hocket.
  static llvm::Expected<std::unique_ptr<EmulatedKernel>> create(mlir::ModuleOp module, bool optimized = true);
  ~EmulatedKernel();

  /// Runs the kernel to its end or its first failure. May be called from several threads at once.
  LaunchResult launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options = {}) const;

  const std::string &name() const;
  /// Number of arguments that `launch` takes. Implicit arguments do not count.
  unsigned parameterCount() const;
  unsigned numWarps() const;
  /// Names of the warp_specialize workers ("load") by warp of the cluster; empty for warps of the default partition.
  std::vector<std::string> workers() const;

private:
  explicit EmulatedKernel(std::unique_ptr<emulator::Program> program);
  std::unique_ptr<emulator::Program> program;
};

} // namespace hocket

#endif
