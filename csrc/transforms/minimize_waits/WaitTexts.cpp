//===- WaitTexts.cpp - Messages about waits ---------------------------------------------------------===//
#include "transforms/minimize_waits/WaitTexts.h"

#include "dialect/hk/facts/ClusterAccesses.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/layouts/MemDescViews.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace hocket {

/// Returns the name of the buffer that both operations access, in backticks; "the memory" if the buffer has no name.
static std::string bufferOf(Operation *op, Operation *start) {
  for (Value mine : op->getOperands())
    for (Value other : start->getOperands()) {
      if (!isa<hk::MemDescType>(mine.getType()) || !isa<hk::MemDescType>(other.getType()))
        continue;
      hk::LocalAllocOp buffer = hk::bufferOf(mine);
      StringAttr name = buffer ? buffer.getNameAttr() : StringAttr();
      if (name && buffer == hk::bufferOf(other))
        return "`" + name.str() + "`";
    }
  return "the memory";
}

static StringRef verbOf(Operation *op) {
  if (isa<hk::LocalLoadOp>(op))
    return "reads ";
  return isa<hk::LocalStoreOp, hk::AsyncAccess>(op) ? "writes " : "uses ";
}

LogicalResult reportTooEarly(const WaitNeed &need, Operation *start) {
  const hk::CounterSpelling &spelling = *need.counter.spelling;
  InFlightDiagnostic error = need.op->emitError();
  bool isAtEnd = need.op->hasTrait<OpTrait::IsTerminator>();
  bool isBranch = isAtEnd && isa<scf::IfOp>(need.op->getParentOp());
  if (need.isInRegisters && isBranch)
    error << "the result of the " << spelling.access << hk::lineOf(start, " of ")
          << " is swapped with another result in only this branch while it is still in flight: ";
  else if (need.isInRegisters && isAtEnd)
    error << "the next iteration gets the result of the " << spelling.access << hk::lineOf(start, " of ")
          << " in other registers while it is still in flight: ";
  else if (auto barrier = dyn_cast<hk::SharedBarrierUse>(need.op); barrier && barrier.signalsAll())
    error << "this lets other " << (hk::reachesOtherMbarriers(need.op) ? "blocks of the cluster" : "warps")
          << " overwrite memory that the " << spelling.access << hk::lineOf(start, " of ") << " still reads: ";
  else if (need.isInRegisters)
    error << "this uses the result of the " << spelling.access << hk::lineOf(start, " of ")
          << " while it is still in flight: ";
  else
    error << "this " << verbOf(need.op) << bufferOf(need.op, start) << " while the " << spelling.access
          << hk::lineOf(start, " of ") << " is still in flight: ";
  bool isCommitted = need.age > 0 || spelling.commit.empty();
  error << (isCommitted ? "no earlier wait completes the " : "nothing has committed the ") << spelling.access;
  if (spelling.wait.empty())
    return failure();
  Diagnostic at = hk::diagnosticAt(need.op->getLoc());
  std::string wait = spelling.waitLeaving(std::max(need.age, 1u) - 1);
  std::string where = isBranch      ? "before the branch"
                      : isAtEnd     ? "at the end of the body"
                      : at.line > 0 ? "before line " + std::to_string(at.line)
                                    : "before this";
  error.attachNote() << "hint: write "
                     << (isCommitted ? "" : spelling.commit.str() + " after the " + spelling.access.str() + " and ")
                     << wait << " " << where;
  return failure();
}

std::string describeWait(Operation *op) {
  auto wait = cast<hk::AsyncWait>(op);
  std::string all = wait.getAwaitedCounters().front().spelling->accesses.str();
  if (unsigned left = wait.getOutstanding())
    return "wait for " + all + " that leaves " + std::to_string(left) + (left == 1 ? " group" : " groups");
  return "wait for all " + all;
}

void remarkWeaker(Operation *wait, std::optional<unsigned> outstanding) {
  InFlightDiagnostic remark = wait->emitRemark() << "this wait ";
  if (outstanding)
    remark << "may leave " << *outstanding << (*outstanding == 1 ? " group" : " groups") << " in flight";
  else
    remark << "is not needed: all operations that it waits for are complete, or their results are not used";
}

} // namespace hocket
