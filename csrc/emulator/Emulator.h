//===- Emulator.h - Runs kernels on the CPU and detects races and faults ----------------------===//
//
// EmulatedKernel::create compiles a module to host code. The module is the output of conversion/lane_to_host. The input
// of lane_to_host is IR of the `lane` dialect, from which GPU code is also generated. EmulatedKernel::launch runs the
// host code. Each lane of a warp is a fiber. Lanes and warps converge at shuffles and barriers, as on the hardware.
// Blocks are distributed over host threads. Each access of global memory is checked against the bounds of the arrays
// that are passed to the kernel. The first fault ends the launch with a Failure. A fault of the kernel does not crash
// the process.
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

/// Bits of an integer or float argument, in the low bytes of a 64-bit word.
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

/// Returns the array that `argument` points to or, for a tensor map, describes. Returns null if there is no array.
const ArrayArgument *arrayOf(const Argument &argument);

using Grid = std::array<uint32_t, 3>;

/// The time at which the emulator lets an asynchronous copy write its destination.
enum class Completion : uint8_t {
  Late,   ///< when the kernel waits for the copy
  Random, ///< at a random time between the start of the copy and its wait; the seed determines the time
  Now,    ///< as soon as the copy starts
};

struct LaunchOptions {
  /// Seed of the order in which blocks start and in which warps run. With seed 0, blocks start and warps run in
  /// ascending order. Any other seed permutes both orders.
  uint64_t seed = 0;
  /// Number of host threads that run blocks; 0 selects one thread for each usable core.
  unsigned threads = 0;
  /// Enables the race detector, which reports conflicting accesses that no synchronization orders.
  bool races = true;
  Completion completion = Completion::Late;
  /// Enables LaunchResult::bankCounts, which counts bank conflicts of shared memory.
  bool countBanks = false;
  /// Number of blocks whose timelines are recorded, starting with block 0. Recording requires a kernel that
  /// lane_to_host converted with its option `timing`. Warps of recorded blocks run in the order of their virtual
  /// clocks, with any `seed`.
  uint64_t recordedBlocks = 0;
  /// Enables the virtual clocks of all blocks. Virtual clocks require a kernel that lane_to_host converted with its
  /// option `timing`. Clocks that the kernel reads start at `clockStart`.
  bool keepsTime = false;
  uint64_t clockStart = 0;
  /// Memory to which the launch writes the profiler's records; null discards the records.
  void *profile = nullptr;
  /// True for a cooperative launch: all blocks run concurrently, so that each block may wait for any other block.
  bool cooperative = false;
  /// Function that the launch calls periodically on the calling thread. If the function returns true, the launch ends
  /// with FailureKind::Interrupted.
  std::function<bool()> shouldStop = {};
};

/// Wavefronts (layout/SharedBanks.h) of the accesses of shared memory at one source location with one access width.
struct BankCount {
  std::string file;
  int line = 0;
  bool isLoad = false;
  uint32_t bytes = 0;    ///< width of the access of one lane
  uint64_t accesses = 0; ///< number of accesses, each by all lanes of a warp
  uint64_t actual = 0, ideal = 0;
};

/// Kind of a slice of a warp's timeline.
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
  Wait, ///< the warp waits for results, accesses or copies
  Barrier,
  Mma, ///< wgmma on the warp's tensor core, concurrent with the warp's other slices
};

/// A slice of a warp's timeline, from `begin` to `end` on the virtual clock of the warp's block. Times are clocks of
/// the cost model in target/CostTable.h, which does not predict the speed of any hardware.
struct TimelineSlice {
  uint64_t block = 0;
  uint32_t warp = 0;
  SliceKind kind = SliceKind::Stage;
  uint32_t count = 0; ///< number of operations that the slice combines
  std::string label;  ///< label of the stage, if `kind` is Stage
  std::string file;
  int line = 0;
  uint64_t begin = 0, end = 0;
};

struct LaunchResult {
  std::optional<Failure> failure;
  /// Counts of bank conflicts; empty if the launch failed or LaunchOptions::countBanks was not set.
  std::vector<BankCount> bankCounts = {};
  /// Timeline slices of the recorded blocks, ordered by block, warp and begin; empty if the launch failed. The slice of
  /// a stage precedes the slices within the stage.
  std::vector<TimelineSlice> timeline = {};
  /// Lines that the kernel printed. A failed launch also returns the printed lines.
  std::string printed = {};
};

namespace emulator {
struct Program;
}

class EmulatedKernel {
public:
  /// Compiles `module`, the output of conversion/lane_to_host. Code without LLVM's optimizations (`optimized` = false)
  /// compiles faster and runs slower. A returned error is an internal error of Hocket.
  static llvm::Expected<std::unique_ptr<EmulatedKernel>> create(mlir::ModuleOp module, bool optimized = true);
  ~EmulatedKernel();

  /// Runs the kernel to its end or its first failure. May be called from several threads at once.
  LaunchResult launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options = {}) const;

  const std::string &name() const;
  /// Number of arguments that `launch` takes, without implicit arguments.
  unsigned parameterCount() const;
  unsigned numWarps() const;
  /// Names of the warp_specialize workers, e.g. "load", indexed by warp of the cluster. The name is empty for a warp of
  /// the default partition.
  std::vector<std::string> workers() const;

private:
  explicit EmulatedKernel(std::unique_ptr<emulator::Program> program);
  std::unique_ptr<emulator::Program> program;
};

} // namespace hocket

#endif
