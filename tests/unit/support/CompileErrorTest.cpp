//===- CompileErrorTest.cpp - Text of compile errors -----------------------------===//
#include "support/CompileError.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace hocket;

TEST(CompileError, everyPart) {
  Diagnostic diagnostic;
  diagnostic.file = "kernels/softmax.py";
  diagnostic.line = 27;
  diagnostic.column = 12;
  diagnostic.endColumn = 29;
  diagnostic.sourceLine = "    y = x - gl.max(x, axis=1)";
  diagnostic.message = "cannot add tensors whose layouts differ";
  diagnostic.notes = {{"left", "[64, 128] in A"}, {"right", "[64] in B"}};
  diagnostic.hint = "expand the right side:\ngl.max(x, axis=1)[:, None]";
  diagnostic.callChain = {{"softmax_row", "kernels/softmax.py", 41, "softmax"}};
  EXPECT_EQ(diagnostic.render(), R"(kernels/softmax.py:27:13: error: cannot add tensors whose layouts differ
   27 |     y = x - gl.max(x, axis=1)
      |             ^~~~~~~~~~~~~~~~~
  left:   [64, 128] in A
  right:  [64] in B
  hint:   expand the right side:
          gl.max(x, axis=1)[:, None]
  in softmax_row, called from kernels/softmax.py:41 in softmax)");
  EXPECT_EQ(CompileError(diagnostic).what(), diagnostic.render());
}

TEST(CompileError, withoutAPlace) {
  EXPECT_EQ((Diagnostic{.message = "no source", .hint = "use a file"}).render(),
            "error: no source\n  hint: use a file");
  EXPECT_EQ((Diagnostic{.file = "a.py", .message = "no source"}).render(), "a.py: error: no source");
}

TEST(CompileError, columnsCountCharactersAndTabsAreKept) {
  Diagnostic diagnostic{.file = "a.py", .line = 3, .column = 12, .endColumn = 13, .message = "bad"};
  diagnostic.sourceLine = "\tx = \"\xC3\xA4\xC3\xB6\" + y"; // two letters of two bytes each
  EXPECT_EQ(diagnostic.render(), "a.py:3:11: error: bad\n    3 | \tx = \"\xC3\xA4\xC3\xB6\" + y\n      | \t         ^");
}

TEST(CompileError, rangesBeyondTheLineEndAtItsLastCharacter) {
  Diagnostic diagnostic{.file = "a.py", .line = 1, .column = 4, .endColumn = 99, .message = "bad"};
  diagnostic.sourceLine = "x = f(a,   ";
  EXPECT_EQ(diagnostic.render(), "a.py:1:5: error: bad\n    1 | x = f(a,\n      |     ^~~~");
}

TEST(CompileError, filesBelowTheWorkingDirectoryAreShownRelativeToIt) {
  std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(displayPath(here + "/kernels/a.py"), "kernels/a.py");
  EXPECT_EQ(displayPath(here + "x/a.py"), here + "x/a.py");
  EXPECT_EQ(displayPath("/elsewhere/a.py"), "/elsewhere/a.py");
}
