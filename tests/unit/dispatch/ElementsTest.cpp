//===- ElementsTest.cpp - Element types by their names in libraries ----------------===//
#include "dispatch/Elements.h"
#include "runtime/LaunchError.h"

#include <gtest/gtest.h>
#include <string>

namespace hocket::dispatch {

TEST(ParseElement, KnowsTheTextsOfLibraries) {
  EXPECT_EQ(parseElement("torch.float32"), Element::Float32);
  EXPECT_EQ(parseElement("<class 'numpy.float16'>"), Element::Float16);
  EXPECT_EQ(parseElement("bfloat16"), Element::BFloat16);
  EXPECT_EQ(parseElement("<i8"), Element::Int64);
  EXPECT_EQ(parseElement("|b1"), Element::Int1);
  EXPECT_EQ(parseElement("int1"), Element::Int1);
  EXPECT_EQ(parseElement("float8e4nv"), Element::Float8E4NV);
  EXPECT_EQ(parseElement("torch.float8_e5m2"), Element::Float8E5);
}

TEST(ParseElement, RefusesOthers) {
  for (const char *text : {"complex64", ">f4", "", "torch.", "float", "'"})
    EXPECT_FALSE(parseElement(text)) << text;
}

TEST(ElementFromDlpack, ComesBackForEveryTypeThatDlpackHas) {
  EXPECT_EQ(elementFromDlpack({dlpack::kFloat, 64, 1}, "x"), Element::Float64);
  EXPECT_EQ(elementFromDlpack({dlpack::kBfloat, 16, 1}, "x"), Element::BFloat16);
  EXPECT_EQ(elementFromDlpack({dlpack::kBool, 8, 1}, "x"), Element::Int1);
  EXPECT_EQ(elementFromDlpack({dlpack::kUInt, 8, 1}, "x"), Element::UInt8);
}

TEST(ElementFromDlpack, NamesTheParameterOfWhatKernelsCannotHave) {
  auto textOf = [](dlpack::DataType type) {
    try {
      elementFromDlpack(type, "x");
    } catch (const LaunchError &error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(textOf({dlpack::kFloat, 32, 4}),
            "argument `x` has elements of a type that kernels do not support (DLPack type code 2, 32 bits)");
  EXPECT_EQ(textOf({5, 64, 1}),
            "argument `x` has elements of a type that kernels do not support (DLPack type code 5, 64 bits)");
}

} // namespace hocket::dispatch
