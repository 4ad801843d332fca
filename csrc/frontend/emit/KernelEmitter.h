//===- KernelEmitter.h - Walks a kernel's tree and emits `hk` IR -------------------===//
//
// One visit per statement: names that a loop may bind are known from the tree, so a loop's body need not be visited to
// find what it carries. Who does what, each using only what stands above it:
//
//   Emitter.h          what semantics/ works with: a builder, errors at the user's line, demands on arguments
//   Frames.h           the functions being emitted: names, the current node, Python called from here
//   Names.h            what a name stands for            Assignment.h     what a name is given
//   Branches.h         two branches, merged              CarriedNames.h   what a loop carries
//   Calls.h            calls of anything                 PythonBuiltins.h len, min, isinstance, ...
//   Expressions.h      one function per kind of expression
//   Loops.h            for and while                     Ranges.h         the arguments of range as bounds
//   Statements.h       all other statements
//   KernelEmitter.h    ties the two visitors to the frames
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_EMIT_KERNELEMITTER_H
#define HOCKET_FRONTEND_EMIT_KERNELEMITTER_H

#include "frontend/emit/Calls.h"
#include "frontend/emit/Statements.h"

namespace hocket::frontend {

class KernelEmitter final : public FrameEmitter {
public:
  using FrameEmitter::FrameEmitter;

  Value emitBody(Frame &callee) override {
    Frame *caller = std::exchange(frame, &callee);
    std::optional<Value> returned = statements.visitBlock(callee.source.tree->body);
    frame = caller;
    return returned ? *returned : Value::none();
  }

  Value call(const Value &callee, std::vector<Value> values) override {
    CallArguments arguments;
    for (Value &value : values)
      arguments.positional.push_back({std::move(value), here()});
    return callValue(*this, callee, std::move(arguments));
  }

private:
  ExpressionEmitter expressions{*this};
  StatementEmitter statements{*this, expressions};
};

} // namespace hocket::frontend

#endif
