//===- WhileLoops.cpp - while ---------------------------------------------------------------===//
//
// How names are carried is told in Loops.cpp.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/KernelEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace hocket;
using namespace hocket::frontend;
namespace scf = mlir::scf;

void KernelEmitter::visitWhile(const ast::While &node) {
  if (node.hasElse)
    error("`else` after a loop is not supported in kernels");
  Carried carried = carriedInto(node.assigned);
  std::vector<Variable> before = frame->variables;
  llvm::SmallVector<mlir::Location> locations(carried.flat.size(), loc());
  mlir::TypeRange types = mlir::ValueRange(carried.flat).getTypes();

  // The condition first, in an operation without results: what it binds (`:=`) decides what the body is given.
  auto draft = create<scf::WhileOp>(mlir::TypeRange(), mlir::ValueRange(carried.flat));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *test = builder.createBlock(&draft.getBefore(), {}, types, locations);
  bindCarried(carried, test->getArguments());
  std::variant<bool, Runtime> condition = visitCondition(node.condition, "while");
  if (const bool *known = std::get_if<bool>(&condition)) {
    if (*known)
      errorAt(rangeOf(*node.condition), "this loop never ends: its condition is true at compile time", {});
    builder.setInsertionPointAfter(draft);
    draft.erase();
    frame->variables = std::move(before);
    return;
  }
  Carried forwarded = carriedInto(node.assigned);
  carriedOut(carried, "while", node);
  create<scf::ConditionOp>(std::get<Runtime>(condition).ir, forwarded.flat);

  builder.setInsertionPoint(draft);
  mlir::TypeRange resultTypes = mlir::ValueRange(forwarded.flat).getTypes();
  auto loop = create<scf::WhileOp>(resultTypes, mlir::ValueRange(carried.flat));
  loop.getBefore().takeBody(draft.getBefore());
  draft.erase();
  llvm::SmallVector<mlir::Location> bodyLocations(forwarded.flat.size(), loc());
  mlir::Block *body = builder.createBlock(&loop.getAfter(), {}, resultTypes, bodyLocations);
  bindCarried(forwarded, body->getArguments());
  ++frame->loopDepth;
  visitBlock(node.body);
  --frame->loopDepth;
  create<scf::YieldOp>(carriedOut(carried, "while", node));

  builder.setInsertionPointAfter(loop);
  forgetLoopNames(node.assigned, std::move(before));
  bindCarried(forwarded, loop.getResults());
}
