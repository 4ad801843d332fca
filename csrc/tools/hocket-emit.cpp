//===- hocket-emit.cpp - Compiles a kernel given as hk text, like the library -------------===//
//
// Usage: hocket-emit FILE [ARTIFACT]     FILE: one hk module, `-` for the standard input
//
// ARTIFACT is hk, lane, llvm, ptx or amdgcn (default: the assembly of the module's target). Tests use hocket-emit to
// check emitted instructions without the front end.
//
//===----------------------------------------------------------------------------------------===//
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Parser/Parser.h"
#include "pipeline/Backend.h"
#include "pipeline/Compile.h"
#include "support/CompileError.h"
#include "tools/ReadIr.h"
#include "llvm/Support/SourceMgr.h"

using namespace hocket;

static int emit(const char *file, std::string_view wanted) {
  std::unique_ptr<llvm::MemoryBuffer> text = openIr(file);
  if (!text)
    return 1;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  auto context = makeContext();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  if (!module || failed(hk::requireFacts(*module)))
    return 1;
  const TargetInfo &target = hk::targetOf(*module);
  if (wanted.empty())
    wanted = artifactName(backendOf(target).assembly);
  std::optional<Artifact> artifact = findArtifact(wanted, target);
  if (!artifact) {
    llvm::errs() << "there is no " << wanted << " for " << target.name << "\n";
    return 1;
  }
  llvm::outs() << compileForGpu(*module, {*artifact}).texts.at(*artifact);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    llvm::errs() << "usage: hocket-emit FILE [ARTIFACT]\n";
    return 2;
  }
  try {
    return emit(argv[1], argc == 3 ? argv[2] : "");
  } catch (const std::exception &error) {
    llvm::errs() << error.what() << "\n";
    return 1;
  }
}
