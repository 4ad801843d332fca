//===- AtomicPoll.cpp - atomic_poll: waits for values in memory -------------------------===//
//
//   %arrived = scf.while (%done = false) {
//     %old = hk.atomic_rmw or %ptr, 0                       for 16 bits: hk.atomic_cas
//     %now = %done or %old == %expected
//     %goes_on = any of not %now                           with a timeout: and the deadline has not passed
//     scf.condition(%goes_on) %now
//   } do { scf.yield }
//
// An element has arrived if its value in memory was equal to the expected value in some iteration. All threads of the
// block stay in the loop until all elements have arrived or the deadline has passed, so that operations after the loop
// can contain barriers. Each iteration reads all elements, also those that have arrived, because a masked read would
// create branches on AMD. LLVM's jump threading would extend these branches over the barriers of the `any` reduction.
// With a timeout, every lane reads the clock, and all threads use the maximum of the readings.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/memory/Atomics.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/Reductions.h"
#include "layout/LayoutWarps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hocket::frontend {
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {

struct Poll {
  Runtime pointer, expected;
  hk::MemSemantic sem;
  hk::MemScope scope;

  ValueType flags() const { return expected.type.withElement(DType::Int1); }
};

} // namespace

static Runtime inverted(Emitter &e, const Runtime &flags) {
  return e.make<arith::XOrIOp>(flags.type, flags.ir, filledLike(e, flags.type, 1).ir);
}

/// Emits an atomic read of all polled elements.
static mlir::Value look(Emitter &e, const Poll &poll) {
  mlir::Value expected = poll.expected.ir;
  if (poll.expected.type.dtype().bitWidth() < 32)
    return e.create<hk::AtomicCasOp>(expected.getType(), poll.pointer.ir, expected, expected, poll.sem, poll.scope);
  return e.create<hk::AtomicRmwOp>(expected.getType(), hk::AtomicOp::Or, poll.pointer.ir,
                                   filledLike(e, poll.expected.type, 0).ir, mlir::Value(), poll.sem, poll.scope);
}

/// Emits a read of the clock; the result is an i64 that is equal in all threads of the block.
static mlir::Value now(Emitter &e) {
  int64_t lanes = e.target.warpSize, warps = layoutWarps(e.options.numWarps);
  auto layout = hk::BlockedAttr::get(e.context(), {1}, {lanes}, {warps}, {0}, {});
  ValueType type = ValueType::tensor(DType::Int64, {lanes * warps}, layout);
  return largestOf(e, e.make<hk::NanosecondsOp>(type, type.toMlir(e.context()))).ir;
}

/// Returns an i1 that is true if some element of `done` is false: a polled element has not arrived.
static mlir::Value isAnyMissing(Emitter &e, const Runtime &done) {
  Runtime missing = inverted(e, done);
  if (missing.type.isScalar())
    return missing.ir;
  Runtime most = largestOf(e, castTo(e, missing, DType::Int32));
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, most.ir, e.intConstant(0).ir);
}

/// Emits the polling loop. `begin` is the clock's value at the start of the poll, and `budget` the timeout in
/// nanoseconds; both are null if the poll has no timeout.
static Runtime emitLoop(Emitter &e, const Poll &poll, mlir::Value begin, mlir::Value budget) {
  mlir::OpBuilder::InsertionGuard guard(e.builder);
  mlir::Value none = filledLike(e, poll.flags(), 0).ir;
  auto loop = e.create<scf::WhileOp>(mlir::TypeRange(none.getType()), mlir::ValueRange(none));
  mlir::Block *test = e.builder.createBlock(&loop.getBefore(), {}, none.getType(), e.loc());
  Runtime done{test->getArgument(0), poll.flags()};
  mlir::Value arrives = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, look(e, poll), poll.expected.ir);
  Runtime next = e.make<arith::OrIOp>(done.type, done.ir, arrives);
  mlir::Value goesOn = isAnyMissing(e, next);
  if (begin) {
    mlir::Value passed = e.create<arith::SubIOp>(now(e), begin);
    mlir::Value isInTime = e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, passed, budget);
    goesOn = e.create<arith::AndIOp>(goesOn, isInTime);
  }
  e.create<scf::ConditionOp>(goesOn, next.ir);
  mlir::Block *body = e.builder.createBlock(&loop.getAfter(), {}, none.getType(), e.loc());
  e.create<scf::YieldOp>(body->getArguments());
  return {loop.getResult(0), poll.flags()};
}

Value atomicPoll(Emitter &e, Arguments &args) {
  Runtime pointer = pointerAt(e, args, "pointer");
  DType element = pointer.type.dtype();
  if (!element.isInteger() || element.bitWidth() < 16)
    unsupportedElement(e, args, "pointer", "integers of 16, 32 and 64 bits");
  AccessShape shape = accessShapeAt(e, args, "pointer", pointer);
  Runtime expected = elementsAt(e, args, "expected", shape);
  Poll poll{pointer, expected, halfSemanticAt(e, args, "sem", /*isLoad=*/true), scopeAt(e, args, "scope")};
  if (args["timeout_ns"].isNone())
    return emitLoop(e, poll, {}, {});
  if (e.options.numCtas > 1)
    e.errorAt(args.where("timeout_ns"),
              args.what("timeout_ns") + " is not available in clusters, whose blocks have clocks of their own",
              {{}, "count the tries: while (tries < limit) & (gl.atomic_load(p) != expected)"});
  Runtime budget = valueAs(e, args, "timeout_ns", DType::Int64);
  if (!budget.type.isScalar())
    e.errorAt(args.where("timeout_ns"),
              args.what("timeout_ns") + " must be a scalar, but is " + args["timeout_ns"].describe());
  return emitLoop(e, poll, now(e), budget.ir);
}

} // namespace hocket::frontend
