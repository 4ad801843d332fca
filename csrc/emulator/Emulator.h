//===- Emulator.h - Runs kernels on the CPU, and checks what they do ---------------------===//
//
// EmulatedKernel::create turns a module in lane form, the same that a GPU's code is made from, into host code.
// launch runs it: each lane is a fiber, warps meet in shuffles and barriers as on the hardware, blocks are spread
// over threads, and every access is checked against the arrays that were passed. The first thing that goes wrong ends
// the launch with a Failure; a kernel cannot crash the process.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_EMULATOR_H
#define HOCKET_EMULATOR_EMULATOR_H

#include "conversion/gpu_to_host/GpuToHost.h"
#include "emulator/faults/Failure.h"
#include "mlir/IR/BuiltinOps.h"
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

struct ArrayDimension {
  int64_t size, strideBytes;
};

/// Memory a kernel may access through a pointer argument.
struct ArrayArgument {
  std::string name; ///< the kernel's parameter, for messages
  void *data = nullptr;
  size_t bytes = 0;
  bool writable = true;
  std::string dtype;      ///< NumPy's name: "float32", "bfloat16"; element numbers in messages count in it
  size_t bytesBefore = 0; ///< of the array, below `data`: a view may run backwards
  /// Of an array with gaps between its elements; empty for others.
  std::vector<ArrayDimension> dimensions = {};
};

/// The bits of an integer or float argument, in the low bytes.
struct ScalarArgument {
  uint64_t bits = 0;
};

/// A value wider than 64 bits, such as a tensor map. The kernel is given the address of a copy of its launch.
struct WideArgument {
  std::string bytes;
  /// What a tensor map (runtime/TensorMap.h) is of.
  std::optional<ArrayArgument> array = {};
};

using Argument = std::variant<ArrayArgument, ScalarArgument, WideArgument>;

/// The memory that an argument lets a kernel access; null for none.
const ArrayArgument *arrayOf(const Argument &argument);

using Grid = std::array<uint32_t, 3>;

/// When the data of an asynchronous copy arrive.
enum class Completion : uint8_t {
  Late,   ///< not before a wait asks for them
  Random, ///< somewhere between the copy and the wait, by the seed
  Now,    ///< with the copy
};

struct LaunchOptions {
  /// Order in which blocks begin, and in which their warps run: 0 is the natural one, any other number one of the
  /// others.
  uint64_t seed = 0;
  /// Threads that run blocks; 0 for all cores.
  unsigned threads = 0;
  /// Report accesses of the same memory that nothing orders.
  bool races = true;
  Completion completion = Completion::Late;
  /// Count bank conflicts of shared memory, for LaunchResult::bankCounts.
  bool countBanks = false;
  /// Blocks whose timeline is recorded, from 0 on; of a kernel that was created with timing. Their warps then run in
  /// the order of the virtual clock, whatever the seed.
  uint64_t recordedBlocks = 0;
  /// All blocks keep a virtual clock, of a kernel that was created with timing; what a kernel reads of it begins at
  /// `clockStart`.
  bool keepsTime = false;
  uint64_t clockStart = 0;
  /// Where the profiler's records of the launch go, as many bytes as it makes; null: nobody reads them.
  void *profile = nullptr;
  /// All blocks run side by side, so that any of them may wait for any other.
  bool cooperative = false;
  /// Asked now and then, on the calling thread; true ends the launch with FailureKind::Interrupted.
  std::function<bool()> shouldStop = {};
};

/// What all accesses of shared memory took that one place of the source makes in one width, in wavefronts (see
/// layout/SharedBanks.h).
struct BankCount {
  std::string file;
  int line = 0;
  bool isLoad = false;
  uint32_t bytes = 0;    ///< of one lane
  uint64_t accesses = 0; ///< instructions of warps
  uint64_t actual = 0, ideal = 0;
};

/// What a warp does in a slice of its time.
enum class SliceKind : uint8_t {
  Stage, ///< of a warp pipeline; the other slices lie in it
  Arithmetic,
  Matrix,
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  Atomic,
  Copy,
  Shuffle,
  Wait, ///< for results, accesses or copies
  Barrier,
  Product, ///< of a warpgroup, on the warp's matrix core: beside what the warp does
};

/// A piece of a warp's time on the virtual clock of its block: `begin` to `end`, in clocks of a model
/// (target/CostTable.h) that says nothing about the speed of any hardware.
struct TimelineSlice {
  uint64_t block = 0;
  uint32_t warp = 0;
  SliceKind kind = SliceKind::Stage;
  uint32_t count = 0; ///< operations
  std::string label;  ///< of a stage
  std::string file;
  int line = 0;
  uint64_t begin = 0, end = 0;
};

struct LaunchResult {
  std::optional<Failure> failure;
  /// Of a launch that succeeded and was asked to count.
  std::vector<BankCount> bankCounts = {};
  /// Of a launch that succeeded and was recorded: by block, warp and begin, stages before what lies in them.
  std::vector<TimelineSlice> timeline = {};
  /// What the kernel printed, whether it succeeded or not.
  std::string printed = {};
};

namespace emulator {
struct Program;
}

class EmulatedKernel {
public:
  /// Compiles `module` for the host; it is changed on the way. The error is one of ours: a kernel that the compiler
  /// accepted and the emulator does not know.
  static llvm::Expected<std::unique_ptr<EmulatedKernel>> create(mlir::ModuleOp module, HostCodeOptions options = {});
  ~EmulatedKernel();

  /// Runs the kernel to its end or its first failure. May be called from several threads at once.
  LaunchResult launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options = {}) const;

  const std::string &name() const;
  /// Number of arguments that `launch` takes: those that are not implicit.
  unsigned parameterCount() const;
  unsigned numWarps() const;
  /// By warp, of all blocks of a cluster: the worker of warp_specialize that it is, "load"; empty for the launch's own.
  std::vector<std::string> workers() const;

private:
  explicit EmulatedKernel(std::unique_ptr<emulator::Program> program);
  std::unique_ptr<emulator::Program> program;
};

} // namespace hocket

#endif
