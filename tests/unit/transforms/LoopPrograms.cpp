//===- LoopPrograms.cpp - Common parts of random programs: a ring buffer, and loops that select its slots -===//
#include "LoopPrograms.h"

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace hocket {

static constexpr int kSlots = 4;

// Text ----------------------------------------------------------------------------------------------------------------

Names LoopWriter::freshNames(size_t size) {
  Names names;
  while (names.size() < size)
    names.push_back(fresh());
  return names;
}

std::string LoopWriter::operation(const std::string &what) {
  std::string result = fresh();
  line(result + " = " + what);
  return result;
}

std::string LoopWriter::tile(const Names &counters) {
  int which = draw(5);
  if (which < 2 || (hasLoop && counters.empty() && !isDeep))
    return which % 2 ? "%a" : "%b";
  std::string index = "%c" + std::to_string(draw(kSlots));
  if (!counters.empty()) {
    std::string sum = operation("arith.addi " + counters[draw(counters.size())] + ", " + index + " : i32");
    index = operation("arith.remsi " + sum + ", %c4 : i32");
  }
  return operation("hk.memdesc_index %ring[" + index + "] : !ring -> !smem");
}

std::string LoopWriter::condition() {
  if (!isRelated || draw(4) == 0)
    return "%c";
  std::string one = draw(3) ? "%d" : "%e";
  switch (draw(5)) {
  case 0:
    return operation("arith.xori " + one + ", %true : i1");
  case 1:
    return operation("arith.ori %d, %e : i1");
  case 2:
    return operation("arith.andi %d, %e : i1");
  default:
    return one;
  }
}

using Body = llvm::function_ref<void(const Names &, Names &)>;

void LoopWriter::writeLoop(Names &values, const std::string &type, Body body) {
  if (draw(2))
    writeWhile(values, type, body);
  else
    writeFor(values, type, body);
  hasLoop = true;
}

static std::string numbered(const std::string &results, size_t first, size_t index) {
  return results + "#" + std::to_string(first + index);
}

/// "%x = %y, ..."
static std::string bindings(const Names &names, const Names &values) {
  Names texts;
  for (auto [name, value] : llvm::zip_equal(names, values))
    texts.push_back(name + " = " + value);
  return llvm::join(texts, ", ");
}

static Names joined(Names names, const Names &more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

void LoopWriter::writeFor(Names &values, const std::string &type, Body body) {
  std::string counter = fresh(), results = fresh();
  Names inside = freshNames(values.size());
  std::string types = llvm::join(Names(values.size(), type), ", ");
  std::string head = "scf.for " + counter + " = %c0 to %n step %c1 ";
  if (values.empty())
    line(head + ": i32 {");
  else
    line(results + ":" + std::to_string(values.size()) + " = " + head + "iter_args(" + bindings(inside, values) +
         ") -> (" + types + ") : i32 {");
  body({counter}, inside);
  if (!values.empty())
    line("scf.yield " + llvm::join(inside, ", ") + " : " + types);
  line("}");
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = numbered(results, 0, i);
}

std::string LoopWriter::nextSlot(const std::string &slot, int kind) {
  std::string next = operation("arith.addi " + slot + ", %c1 : i32");
  if (kind == 0)
    return operation("arith.remsi " + next + ", %c4 : i32");
  if (kind == 1)
    return operation("arith.andi " + next + ", %c3 : i32");
  std::string isEnd = operation("arith.cmpi eq, " + next + ", %c4 : i32");
  return operation("arith.select " + isEnd + ", %c0, " + next + " : i32");
}

/// The counters are the iteration and a slot. Slots of deep programs are less predictable: in the second region, the
/// slot may be that of the previous iteration, or a slot that advances only in some iterations.
void LoopWriter::writeWhile(Names &values, const std::string &type, Body body) {
  Names counters = freshNames(3), inside = freshNames(values.size());
  Names starts = {"%c0", "%c" + std::to_string(draw(kSlots)), "%c" + std::to_string(draw(kSlots))};
  std::string types = llvm::join(joined(Names(3, "i32"), Names(values.size(), type)), ", ");
  std::string results = fresh();
  line(results + ":" + std::to_string(3 + values.size()) + " = scf.while (" +
       bindings(joined(counters, inside), joined(starts, values)) + ") : (" + types + ") -> (" + types + ") {");
  // The first region runs once more than the second one.
  if (isDeep && draw(3) == 0)
    body(counters, inside);
  std::string isMore = operation("arith.cmpi slt, " + counters[0] + ", %n : i32");
  if (isDeep && draw(2))
    std::swap(counters[1], counters[2]);
  line("scf.condition(" + isMore + ") " + llvm::join(joined(counters, inside), ", ") + " : " + types + "\n} do {");

  counters = freshNames(counters.size());
  inside = freshNames(inside.size());
  Names arguments;
  for (const std::string &name : counters)
    arguments.push_back(name + ": i32");
  for (const std::string &name : inside)
    arguments.push_back(name + ": " + type);
  line("^bb0(" + llvm::join(arguments, ", ") + "):");
  body(isDeep ? counters : Names{counters[0], counters[1]}, inside);
  std::string next = nextSlot(counters[1], draw(3)), other = counters[1];
  if (int kind = draw(4); isDeep && kind > 0) {
    std::string isGoing = kind == 1 ? "%c" : operation("arith.cmpi slt, " + counters[0] + ", %c2 : i32");
    other = kind == 3 ? nextSlot(counters[2], draw(3))
                      : operation("arith.select " + isGoing + ", " + counters[2] + ", " + next + " : i32");
  }
  std::string count = operation("arith.addi " + counters[0] + ", %c1 : i32");
  line("scf.yield " + llvm::join(joined({count, next, other}, inside), ", ") + " : " + types + "\n}");
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = numbered(results, 3, i);
}

// Runs ----------------------------------------------------------------------------------------------------------------

/// True if `condition` is computed from the last two arguments alone.
bool LoopRun::isFixed(Value condition) {
  if (auto arg = dyn_cast<BlockArgument>(condition))
    return arg.getArgNumber() + 2 >= arg.getOwner()->getNumArguments();
  return isa<arith::XOrIOp, arith::OrIOp, arith::AndIOp>(condition.getDefiningOp());
}

bool LoopRun::choose(scf::IfOp branch) {
  if (isFixed(branch.getCondition()))
    return numberOf(branch.getCondition()) & 1;
  unsigned habit = habits.try_emplace(branch, random() % 4).first->second;
  return habit == 0 || (habit > 1 && random() & 1);
}

int64_t LoopRun::numberOf(Value value) {
  if (auto known = numbers.find(value); known != numbers.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (!op) { // an argument of the function: a condition
    int64_t drawn = random() & 1;
    return isFixed(value) ? numbers[value] = drawn : drawn;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getInt();
  auto operand = [&](unsigned index) { return numberOf(op->getOperand(index)); };
  if (isa<arith::SelectOp>(op))
    return operand(0) ? operand(1) : operand(2);
  int64_t left = operand(0), right = operand(1);
  if (isa<arith::AddIOp>(op))
    return left + right;
  if (isa<arith::RemSIOp>(op))
    return left % right;
  if (isa<arith::AndIOp>(op))
    return left & right;
  if (isa<arith::OrIOp>(op))
    return left | right;
  if (isa<arith::XOrIOp>(op))
    return left ^ right;
  auto compared = cast<arith::CmpIOp>(op);
  return compared.getPredicate() == arith::CmpIPredicate::eq ? left == right : left < right;
}

void LoopRun::bindNumbers(ValueRange values, ValueRange sources) {
  SmallVector<std::pair<Value, int64_t>> bound;
  for (auto [value, source] : llvm::zip_equal(values, sources))
    if (value.getType().isInteger(32))
      bound.push_back({value, numberOf(source)});
  for (auto [value, number] : bound)
    numbers[value] = number;
}

LoopRun::Tile LoopRun::tileOf(Value handle) {
  if (auto slot = handle.getDefiningOp<hk::MemDescIndexOp>())
    return {slot.getSrc().getDefiningOp(), numberOf(slot.getIndex())};
  return {handle.getDefiningOp(), 0};
}

} // namespace hocket
