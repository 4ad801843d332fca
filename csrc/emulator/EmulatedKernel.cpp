//===- EmulatedKernel.cpp - Compiles a kernel for the host and launches it --------------------===//
#include "dialect/hk/facts/Facts.h"
#include "emulator/Emulator.h"

#include "codegen/llvm/LlvmErrors.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/prof/ProfDialect.h"
#include "emulator/faults/DescribeFault.h"
#include "emulator/host/HostCode.h"
#include "emulator/host/Program.h"
#include "emulator/host/ProgramTables.h"
#include "emulator/races/VectorClock.h"
#include "emulator/run/EmulatedLaunch.h"
#include "emulator/run/ImplicitMemory.h"
#include "emulator/run/RunBlocks.h"
#include "emulator_abi/FormerKernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "support/Steps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cstring>

namespace hocket {

using emulator::BlockFault;
using emulator::EmulatedLaunch;
using emulator::Program;

EmulatedKernel::EmulatedKernel(std::unique_ptr<Program> program) : program(std::move(program)) {}
EmulatedKernel::~EmulatedKernel() = default;

const std::string &EmulatedKernel::name() const { return program->name; }
unsigned EmulatedKernel::parameterCount() const { return program->parameterCount; }
unsigned EmulatedKernel::numWarps() const { return program->warpsOfCta(); }

std::vector<std::string> EmulatedKernel::workers() const {
  std::vector<std::string> names;
  for (unsigned warp = 0; warp < program->numWarps; ++warp) {
    std::string quoted = emulator::workerOf(program->workers, warp);
    std::erase(quoted, '`');
    names.push_back(std::move(quoted));
  }
  return names;
}

/// Extends the tables of buffers and workers, which describe one block, to all blocks of the cluster.
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

static void readKernel(mlir::ModuleOp module, Program &program) {
  const FormerKernel kernel = getFormerKernel(module);
  program.name = kernel.name.str();
  program.tracksUndefined = kernel.tracksUndefined;
  for (auto parameter : kernel.parameters.getAsRange<mlir::DictionaryAttr>()) {
    auto what = parameter.getAs<hk::ImplicitAttr>(hk::kImplicitAttr.getName());
    if (!what) {
      ++program.parameterCount;
      continue;
    }
    bool isProfile = parameter.contains(prof::kBufferAttr.getName());
    program.implicitArguments.push_back({.kind = isProfile ? ImplicitKind::Profile : ImplicitKind::Scratch,
                                         .bytesPerLaunch = what.getBytesPerLaunch(),
                                         .bytesPerBlock = what.getBytesPerBlock()});
  }
}

/// Creates a Program from the attributes of the module. The returned Program has no code yet.
static mlir::FailureOr<std::unique_ptr<Program>> readFacts(mlir::ModuleOp module) {
  if (failed(hk::requireFacts(module)))
    return mlir::failure();
  auto program = std::make_unique<Program>();
  program->target = &hk::targetOf(module);
  program->numCtas = unsigned(hk::numCtasOf(module));
  program->numWarps = program->numCtas * unsigned(hk::blockWarpsOf(module));
  if (std::optional<int64_t> bytes = hk::kSharedBytesAttr.get(module))
    program->sharedBytes = size_t(*bytes);
  program->sharedBytesUsed = program->sharedBytes;
  if (program->numCtas > 1)
    program->sharedBytes = program->numCtas * host_abi::sharedStride(program->sharedBytes);
  program->recordBytes = size_t(prof::kBlockBytesAttr.get(module).value_or(0));
  program->buffers = emulator::readBuffers(module);
  program->workers = emulator::readWorkers(module);
  repeatForBlocks(*program);
  readKernel(module, *program);
  program->sites = emulator::readSites(module);
  program->events = readTimedEvents(module);
  return program;
}

/// Sets `program.records` to the memory of `variable`, the variable of the host code that collects the profiler's
/// records.
static llvm::Error findRecords(Program &program, const std::string &variable, size_t bytes) {
  auto place = program.code->find(variable);
  if (!place)
    return place.takeError();
  program.records = {*place, bytes};
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<EmulatedKernel>> EmulatedKernel::create(mlir::ModuleOp module, bool optimized) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(messages);
    stream << (messages.empty() ? "" : "\n") << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  mlir::FailureOr<std::unique_ptr<Program>> program = readFacts(module);
  if (failed(program))
    return llvm::createStringError(messages);
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, *context);
  if (!translated)
    return llvm::createStringError(messages);
  std::string recordsVariable = prof::kVariableAttr.get(module).str();
  const llvm::GlobalVariable *records = translated->getGlobalVariable(recordsVariable);
  const size_t recordsBytes = records ? records->getValueType()->getArrayNumElements() : 0;
  beginStep("host code");
  auto code = emulator::HostCode::compile(*translated, optimized);
  if (!code)
    return giveUpIfStopped(code.takeError(), translated, context);
  (*program)->code = std::move(*code);
  (*program)->entry = reinterpret_cast<emulator::LaneEntry>((*program)->code->entry());
  (*program)->frameBytes = (*program)->code->frameBytes();
  if (recordsBytes)
    if (llvm::Error error = findRecords(**program, recordsVariable, recordsBytes))
      return std::move(error);
  return std::unique_ptr<EmulatedKernel>(new EmulatedKernel(std::move(*program)));
}

namespace {
/// The module's global variable in which the kernel stores the profiler's records. A lock serializes the launches that
/// use the variable. Each launch sets the variable to zero when the launch ends.
class RecordsVariable {
public:
  RecordsVariable(const Program &program, void *to)
      : records(program.records), bytesOfBlock(program.recordBytes), to(to) {
    if (!records.empty())
      inUse = std::unique_lock(program.recordsInUse);
  }
  ~RecordsVariable() {
    if (!records.empty())
      std::ranges::fill(records, std::byte{0});
  }
  /// Appends the variable to `arguments` as an array, so that the bounds check accepts accesses of the variable.
  void appendTo(llvm::SmallVectorImpl<Argument> &arguments) const {
    if (!records.empty())
      arguments.push_back(ArrayArgument{
          .name = "records of the profiler", .data = records.data(), .bytes = records.size(), .dtype = "uint8"});
  }
  /// Copies the records of `blocks` blocks to the destination of the launch. Must be called after the launch has ended.
  void copyOut(uint64_t blocks) const {
    if (to && !records.empty())
      std::memcpy(to, records.data(), std::min(records.size(), bytesOfBlock * blocks));
  }

private:
  llvm::MutableArrayRef<std::byte> records;
  size_t bytesOfBlock;
  void *to;
  std::unique_lock<std::mutex> inUse;
};
} // namespace

LaunchResult EmulatedKernel::launch(Grid grid, llvm::ArrayRef<Argument> arguments, const LaunchOptions &options) const {
  assert(arguments.size() == program->parameterCount && "one argument per parameter");
  emulator::ImplicitMemory memory(program->implicitArguments, grid, options.profile);
  llvm::SmallVector<Argument> all(arguments);
  memory.appendTo(all);
  RecordsVariable records(*program, options.profile);
  records.appendTo(all);
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
  records.copyOut(launch.blockCount());
  result.bankCounts = launch.bankTotals.read(*program);
  result.timeline = launch.timelines.take();
  return result;
}

} // namespace hocket
