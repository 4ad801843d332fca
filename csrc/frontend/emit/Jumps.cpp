//===- Jumps.cpp - break, continue, and return in loops --------------------------------===//
//
// After an `if` that contains a jump, the rest of the loop iteration is moved into the branches that reach it:
//
//     if c:                     scf.if %c {
//       break          =>         (Breaks = true, Skips = true)
//     ...rest...                } else {
//                                 ...rest...
//                               }
//
// The iteration ends after both branches. If a branch jumps only under another condition, the two branches are merged
// first. The rest of the iteration is then emitted once, in an scf.if that skips the rest if a branch has jumped. The
// loop reads the frame's jumps (Frames.h) at the end of an iteration. Each jump flag is a compile-time bool if
// possible, otherwise a run-time bool.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Branches.h"
#include "frontend/emit/Statements.h"

using namespace hocket;
using namespace hocket::frontend;

static bool alwaysJumps(ast::List<const ast::Stmt *> statements) {
  return llvm::any_of(statements, [](const ast::Stmt *statement) {
    if (auto *node = llvm::dyn_cast<ast::If>(statement))
      return alwaysJumps(node->body) && alwaysJumps(node->orElse);
    return llvm::isa<ast::Break, ast::Continue, ast::Return>(statement);
  });
}

static void setJumps(Frame &frame, std::initializer_list<Jump> jumps, bool truth) {
  for (Jump jump : jumps)
    frame.setJump(jump, Value::constant(py::bool_(truth)));
}

void StatementEmitter::visitLoopBlock(ast::List<const ast::Stmt *> statements, const Continuation *after) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &statement = *statements[i];
    FrameEmitter::At at(e, &statement);
    e.checkLimits();
    if (llvm::isa<ast::Continue>(statement))
      return setJumps(*e.frame, {Jump::Skips}, true);
    if (llvm::isa<ast::Break>(statement))
      return setJumps(*e.frame, {Jump::Skips, Jump::Breaks}, true);
    if (auto *node = llvm::dyn_cast<ast::Return>(&statement)) {
      e.frame->setJump(Jump::Result, visitReturn(*node));
      return setJumps(*e.frame, {Jump::Skips, Jump::Breaks, Jump::Returns}, true);
    }
    Continuation rest{statements.drop_front(i + 1), after};
    if (auto *node = llvm::dyn_cast<ast::If>(&statement); node && node->jumps.any())
      return visitLeavingIf(*node, rest);
    if (auto *node = llvm::dyn_cast<ast::If>(&statement)) {
      bool visitedRest = false;
      visitIf(*node, rest, visitedRest);
    } else {
      visitSimple(statement);
    }
    if (!e.frame->isKnown(Jump::Skips, false)) // an inner loop may have returned from the function
      return visitRest(rest);
  }
  if (after)
    visitLoopBlock(after->statements, after->next);
}

void StatementEmitter::visitRest(const Continuation &rest) {
  const Continuation *statements = &rest;
  while (statements && statements->statements.empty())
    statements = statements->next;
  if (!statements || e.frame->isKnown(Jump::Skips, true))
    return;
  const Runtime *skips = e.frame->jump(Jump::Skips).asRuntime();
  if (!skips) // all jumps are in branches that are not taken at compile time
    return visitLoopBlock(statements->statements, statements->next);
  auto visit = [&] {
    setJumps(*e.frame, {Jump::Skips, Jump::Breaks, Jump::Returns}, false);
    visitLoopBlock(statements->statements, statements->next);
    return Value::none();
  };
  emitBranches(e, *skips, [] { return Value::none(); }, visit, "", Merge::Needed);
}

void StatementEmitter::visitLeavingIf(const ast::If &node, const Continuation &rest) {
  std::variant<bool, Runtime> condition = expressions.visitCondition(node.condition, "if");
  if (const bool *known = std::get_if<bool>(&condition))
    return visitLoopBlock(*known ? node.body : node.orElse, &rest);
  bool thenJumps = alwaysJumps(node.body), elseJumps = alwaysJumps(node.orElse);
  bool isShared = !thenJumps && !elseJumps; // both branches can reach the statements after the `if`
  auto branch = [&](ast::List<const ast::Stmt *> statements, bool jumps) {
    visitLoopBlock(statements, jumps || isShared ? nullptr : &rest);
    return Value::none();
  };
  emitBranches(
      e, std::get<Runtime>(condition), [&] { return branch(node.body, thenJumps); },
      [&] { return branch(node.orElse, elseJumps); }, "", isShared ? Merge::All : Merge::Needed);
  if (isShared)
    visitRest(rest);
}
