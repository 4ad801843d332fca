//===- CompileTrace.cpp - Timing and IR printing of a compilation --------------------===//
#include "pipeline/CompileTrace.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace hocket {

namespace {

class Watcher : public PassInstrumentation {
public:
  explicit Watcher(CompileTrace &trace) : trace(trace) {}

  void runBeforePass(Pass *, Operation *) override { begins.push_back(std::chrono::steady_clock::now()); }

  void runAfterPass(Pass *pass, Operation *op) override {
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begins.back();
    begins.pop_back();
    if (pass->getArgument().empty()) // only pass adaptors have no name; an adaptor runs nested passes
      return;
    trace.seconds.emplace_back(pass->getArgument(), taken.count());
    if (trace.printAfter != "all" && trace.printAfter != pass->getArgument())
      return;
    llvm::raw_string_ostream stream(trace.printed);
    stream << "// after " << pass->getArgument() << "\n";
    auto module = dyn_cast<ModuleOp>(op);
    (module ? module : op->getParentOfType<ModuleOp>()).print(stream);
    stream << "\n";
  }

  void runAfterPassFailed(Pass *, Operation *) override { begins.pop_back(); }

private:
  CompileTrace &trace;
  /// Start times of the passes that are running, the innermost nested pass last.
  std::vector<std::chrono::steady_clock::time_point> begins;
};

} // namespace

void CompileTrace::watch(PassManager &pm) { pm.addInstrumentation(std::make_unique<Watcher>(*this)); }

} // namespace hocket
