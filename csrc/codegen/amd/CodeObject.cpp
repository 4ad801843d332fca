//===- CodeObject.cpp - Assembles and links AMD ISA text into a code object -------===//
//
// LLVM's assembler creates the relocatable object in memory. lld, which is linked into this library, creates the shared
// object that hipModuleLoadData loads.
//
//===------------------------------------------------------------------------------===//
#include "codegen/Codegen.h"
#include "codegen/TemporaryFolder.h"
#include "codegen/llvm/TargetMachines.h"
#include "lld/Common/Driver.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace hocket {

/// Assembles `isa` into a relocatable ELF object.
static Expected<SmallString<0>> assemble(StringRef isa, const TargetMachine &machine) {
  const Target &target = machine.getTarget();
  const Triple &triple = machine.getTargetTriple();

  std::string log;
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(isa, "kernel.s"), SMLoc());
  sources.setDiagHandler(
      [](const SMDiagnostic &diagnostic, void *log) {
        raw_string_ostream stream(*static_cast<std::string *>(log));
        diagnostic.print(nullptr, stream, /*ShowColors=*/false);
      },
      &log);

  MCTargetOptions mcOptions;
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target.createMCSubtargetInfo(triple, machine.getTargetCPU(), machine.getTargetFeatureString()));
  MCContext context(triple, machine.getMCAsmInfo(), machine.getMCRegisterInfo(), subtarget.get(), &sources, &mcOptions);
  std::unique_ptr<MCObjectFileInfo> fileInfo(target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(fileInfo.get());

  SmallString<0> object;
  raw_svector_ostream stream(object);
  std::unique_ptr<MCAsmBackend> backend(target.createMCAsmBackend(*subtarget, *machine.getMCRegisterInfo(), mcOptions));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<MCCodeEmitter> emitter(target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  std::unique_ptr<MCStreamer> streamer(target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      target.createMCAsmParser(*subtarget, *parser, *machine.getMCInstrInfo(), mcOptions));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false))
    return createStringError("the AMD assembler refused the kernel:\n" + log);
  return object;
}

/// Links one relocatable object with lld. lld reads and writes files, and keeps its state in globals, so calls are
/// serialized.
static Expected<std::string> link(StringRef object) {
  auto folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  if (Error error = folder->write("kernel.o", object))
    return error;
  std::string input = folder->pathOf("kernel.o"), output = folder->pathOf("kernel.hsaco");

  static std::mutex mutex;
  static bool usable = true;
  std::string log;
  raw_string_ostream stream(log);
  const char *arguments[] = {"ld.lld", "-shared", "--threads=1", input.c_str(), "-o", output.c_str()};
  {
    std::lock_guard lock(mutex);
    if (!usable)
      return createStringError("lld crashed earlier in this process and cannot be used again");
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    usable = result.canRunAgain;
    if (result.retCode != 0)
      return createStringError("lld could not link the kernel:\n" + log);
  }
  return folder->read("kernel.hsaco");
}

Expected<std::string> emitCodeObject(StringRef isa, const CodegenOptions &options) {
  auto machine = getTargetMachine(options);
  if (!machine)
    return machine.takeError();
  auto object = assemble(isa, **machine);
  if (!object)
    return object.takeError();
  return link(*object);
}

} // namespace hocket
