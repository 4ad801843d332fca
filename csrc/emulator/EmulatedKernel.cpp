//===- EmulatedKernel.cpp - Compiles a kernel for the host and spreads its blocks over threads ---===//
#include "emulator/Emulator.h"

#include "conversion/gpu_to_host/GpuToHost.h"
#include "emulator/BlockRunner.h"
#include "emulator/HostCode.h"
#include "emulator/Launch.h"
#include "emulator/Program.h"
#include "emulator/Sites.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace hocket {

using emulator::BlockFault;
using emulator::BlockRunner;
using emulator::Launch;
using emulator::Program;

EmulatedKernel::EmulatedKernel(std::unique_ptr<Program> program) : program(std::move(program)) {}
EmulatedKernel::~EmulatedKernel() = default;

const std::string &EmulatedKernel::name() const { return program->name; }
unsigned EmulatedKernel::parameterCount() const { return program->parameterCount; }
unsigned EmulatedKernel::numWarps() const { return program->numWarps; }

/// Facts that the conversion to host code removes or needs.
static llvm::Expected<std::unique_ptr<Program>> readFacts(mlir::ModuleOp module) {
  auto program = std::make_unique<Program>();
  if (auto target = module->getAttrOfType<mlir::StringAttr>("hk.target"))
    program->target = findTarget(target.getValue());
  if (auto warps = module->getAttrOfType<mlir::IntegerAttr>("hk.num_warps"))
    program->numWarps = unsigned(warps.getInt());
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>("hk.shared_bytes"))
    program->sharedBytes = size_t(bytes.getInt());
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal()) {
      program->name = function.getSymName().str();
      program->parameterCount = function.getNumArguments();
    }
  if (!program->target)
    return llvm::createStringError("hk.target is missing or unknown");
  if (program->numWarps == 0 || program->numWarps > emulator::kMaxWarps)
    return llvm::createStringError("hk.num_warps is missing or out of range");
  return program;
}

llvm::Expected<std::unique_ptr<EmulatedKernel>> EmulatedKernel::create(mlir::ModuleOp module) {
  llvm::Expected<std::unique_ptr<Program>> program = readFacts(module);
  if (!program)
    return program.takeError();

  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(messages);
    stream << (messages.empty() ? "" : "\n") << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  if (failed(convertGpuToHost(module)))
    return llvm::createStringError(messages);
  (*program)->sites = emulator::readSites(module);

  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context);
  if (!translated)
    return llvm::createStringError(messages);
  auto code = emulator::HostCode::compile(*translated);
  if (!code)
    return code.takeError();
  (*program)->code = std::move(*code);
  (*program)->entry = reinterpret_cast<emulator::LaneEntry>((*program)->code->entry());
  (*program)->frameBytes = (*program)->code->frameBytes();
  return std::unique_ptr<EmulatedKernel>(new EmulatedKernel(std::move(*program)));
}

namespace {

/// Hands out blocks in ascending order, and keeps the failure of the lowest one.
class BlockQueue {
public:
  explicit BlockQueue(uint64_t count) : count(count) {}

  /// The next block, or nothing once all are taken or one before it has failed.
  std::optional<uint64_t> take() {
    uint64_t block = next.fetch_add(1, std::memory_order_relaxed);
    if (block >= count || block > lowestFailed.load(std::memory_order_relaxed))
      return std::nullopt;
    return block;
  }

  void report(BlockFault fault) {
    std::lock_guard lock(mutex);
    if (first && first->block < fault.block)
      return;
    lowestFailed.store(fault.block, std::memory_order_relaxed);
    first = std::move(fault);
  }

  const std::optional<BlockFault> &firstFault() const { return first; }

private:
  const uint64_t count;
  std::atomic<uint64_t> next = 0;
  std::atomic<uint64_t> lowestFailed = ~uint64_t(0);
  std::mutex mutex;
  std::optional<BlockFault> first;
};

} // namespace

static void runBlocks(Launch &launch, BlockQueue &queue, BlockRunner &runner, bool polls) {
  runner.attach(launch);
  while (std::optional<uint64_t> block = queue.take()) {
    if (launch.stop.load(std::memory_order_relaxed))
      return;
    if (std::optional<BlockFault> fault = runner.run(launch, *block, polls))
      queue.report(std::move(*fault));
  }
}

/// Runs blocks on this thread and `others` more; returns when all have ended.
static void runOnThreads(Launch &launch, BlockQueue &queue, uint64_t others) {
  const Program &program = launch.program;
  std::mutex mutex;
  std::condition_variable ended;
  uint64_t running = others;
  std::vector<std::jthread> threads;
  for (uint64_t i = 0; i < others; ++i)
    threads.emplace_back([&] {
      std::unique_ptr<BlockRunner> runner = program.runners.take(program);
      runBlocks(launch, queue, *runner, /*polls=*/false);
      program.runners.give(std::move(runner));
      std::lock_guard lock(mutex);
      --running;
      ended.notify_one();
    });
  std::unique_ptr<BlockRunner> runner = program.runners.take(program);
  runBlocks(launch, queue, *runner, /*polls=*/true);
  program.runners.give(std::move(runner));
  // The calling thread alone can be asked to stop, so it stays awake until the others are done.
  std::unique_lock lock(mutex);
  while (running) {
    ended.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    launch.poll();
    lock.lock();
  }
}

LaunchResult EmulatedKernel::launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options) const {
  assert(arguments.size() == program->parameterCount && "one argument per parameter");
  Launch launch(*program, grid, arguments, options);
  if (launch.blockCount() == 0)
    return {};
  uint64_t threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  BlockQueue queue(launch.blockCount());
  runOnThreads(launch, queue, std::min(threads, launch.blockCount()) - 1);
  if (launch.stop)
    return {describe(launch, BlockFault{.kind = FailureKind::Interrupted})};
  if (queue.firstFault())
    return {describe(launch, *queue.firstFault())};
  return {};
}

} // namespace hocket
