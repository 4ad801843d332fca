//===- KernelEmitter.h - Traverses a kernel's tree and emits `hk` IR ---------------===//
//
// Each statement is visited once: the tree lists the names that a loop can bind, so a loop's body need not be visited
// to find the carried names. Files of this folder, each of which uses only semantics/ and files above it in the list:
//
//   Frames.h           state of the functions being emitted: variables, the current node, errors
//   Names.h            lookup of names                  Assignment.h     assignments
//   Branches.h         scf.if, merging of variables     CarriedNames.h   names that a loop carries
//   Calls.h            calls of any callee              PythonBuiltins.h len, min, isinstance, ...
//   Expressions.h      one function per kind of expression
//   Loops.h            for and while                    Ranges.h         bounds from the arguments of range
//   Statements.h       all other statements
//   KernelEmitter.h    visitors of expressions and statements, with the frames
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
