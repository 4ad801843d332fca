//===- EmulatedKernel.cpp - Compiles a kernel for the host, and launches it -------------------===//
#include "emulator/Emulator.h"

#include "codegen/LlvmErrors.h"
#include "dialect/hk/ImplicitArguments.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/prof/ProfDialect.h"
#include "emulator/faults/DescribeFault.h"
#include "emulator/host/HostCode.h"
#include "emulator/host/Program.h"
#include "emulator/host/Sites.h"
#include "emulator/launch/EmulatedLaunch.h"
#include "emulator/launch/ImplicitMemory.h"
#include "emulator/launch/RunBlocks.h"
#include "emulator/races/VectorClock.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "support/Steps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace hocket {

using emulator::BlockFault;
using emulator::EmulatedLaunch;
using emulator::Program;

EmulatedKernel::EmulatedKernel(std::unique_ptr<Program> program) : program(std::move(program)) {}
EmulatedKernel::~EmulatedKernel() = default;

const std::string &EmulatedKernel::name() const { return program->name; }
unsigned EmulatedKernel::parameterCount() const { return program->parameterCount; }
unsigned EmulatedKernel::numWarps() const { return program->warpsOfCta(); }

/// Buffers and workers are those of one block: the others of a cluster have as many.
static void repeatForBlocks(Program &program) {
  if (program.numCtas == 1)
    return;
  auto buffers = std::exchange(program.buffers, {});
  auto workers = std::exchange(program.workers, {});
  for (unsigned rank = 0; rank < program.numCtas; ++rank) {
    for (const emulator::SharedBuffer &buffer : buffers)
      program.buffers.push_back({buffer.name + " of block " + std::to_string(rank),
                                 buffer.offset + rank * program.sharedBytesOfCta(), buffer.bytes});
    for (const emulator::Worker &worker : workers)
      program.workers.push_back({worker.name, worker.firstWarp + rank * program.warpsOfCta(), worker.numWarps});
  }
}

/// Facts that the conversion to host code removes or needs.
static mlir::FailureOr<std::unique_ptr<Program>> readFacts(mlir::ModuleOp module) {
  if (failed(hk::requireFacts(module)))
    return mlir::failure();
  auto program = std::make_unique<Program>();
  program->target = &hk::targetOf(module);
  program->numCtas = unsigned(hk::numCtasOf(module));
  program->numWarps = program->numCtas * unsigned(hk::blockWarpsOf(module));
  if (program->numWarps > emulator::kMaxWarps)
    return module.emitError() << "the emulator runs clusters of at most " << emulator::kMaxWarps << " warps, but "
                              << program->numCtas << " blocks have " << program->numWarps;
  if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(hk::HkDialect::kSharedBytesAttr))
    program->sharedBytes = size_t(bytes.getInt());
  program->sharedBytesUsed = program->sharedBytes;
  if (program->numCtas > 1)
    program->sharedBytes = program->numCtas * host_abi::sharedStride(program->sharedBytes);
  program->buffers = emulator::readBuffers(module);
  program->workers = emulator::readWorkers(module);
  repeatForBlocks(*program);
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (!function.isExternal()) {
      program->name = function.getSymName().str();
      program->parameterCount = function.getNumArguments() - unsigned(hk::implicitArgumentsOf(function).size());
      for (auto [i, what] : llvm::enumerate(hk::implicitArgumentsOf(function))) {
        bool isProfile = bool(function.getArgAttr(program->parameterCount + i, prof::ProfDialect::kBufferAttr));
        program->implicitArguments.push_back({.kind = isProfile ? ImplicitKind::Profile : ImplicitKind::Scratch,
                                              .bytesPerLaunch = what.getBytesPerLaunch(),
                                              .bytesPerBlock = what.getBytesPerBlock()});
      }
    }
  return program;
}

llvm::Expected<std::unique_ptr<EmulatedKernel>> EmulatedKernel::create(mlir::ModuleOp module, HostCodeOptions options) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(messages);
    stream << (messages.empty() ? "" : "\n") << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  mlir::FailureOr<std::unique_ptr<Program>> program = readFacts(module);
  beginStep("host conversion");
  if (failed(program) || failed(convertGpuToHost(module, options)))
    return llvm::createStringError(messages);
  (*program)->tracksUndefined = options.undefined;
  (*program)->sites = emulator::readSites(module);
  (*program)->events = readTimedEvents(module);

  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, *context);
  if (!translated)
    return llvm::createStringError(messages);
  beginStep("host code");
  auto code = emulator::HostCode::compile(*translated);
  if (!code)
    return giveUpIfStopped(code.takeError(), translated, context);
  (*program)->code = std::move(*code);
  (*program)->entry = reinterpret_cast<emulator::LaneEntry>((*program)->code->entry());
  (*program)->frameBytes = (*program)->code->frameBytes();
  return std::unique_ptr<EmulatedKernel>(new EmulatedKernel(std::move(*program)));
}

LaunchResult EmulatedKernel::launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options) const {
  assert(arguments.size() == program->parameterCount && "one argument per parameter");
  emulator::ImplicitMemory memory(program->implicitArguments, grid, options.profile);
  llvm::SmallVector<Argument> all(arguments);
  memory.appendTo(all);
  EmulatedLaunch launch(*program, grid, all, options);
  if (launch.blockCount() == 0)
    return {};
  std::optional<BlockFault> fault = emulator::runBlocks(launch);
  LaunchResult result = {.failure = {}, .printed = launch.prints.take()};
  if (launch.stop)
    result.failure = describe(launch, BlockFault{.kind = FailureKind::Interrupted});
  else if (fault)
    result.failure = describe(launch, *fault);
  if (result.failure)
    return result;
  result.bankCounts = launch.bankTotals.read(*program);
  result.timeline = launch.timelines.take();
  return result;
}

} // namespace hocket
