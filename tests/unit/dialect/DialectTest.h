//===- DialectTest.h - A context with the `hk` dialect, and parsing of attributes and types ------===//
#ifndef HOCKET_TEST_DIALECT_DIALECTTEST_H
#define HOCKET_TEST_DIALECT_DIALECTTEST_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <string>

namespace hocket::hk {

class DialectTest : public testing::Test {
protected:
  DialectTest() { context.loadDialect<HkDialect>(); }

  mlir::Attribute layout(llvm::StringRef text) { return mlir::parseAttribute(text, &context); }
  LinearLayout mapOf(llvm::StringRef text, llvm::ArrayRef<int64_t> shape) {
    mlir::Attribute attr = layout(text);
    if (auto distributed = mlir::dyn_cast<DistributedLayout>(attr))
      return distributed.toLinearLayout(shape);
    return mlir::cast<SharedLayout>(attr).toLinearLayout(shape);
  }
  MemDescType memDesc(llvm::StringRef text) { return mlir::cast<MemDescType>(mlir::parseType(text, &context)); }

  mlir::MLIRContext context;
};

template <typename T>
std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

} // namespace hocket::hk

#endif
