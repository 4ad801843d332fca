//===- Statements.cpp - Visitors of if, with, assignment, return, assert ---------------===//
//
// `if`: a compile-time condition selects a branch, and only this branch is visited. A run-time condition becomes an
// scf.if. The results of the scf.if are the values of the names that the branches bind to different values
// (Branches.h).
//
// Early `return`: the statements after `if c: return a` are emitted inside the branches that reach these statements
// (see Continuation). Both branches then end with the return value of the function:
//
//     if c:              %r = scf.if %c {  yield a   }
//       return a    =>                  else {  ...rest...  yield b }
//     ...rest...
//     return b
//
// `with` opens a stage of a warp pipeline, or a scope of the profiler. Two marker operations enclose the body of
// the `with` statement. The body is emitted in the same block, so names that it binds stay bound afterwards:
//
//     with gl.warp_pipeline_stage("load"):       hk.stage_begin "load"
//         a = smem.load(layout)              =>   %a = hk.local_load ...
//                                                 hk.stage_end
//
// The markers of a profiler scope are prof.record begin and prof.record end. Profiler scopes are emitted only if the
// kernel is profiled.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Statements.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/prof/ProfDialect.h"
#include "frontend/emit/Assignment.h"
#include "frontend/emit/Branches.h"
#include "frontend/emit/Calls.h"
#include "frontend/emit/InnerFunctions.h"
#include "frontend/values/CompileTime.h"
#include "frontend/values/LanguageObjects.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace hocket;
using namespace hocket::frontend;

std::optional<Value> StatementEmitter::visitBlock(ast::List<const ast::Stmt *> statements, const Continuation *after) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const ast::Stmt &statement = *statements[i];
    FrameEmitter::At at(e, &statement);
    e.checkLimits();
    if (auto *node = llvm::dyn_cast<ast::Return>(&statement))
      return visitReturn(*node);
    if (auto *node = llvm::dyn_cast<ast::If>(&statement)) {
      bool visitedRest = false;
      Continuation rest{statements.drop_front(i + 1), after};
      std::optional<Value> returned = visitIf(*node, rest, visitedRest);
      if (returned || visitedRest)
        return returned;
      continue;
    }
    visitSimple(statement);
    if (!e.frame->isKnown(Jump::Returns, false)) { // a loop may have returned from the function
      Continuation rest{statements.drop_front(i + 1), after};
      return visitAfterReturn(rest);
    }
  }
  return after ? visitBlock(after->statements, after->next) : std::nullopt;
}

/// Emits the statements `rest`, which follow a loop that contains a `return`. Returns the return value of the function,
/// which the loop or `rest` has returned.
std::optional<Value> StatementEmitter::visitAfterReturn(const Continuation &rest) {
  Value returns = e.frame->jump(Jump::Returns), result = e.frame->jump(Jump::Result);
  for (Jump jump : {Jump::Skips, Jump::Breaks, Jump::Returns})
    e.frame->setJump(jump, Value::constant(py::bool_(false)));
  if (!returns.asRuntime()) // the loop always returns from the function
    return result;
  return emitBranches(
      e, *returns.asRuntime(), [&] { return result; },
      [&] { return visitBlock(rest.statements, rest.next).value_or(Value::none()); },
      "the values that this function returns", e.frame->building ? Merge::Needed : Merge::None);
}

void StatementEmitter::visitSimple(const ast::Stmt &statement) {
  llvm::TypeSwitch<const ast::Node *>(&statement)
      .Case([&](const ast::Assign *node) {
        Value value = stored(e, expressions.visit(node->value));
        for (const ast::Expr *target : node->targets)
          assign(e, target, value);
      })
      .Case([&](const ast::Expression *node) { visitExpression(*node); })
      .Case([&](const ast::AugmentedAssign *node) { visitAugmentedAssign(*node); })
      .Case([&](const ast::AnnotatedAssign *node) { visitAnnotatedAssign(*node); })
      .Case([&](const ast::For *node) { loops.visitFor(*node); })
      .Case([&](const ast::While *node) { loops.visitWhile(*node); })
      .Case([&](const ast::With *node) { visitWith(*node); })
      .Case([&](const ast::Assert *node) { visitAssert(*node); })
      .Case([](const ast::Pass *) {})
      .Case([&](const ast::Break *) { raiseLeavesWith("break"); })
      .Case([&](const ast::Continue *) { raiseLeavesWith("continue"); })
      .Case([&](const ast::FunctionDefinition *node) { visitFunctionDefinition(*node); })
      .Case([&](const ast::UnsupportedStatement *node) { e.raiseUnsupported(*node, node->pythonKind); })
      .Default([&](const ast::Node *) { e.error("this statement is not supported in kernels"); });
}

void StatementEmitter::visitFunctionDefinition(const ast::FunctionDefinition &node) {
  if (node.hasDecorators)
    e.error("functions inside kernels take no decorators", "leave it out: they are compiled with the kernel");
  const ast::InnerFunction &function = e.frame->source.tree->inner[node.index];
  e.frame->bind(node.slot, defineFunction(e, expressions, function, node.index), &node);
}

void StatementEmitter::visitExpression(const ast::Expression &node) {
  if (llvm::isa<ast::Constant>(node.value)) // a docstring has no effect
    return;
  if (auto *call = llvm::dyn_cast<ast::Call>(node.value)) {
    FrameEmitter::At at(e, call);
    std::optional<UnusedResult> unused;
    e.runPython([&] { return expressions.visitCall(*call, &unused); });
    if (unused)
      e.error(unused->what, unused->hint);
    return;
  }
  Value value = expressions.visit(node.value);
  const Constexpr *constant = value.asConstexpr();
  bool isFunction = constant && (isBuiltin(constant->object) || jitFunctionOf(constant->object));
  if (isFunction || value.asBoundMethod())
    e.errorAt(e.rangeOf(*node.value), value.describe() + " is not called here, so this does nothing",
              {{}, "add parentheses and its arguments"});
}

// If statements and with statements -----------------------------------------------------------------------------------

std::optional<Value> StatementEmitter::visitIf(const ast::If &node, const Continuation &rest, bool &visitedRest) {
  std::variant<bool, Runtime> condition = expressions.visitCondition(node.condition, "if");
  // A `return` inside a warp pipeline stage is ignored here, because visitReturn raises an error for it.
  bool mayReturn = node.jumps.returns && !e.frame->stage;
  if (const bool *known = std::get_if<bool>(&condition)) {
    visitedRest = mayReturn;
    return visitBlock(*known ? node.body : node.orElse, mayReturn ? &rest : nullptr);
  }
  auto branch = [&](ast::List<const ast::Stmt *> statements) {
    std::optional<Value> returned = visitBlock(statements, mayReturn ? &rest : nullptr);
    return returned ? *returned : Value::none();
  };
  Value returned = emitBranches(
      e, std::get<Runtime>(condition), [&] { return branch(node.body); }, [&] { return branch(node.orElse); },
      "the values returned in the branches of this `if`",
      !mayReturn          ? Merge::All
      : e.frame->building ? Merge::Needed
                          : Merge::None);
  visitedRest = mayReturn;
  return mayReturn ? std::optional(returned) : std::nullopt;
}

[[noreturn]] static void raiseNoContext(FrameEmitter &e, const ast::Expr &manager) {
  e.errorAt(e.rangeOf(manager),
            "`with` in a kernel can only open a stage of a warp pipeline or a scope of the profiler",
            {{}, "write `with gl.warp_pipeline_stage(\"load\"):` or `with gl.profiler.scope(\"load\"):`"});
}

static void checkNotInStage(FrameEmitter &e, const ast::Node &call) {
  for (const Frame *active = e.frame; active; active = active->caller)
    if (active->stage)
      e.errorAt(e.rangeOf(call), "stages of a warp pipeline cannot be nested",
                {{{"outer stage", "line " + std::to_string(active->stage->line)}},
                 "end the outer `with` first: stages follow one another"});
}

/// If a warp pipeline stage is in a loop that contains `break` or `return`, stores an error in Frame::refusedStage. The
/// error is raised at the end of the loop, unless all jumps of the loop are in branches that are not taken at compile
/// time.
static void checkLoopOfStage(FrameEmitter &e, const ast::Node &call) {
  Frame *active = e.frame;
  while (active && !active->loop)
    active = active->caller;
  if (!active || !active->breaking || active->refusedStage)
    return;
  try {
    e.errorAt(e.rangeOf(call), "a loop that `break` or `return` may end cannot have stages of a warp pipeline",
              {{{"loop", "line " + std::to_string(active->breaking->line)}},
               "compute the number of iterations before the loop"});
  } catch (const CompileError &) {
    active->refusedStage = std::current_exception();
  }
}

void StatementEmitter::visitWith(const ast::With &node) {
  const ast::ContextManager &item = node.items.front();
  auto *call = llvm::dyn_cast<ast::Call>(item.manager);
  Value callee = expressions.visit(call ? call->callee : item.manager);
  py::object stub = callee.isCompileTime() ? callee.toPython() : py::none();
  if (!isContextManager(stub))
    raiseNoContext(e, *item.manager);
  const bool isScope = builtinName(stub) == "profiler.scope";
  const std::string what = isScope ? "scope of the profiler" : "stage of a warp pipeline";
  if (!call)
    e.errorAt(e.rangeOf(*item.manager), builtinName(stub) + " must be called",
              {{}, isScope ? "add the scope's name: `(\"load\")`" : "add `()`"});
  if (item.target)
    e.errorAt(e.rangeOf(*item.target), "a " + what + " has no value to bind with `as`", {{}, "remove `as`"});
  if (node.items.size() > 1)
    e.errorAt(e.rangeOf(*node.items[1].manager), "a `with` can open only one " + what,
              {{},
               std::string("write one `with` for each ") +
                   (isScope ? "scope, one inside the other" : "stage, one after the other")});
  if (isScope)
    return visitScope(node, *call, stub);
  checkNotInStage(e, *call);
  checkLoopOfStage(e, *call);

  FrameEmitter::At at(e, call);
  callBuiltin(e, stub, expressions.visitArguments(*call));
  e.frame->stage = &node;
  visitBlock(node.body);
  e.frame->stage = nullptr;
  e.create<hk::StageEndOp>();
}

void StatementEmitter::raiseLeavesWith(std::string_view keyword) {
  if (e.frame->stage && e.frame->refusedStage) // stages are not allowed in this loop, so the hint below would not help
    std::rethrow_exception(e.frame->refusedStage);
  e.error("`" + std::string(keyword) + "` inside " +
              (e.frame->stage ? "a stage of a warp pipeline" : "a scope of the profiler") + " is not supported",
          "keep the condition in a variable, and leave the loop after the `with`");
}

/// Returns the first `return` in `statements`, including nested `if` and `with` statements; null if there is none.
static const ast::Stmt *findReturn(ast::List<const ast::Stmt *> statements) {
  for (const ast::Stmt *statement : statements) {
    if (llvm::isa<ast::Return>(statement))
      return statement;
    const ast::Stmt *inside = nullptr;
    if (auto *node = llvm::dyn_cast<ast::If>(statement)) {
      inside = findReturn(node->body);
      inside = inside ? inside : findReturn(node->orElse);
    } else if (auto *node = llvm::dyn_cast<ast::With>(statement)) {
      inside = findReturn(node->body);
    }
    if (inside)
      return inside;
  }
  return nullptr;
}

/// Emits a scope of the profiler. The end marker must be in the same IR block as the begin marker, so jumps must not
/// leave the scope. A jump out of a scope is an error even if the kernel is not profiled.
void StatementEmitter::visitScope(const ast::With &node, const ast::Call &call, py::handle stub) {
  if (const ast::Stmt *leaves = findReturn(node.body))
    e.errorAt(e.rangeOf(*leaves), "`return` inside a scope of the profiler is not supported",
              {{}, "keep the result in a variable and return it after the scope"});
  prof::RecordOp begin;
  {
    FrameEmitter::At at(e, &call);
    mlir::Operation *before = lastOperation();
    callBuiltin(e, stub, expressions.visitArguments(call));
    begin = lastOperation() == before ? prof::RecordOp() : llvm::dyn_cast<prof::RecordOp>(lastOperation());
  }
  visitBlock(node.body);
  FrameEmitter::At at(e, &call);
  if (begin)
    e.create<prof::RecordOp>(prof::RecordKind::End, begin.getName(), mlir::Value(), begin.getPred(),
                             prof::SiteKind::Scope);
}

mlir::Operation *StatementEmitter::lastOperation() const {
  mlir::Block *block = e.builder.getInsertionBlock();
  auto place = e.builder.getInsertionPoint();
  return place == block->begin() ? nullptr : &*std::prev(place);
}

// Assignment ----------------------------------------------------------------------------------------------------------

void StatementEmitter::visitAugmentedAssign(const ast::AugmentedAssign &node) {
  auto *name = llvm::dyn_cast<ast::Name>(node.target);
  auto *attribute = llvm::dyn_cast<ast::Attribute>(node.target);
  if (!name && !(attribute && isOwnField(*e.frame, *attribute)))
    raiseCannotAssign(e, node.target);
  Value left = expressions.visit(node.target);
  Value value = stored(e, expressions.visitBinary(node.op, left, expressions.visit(node.value)));
  if (attribute)
    return assign(e, attribute, std::move(value));
  e.frame->bind(name->slot, std::move(value), &node);
}

void StatementEmitter::visitAnnotatedAssign(const ast::AnnotatedAssign &node) {
  Value annotation = expressions.visit(node.annotation);
  bool isConstexpr = annotation.isCompileTime() && annotation.toPython().is(languageObject("constexpr"));
  if (!node.value) {
    if (isConstexpr)
      e.error("a `gl.constexpr` must be given its value where it is declared");
    return; // an annotation without a value has no effect
  }
  Value value = expressions.visit(node.value);
  auto *name = llvm::dyn_cast<ast::Name>(node.target);
  if (!isConstexpr || !name)
    return assign(e, node.target, isConstexpr ? std::move(value) : stored(e, std::move(value)));

  if (!value.isCompileTime())
    e.requireConstexpr(value, "the value of `" + name->id.str() + ": gl.constexpr`", e.rangeOf(*node.value));
  const Variable &variable = e.frame->variables[name->slot];
  if (variable.value && variable.where != &node)
    e.error("`" + name->id.str() + "` already has a value (line " + std::to_string(variable.where->line) +
                "), so it cannot become a constexpr",
            "use another name");
  e.frame->bind(name->slot, std::move(value), &node, /*isConstexpr=*/true);
}

// Return and assert ---------------------------------------------------------------------------------------------------

Value StatementEmitter::visitReturn(const ast::Return &node) {
  if (e.frame->stage)
    e.error("`return` inside a stage of a warp pipeline is not supported",
            "keep the result in a variable and return it after the stage");
  Value value = node.value ? decay(e, expressions.visit(node.value)) : Value::none();
  if (!e.frame->caller && !value.isNone())
    e.error("a kernel cannot return a value, but this returns " + value.describe(), "store results with gl.store");
  return value;
}

void StatementEmitter::visitAssert(const ast::Assert &node) {
  Value condition = expressions.visit(node.condition);
  Value message = node.message ? expressions.visit(node.message) : Value::constant(py::str(""));
  if (condition.isCompileTime()) {
    if (e.runPython([&] { return isTrue(condition.toPython()); }))
      return;
    std::string text =
        node.message ? e.requireString(message, "the message of an assert", e.rangeOf(*node.message)) : "";
    e.error("this assertion fails at compile time" + (text.empty() ? "" : ": " + text));
  }
  CallArguments arguments;
  arguments.positional.push_back({std::move(condition), e.rangeOf(*node.condition)});
  arguments.positional.push_back({std::move(message), e.rangeOf(node.message ? *node.message : *node.condition)});
  callBuiltin(e, languageObject("device_assert"), std::move(arguments));
}
