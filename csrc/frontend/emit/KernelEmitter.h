//===- KernelEmitter.h - Traverses a kernel's tree and emits `hk` IR ---------------===//
//
// Each statement is visited once: the tree lists the names that a loop can bind, so a loop's body need not be visited
// to find the carried names. The list shows the files of this folder, each of which uses only files above it and
// semantics/:
//
//   Frames.h           the functions being emitted: names, the current node, calls of Python
//   Names.h            values of names                  Assignment.h     assignments
//   Branches.h         two branches, merged             CarriedNames.h   names that a loop carries
//   Calls.h            calls of anything                PythonBuiltins.h len, min, isinstance, ...
//   Expressions.h      one function per kind of expression
//   Loops.h            for and while                    Ranges.h         bounds from the arguments of range
//   Statements.h       all other statements
//   KernelEmitter.h    connects the two visitors with the frames
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
