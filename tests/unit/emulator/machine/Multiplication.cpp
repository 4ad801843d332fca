//===- Multiplication.cpp - Random matrices through a matrix instruction, checked by plain loops -----------===//
#include "Multiplication.h"

#include "TestKernel.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace hocket {

using llvm::APFloat;

double Element::decode(uint64_t raw) const {
  if (!semantics)
    return bits == 8 ? double(int8_t(raw)) : double(int32_t(raw));
  APFloat value(*semantics, llvm::APInt(bits, raw));
  bool loses = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

namespace {

/// 128 bytes at an address that every vector is aligned to.
struct alignas(128) Chunk {
  std::byte bytes[128];
};
using Memory = std::vector<Chunk>;
std::byte *bytesOf(Memory &memory) { return memory.data()->bytes; }

uint64_t readBits(const std::byte *memory, unsigned first, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i)
    value |= uint64_t(uint8_t(memory[(first + i) / 8]) >> (first + i) % 8 & 1) << i;
  return value;
}
void writeBits(std::byte *memory, unsigned first, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width; ++i)
    if (value >> i & 1)
      memory[(first + i) / 8] |= std::byte(1 << (first + i) % 8);
}

struct Slot {
  unsigned lane, element;
};

Slot slotOfInput(unsigned index, unsigned k, unsigned block, unsigned size, const Product &product, unsigned bits) {
  unsigned perLane = size * product.k * product.blocks / 64;
  if (product.isScaled && bits == 8) // two halves of 16 elements
    return {index + size * (k % (product.k / 2) / 16), k % 16 + 16 * (k / (product.k / 2))};
  return {index + size * (block + product.blocks * (k / perLane)), k % perLane};
}

Slot slotOfResult(unsigned i, unsigned j, unsigned block, const Product &product) {
  unsigned m = product.m, n = product.n, height = product.c.bits == 64 ? 1 : 4;
  unsigned across = std::max(1u, 64 * height / (m * n)), groups = 64 / across / n, strips = m / (height * groups);
  return {j + n * (i / height % groups + groups * (block % across)),
          i % height + height * (i / (height * groups) + strips * (block / across))};
}

class Multiplication {
public:
  explicit Multiplication(const Product &product) : product(product) {
    fill(product.a, product.m, strideA(), a, valuesA);
    fill(product.b, product.n, strideB(), b, valuesB);
    c.resize(64);
    valuesC.resize(size_t(product.m) * product.n * product.blocks);
    for (unsigned block = 0; block < product.blocks; ++block)
      for (unsigned i = 0; i < product.m; ++i)
        for (unsigned j = 0; j < product.n; ++j) {
          uint64_t bits = product.c.semantics ? bitsOfNumber(std::ldexp(double(random() % 2001) - 1000, -6))
                                              : uint64_t(uint32_t(random()));
          Slot slot = slotOfResult(i, j, block, product);
          writeBits(bytesOf(c), (slot.lane * strideC() * 8) + slot.element * product.c.bits, product.c.bits, bits);
          valuesC[(block * product.m + i) * product.n + j] = product.c.decode(bits);
        }
    for (auto *scales : {&scalesA, &scalesB})
      for (int lane = 0; lane < 64; ++lane)
        scales->push_back(uint32_t(random()) % 8 * 0x01010101 + 0x7a7c7e80);
  }

  void runAndCheck() {
    Memory out(64);
    auto kernel = compile(source());
    ASSERT_EQ(textOf(kernel->launch({1, 1, 1}, {array("a", a, "int8"), array("b", b, "int8"), array("c", c, "int8"),
                                                array("x", scalesA, "int32"), array("y", scalesB, "int32"),
                                                array("out", out, "int8")})),
              "ok");
    for (unsigned block = 0; block < product.blocks; ++block)
      for (unsigned i = 0; i < product.m; ++i)
        for (unsigned j = 0; j < product.n; ++j)
          check(out, block, i, j);
  }

private:
  unsigned strideA() const { return bytesPerLane(product.m, product.a); }
  unsigned strideB() const { return bytesPerLane(product.n, product.b); }
  unsigned strideC() const { return product.m * product.n * product.blocks * product.c.bits / 8 / 64; }
  /// Registers of 24 bytes are read as 32.
  unsigned bytesPerLane(unsigned size, const Element &element) const {
    unsigned bytes = size * product.k * product.blocks * element.bits / 8 / 64;
    return bytes == 24 ? 32 : bytes;
  }

  uint64_t bitsOfNumber(double value) const {
    if (product.c.bits == 64)
      return std::bit_cast<uint64_t>(value);
    return std::bit_cast<uint32_t>(float(value));
  }

  uint64_t randomBits(const Element &element) {
    for (;;) {
      uint64_t bits = random() & ((uint64_t(2) << (element.bits - 1)) - 1);
      // Wide floats have moderate magnitudes, so that sums keep their digits; narrow ones have any finite value.
      if (element.bits >= 32 && element.semantics)
        bits = element.bits == 64 ? std::bit_cast<uint64_t>(double(int64_t(bits)) * 0x1p-62)
                                  : std::bit_cast<uint32_t>(float(int32_t(bits)) * 0x1p-30f);
      double value = element.decode(bits);
      if (std::isfinite(value) && std::abs(value) < 1e6)
        return bits;
    }
  }

  void fill(const Element &element, unsigned size, unsigned stride, Memory &memory, std::vector<double> &values) {
    memory.resize(64);
    values.resize(size_t(size) * product.k * product.blocks);
    for (unsigned block = 0; block < product.blocks; ++block)
      for (unsigned i = 0; i < size; ++i)
        for (unsigned k = 0; k < product.k; ++k) {
          uint64_t bits = randomBits(element);
          Slot slot = slotOfInput(i, k, block, size, product, element.bits);
          writeBits(bytesOf(memory), slot.lane * stride * 8 + slot.element * element.bits, element.bits, bits);
          if (std::string(element.name) == "xf32")
            bits &= 0xffffe000;
          values[(block * size + i) * product.k + k] = element.decode(bits);
        }
  }

  /// Copies `stride` bytes per lane between the parameter `name` and the lane's stack, up to 16 at a time.
  static std::string copy(const std::string &name, unsigned stride, bool toStack) {
    unsigned width = std::min(stride, 16u);
    std::string bytes = std::to_string(stride), text;
    std::string type = width == 16 ? "vector<4xi32>" : "i" + std::to_string(8 * width);
    text = "%g" + name + " = llvm.getelementptr %" + name + "[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " +
           "!llvm.array<" + bytes + " x i8>\n";
    for (unsigned offset = 0; offset < stride; offset += width) {
      std::string at = std::to_string(offset), piece = name + at;
      text += "%p" + piece + " = llvm.getelementptr %g" + name + "[" + at + "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8\n" +
              "%q" + piece + " = llvm.getelementptr %s" + name + "[" + at + "] : (!llvm.ptr) -> !llvm.ptr, i8\n";
      if (toStack)
        text += "%w" + piece + " = lane.load %p" + piece + " : !llvm.ptr<1> -> " + type + "\nllvm.store %w" + piece +
                ", %q" + piece + " : " + type + ", !llvm.ptr\n";
      else
        text += "%w" + piece + " = llvm.load %q" + piece + " : !llvm.ptr -> " + type + "\nlane.store %p" + piece +
                ", %w" + piece + " : !llvm.ptr<1>, " + type + "\n";
    }
    return text;
  }
  static std::string load(const std::string &name, unsigned stride, const std::string &type) {
    return "%s" + name + " = llvm.alloca %size x i8 {alignment = 128} : (i32) -> !llvm.ptr\n" +
           copy(name, stride, true) + "%v" + name + " = llvm.load %s" + name + " : !llvm.ptr -> " + type + "\n";
  }

  TestKernel source() const {
    auto constant = [](const std::string &name, int value) {
      return "%" + name + " = llvm.mlir.constant(" + std::to_string(value) + " : i32) : i32\n";
    };
    std::string types = product.typeA + ", " + product.typeB + ", " + product.typeC + ", i32, i32, i32";
    std::string body = "%tid = rocdl.workitem.id.x : i32\n" + constant("size", 128) +
                       load("a", strideA(), product.typeA) + load("b", strideB(), product.typeB) +
                       load("c", strideC(), product.typeC) + load("x", 4, "i32") + load("y", 4, "i32") +
                       constant("fa", product.formatA) + constant("fb", product.formatB) +
                       constant("oa", product.byteA) + constant("ob", product.byteB);
    body += "%d = rocdl." + product.name + " %va, %vb, %vc, ";
    body += product.isScaled ? "%fa, %fb, %oa, %vx, %ob, %vy : (" + types + ", i32, i32, i32)"
                             : "%fa, %fb, %fb : (" + types + ")";
    body += " -> " + product.typeC + "\n%sout = llvm.alloca %size x i8 {alignment = 128} : (i32) -> !llvm.ptr\n" +
            "llvm.store %d, %sout : " + product.typeC + ", !llvm.ptr\n" + copy("out", strideC(), false);
    return {.target = product.target,
            .parameters = "%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %x: !llvm.ptr<1>, "
                          "%y: !llvm.ptr<1>, %out: !llvm.ptr<1>",
            .body = body};
  }

  double scaleOf(const std::vector<uint32_t> &scales, unsigned byte, unsigned index, unsigned k, unsigned size) const {
    if (!product.isScaled)
      return 1;
    return std::ldexp(1.0, int(scales[index + size * (k / 32)] >> 8 * byte & 255) - 127);
  }

  void check(Memory &out, unsigned block, unsigned i, unsigned j) {
    double sum = valuesC[(block * product.m + i) * product.n + j], magnitude = std::abs(sum);
    for (unsigned k = 0; k < product.k; ++k) {
      double term = valuesA[(block * product.m + i) * product.k + k] *
                    valuesB[(block * product.n + j) * product.k + k] *
                    scaleOf(scalesA, unsigned(product.byteA), i, k, product.m) *
                    scaleOf(scalesB, unsigned(product.byteB), j, k, product.n);
      sum += term;
      magnitude += std::abs(term);
    }
    Slot slot = slotOfResult(i, j, block, product);
    uint64_t bits = readBits(bytesOf(out), slot.lane * strideC() * 8 + slot.element * product.c.bits, product.c.bits);
    if (!product.c.semantics)
      ASSERT_EQ(uint32_t(bits), uint32_t(int64_t(sum))) << "i " << i << ", j " << j << ", block " << block;
    else
      ASSERT_NEAR(product.c.decode(bits), sum, magnitude * product.k * (product.c.bits == 64 ? 0x1p-52 : 0x1p-23))
          << "i " << i << ", j " << j << ", block " << block;
  }

  Product product;
  std::mt19937_64 random{20};
  Memory a, b, c;
  std::vector<double> valuesA, valuesB, valuesC;
  std::vector<uint32_t> scalesA, scalesB;
};

} // namespace

void checkMultiplication(const Product &product) { Multiplication(product).runAndCheck(); }

} // namespace hocket
