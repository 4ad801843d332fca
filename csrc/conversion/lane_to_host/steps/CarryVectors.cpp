//===- CarryVectors.cpp - Makes loops carry whole vectors instead of their elements ----===//
//
//   br ^loop(extract %v[0], extract %v[1])            br ^loop(%v)
//   ^loop(%a: f16, %b: f16):                     ->   ^loop(%w: vector<2xf16>):
//     insert %b, insert %a, ...                         insert (extract %w[1]), insert (extract %w[0]), ...
//
// In lane form, loops carry elements. On a GPU each element is in a register. On the host, all elements are on the
// stack while other lanes run. A single element takes as much stack space as a vector of 16 bytes.
//
// A vector is carried if block arguments carry all of its elements, and if the block inserts these arguments into
// another vector. On every edge into the block, the elements must come from one vector, or all be the same constant.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

namespace {

/// The indices of the block arguments that are the elements of a vector, in the order of the elements.
using Elements = SmallVector<unsigned>;

class BlockCarries {
public:
  explicit BlockCarries(Block &block) : block(block), isGone(block.getNumArguments()) {
    for (auto edge = block.pred_begin(); edge != block.pred_end(); ++edge)
      edges.push_back({cast<BranchOpInterface>((*edge)->getTerminator()), edge.getSuccessorIndex()});
  }

  void run() {
    for (Edge edge : edges)
      for (auto &[vector, elements] : vectorsOn(edge))
        carry(cast<VectorType>(vector.getType()), elements);
    if (isGone.none())
      return;
    for (Edge edge : edges)
      for (unsigned i = isGone.size(); i-- > 0;)
        if (isGone[i])
          operandsOn(edge).erase(i);
    isGone.resize(block.getNumArguments());
    block.eraseArguments(isGone);
  }

private:
  struct Edge {
    BranchOpInterface branch;
    unsigned successor;
  };
  static SuccessorOperands operandsOn(Edge edge) {
    return cast<BranchOpInterface>(edge.branch.getOperation()).getSuccessorOperands(edge.successor);
  }

  static LLVM::ExtractElementOp extractOf(Value value, uint64_t &element) {
    auto extract = value.getDefiningOp<LLVM::ExtractElementOp>();
    APInt position;
    if (!extract || !matchPattern(extract.getPosition(), m_ConstantInt(&position)))
      return nullptr;
    element = position.getZExtValue();
    return extract;
  }

  static bool isOnlyInserted(Value value) {
    return llvm::all_of(value.getUses(), [](OpOperand &use) {
      auto insert = dyn_cast<LLVM::InsertElementOp>(use.getOwner());
      return insert && insert.getValue() == use.get();
    });
  }

  /// Returns the vectors whose elements are all passed on `edge`.
  llvm::MapVector<Value, Elements> vectorsOn(Edge edge) {
    static constexpr unsigned kNone = ~0u;
    llvm::MapVector<Value, Elements> vectors;
    for (unsigned i = 0; i < isGone.size(); ++i) {
      uint64_t element = 0;
      auto extract = extractOf(operandsOn(edge)[i], element);
      if (!extract || isGone[i] || !isOnlyInserted(block.getArgument(i)))
        continue;
      auto &elements = vectors[extract.getVector()];
      elements.resize(size_t(extract.getVector().getType().getNumElements()), kNone);
      if (element < elements.size())
        elements[element] = i;
    }
    vectors.remove_if([](auto &vector) { return llvm::is_contained(vector.second, kNone); });
    return vectors;
  }

  /// Returns the vector whose elements are passed on `edge`; null if the elements do not come from a single vector.
  static Value vectorOn(Edge edge, VectorType type, const Elements &elements) {
    SuccessorOperands operands = operandsOn(edge);
    auto isEach = [&](auto holds) {
      for (auto [element, number] : llvm::enumerate(elements))
        if (!holds(element, number))
          return false;
      return true;
    };
    Value first = operands[elements.front()];
    if (Attribute constant; matchPattern(first, m_Constant(&constant))) {
      if (!isEach([&](size_t, unsigned number) { return operands[number] == first; }) || !isa<TypedAttr>(constant))
        return nullptr;
      OpBuilder builder(edge.branch);
      return LLVM::ConstantOp::create(builder, first.getLoc(), type, DenseElementsAttr::get(type, constant));
    }
    Value vector;
    auto isExtracted = [&](size_t element, unsigned number) {
      uint64_t position = 0;
      auto extract = extractOf(operands[number], position);
      if (!extract || position != element || (vector && vector != extract.getVector()))
        return false;
      vector = extract.getVector();
      return true;
    };
    return isEach(isExtracted) && vector.getType() == type ? vector : nullptr;
  }

  void carry(VectorType type, const Elements &elements) {
    if (llvm::any_of(elements, [&](unsigned number) { return isGone[number]; }))
      return;
    auto vectors = llvm::map_to_vector(edges, [&](Edge edge) { return vectorOn(edge, type, elements); });
    if (llvm::is_contained(vectors, Value()))
      return;
    Location loc = block.getArgument(elements.front()).getLoc();
    Value carried = block.addArgument(type, loc);
    for (auto [edge, vector] : llvm::zip_equal(edges, vectors))
      operandsOn(edge).append(vector);
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (auto [element, number] : llvm::enumerate(elements)) {
      Value position = LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(element)));
      block.getArgument(number).replaceAllUsesWith(LLVM::ExtractElementOp::create(builder, loc, carried, position));
      isGone.set(number);
    }
  }

  Block &block;
  SmallVector<Edge> edges;
  llvm::BitVector isGone; ///< arguments that have been replaced by elements of a vector
};

} // namespace

void carryVectors(LLVM::LLVMFuncOp kernel) {
  for (Block &block : llvm::drop_begin(kernel.getBody()))
    BlockCarries(block).run();
}

} // namespace hocket
