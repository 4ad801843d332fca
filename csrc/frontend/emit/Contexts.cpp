//===- Contexts.cpp - with ------------------------------------------------------------------===//
//
// There is one context manager: amd.warp_pipeline_stage. Two markers bracket what stands inside, in the same block, so
// names that are bound inside stay bound behind it as in Python:
//
//     with amd.warp_pipeline_stage("load"):       hk_amd.stage_begin "load"
//         a = smem.load(layout)              =>   %a = hk.local_load ..
//                                                 hk_amd.stage_end
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/emit/KernelEmitter.h"

using namespace hocket;
using namespace hocket::frontend;

void KernelEmitter::raiseNoContext(const ast::Expr &manager) {
  errorAt(rangeOf(manager), "`with` in a kernel takes a stage of a warp pipeline only",
          {{}, "write `with amd.warp_pipeline_stage(\"load\"):`, the one context manager that there is"});
}

void KernelEmitter::checkNotInStage(const ast::Node &call) {
  for (const Frame *active = frame; active; active = active->caller)
    if (active->stage)
      errorAt(rangeOf(call), "a stage of a warp pipeline cannot stand in another stage",
              {{{"outer stage", "line " + std::to_string(active->stage->line)}},
               "end the outer `with` first: stages follow each other"});
}

void KernelEmitter::visitWith(const ast::With &node) {
  const ast::ContextManager &item = node.items.front();
  auto *call = llvm::dyn_cast<ast::Call>(item.manager);
  Value callee = visit(call ? call->callee : item.manager);
  py::object stub = callee.isCompileTime() ? callee.toPython() : py::none();
  if (!isContextManager(stub))
    raiseNoContext(*item.manager);
  if (!call)
    errorAt(rangeOf(*item.manager), "warp_pipeline_stage is not called here", {{}, "add `()`"});
  if (item.target)
    errorAt(rangeOf(*item.target), "a stage of a warp pipeline gives nothing to `as`", {{}, "leave `as` out"});
  if (node.items.size() > 1)
    errorAt(rangeOf(*node.items[1].manager), "one `with` opens one stage of a warp pipeline",
            {{}, "write one `with` for each stage, one after the other"});
  checkNotInStage(*call);

  At at(*this, call);
  callBuiltin(stub, visitArguments(*call));
  frame->stage = &node;
  visitBlock(node.body);
  frame->stage = nullptr;
  create<hk_amd::StageEndOp>();
}
