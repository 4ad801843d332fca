//===- MatrixTiles.h - Copies between the registers of lanes and row-major matrices ----------===//
//
// Elements are copied as vectors if four elements of a lane are consecutive in a row of the matrix, or if four elements
// of each of four lanes are a transposed 4 x 4 tile (MatrixIndices.h).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_EMULATOR_MACHINE_MATRIXTILES_H
#define HOCKET_EMULATOR_MACHINE_MATRIXTILES_H

#include "emulator/machine/MatrixIndices.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace hocket::emulator {

// The calling convention for vectors of four doubles depends on AVX. Such vectors must be passed only to inlined
// functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

template <typename Number>
class MatrixTiles {
public:
  MatrixTiles(const ElementIndices &indices, size_t lanes)
      : indices(indices), lanes(lanes), perLane(indices.size() / lanes) {}

  /// Copies the elements of all lanes to `matrix`. `ofLane(lane)` returns the address of a lane's elements, which are
  /// contiguous.
  template <typename OfLane>
  void toMatrix(OfLane ofLane, Number *matrix) const {
    if (indices.pattern == ElementIndices::Pattern::Along)
      return forEachFour([&](size_t lane, size_t element) {
        put(matrix + indices.of[lane * perLane + element], get(at(ofLane(lane), element)));
      });
    if (indices.pattern == ElementIndices::Pattern::Across)
      return forEachTile([&](size_t lane, size_t element) {
        Tile tile;
        for (size_t i = 0; i < 4; ++i)
          tile[i] = get(at(ofLane(lane + i), element));
        tile = transposed(tile);
        for (size_t i = 0; i < 4; ++i)
          put(matrix + indices.of[lane * perLane + element] + i * indices.stride, tile[i]);
      });
    for (size_t lane = 0; lane < lanes; ++lane)
      for (size_t i = 0; i < perLane; ++i)
        std::memcpy(matrix + indices.of[lane * perLane + i], at(ofLane(lane), i), sizeof(Number));
  }

  template <typename OfLane>
  void toLanes(const Number *matrix, OfLane ofLane) const {
    if (indices.pattern == ElementIndices::Pattern::Along)
      return forEachFour([&](size_t lane, size_t element) {
        put(at(ofLane(lane), element), get(matrix + indices.of[lane * perLane + element]));
      });
    if (indices.pattern == ElementIndices::Pattern::Across)
      return forEachTile([&](size_t lane, size_t element) {
        Tile tile;
        for (size_t i = 0; i < 4; ++i)
          tile[i] = get(matrix + indices.of[lane * perLane + element] + i * indices.stride);
        tile = transposed(tile);
        for (size_t i = 0; i < 4; ++i)
          put(at(ofLane(lane + i), element), tile[i]);
      });
    for (size_t lane = 0; lane < lanes; ++lane)
      for (size_t i = 0; i < perLane; ++i)
        std::memcpy(at(ofLane(lane), i), matrix + indices.of[lane * perLane + i], sizeof(Number));
  }

private:
  using Four [[gnu::vector_size(4 * sizeof(Number))]] = Number;
  using Tile = std::array<Four, 4>;

  static Four get(const void *from) {
    Four four;
    std::memcpy(&four, from, sizeof(four));
    return four;
  }
  static void put(void *to, Four four) { std::memcpy(to, &four, sizeof(four)); }
  static const std::byte *at(const std::byte *lane, size_t element) { return lane + element * sizeof(Number); }
  static std::byte *at(std::byte *lane, size_t element) { return lane + element * sizeof(Number); }

  static Tile transposed(const Tile &tile) {
    Four low01 = __builtin_shufflevector(tile[0], tile[1], 0, 4, 1, 5),
         low23 = __builtin_shufflevector(tile[2], tile[3], 0, 4, 1, 5),
         high01 = __builtin_shufflevector(tile[0], tile[1], 2, 6, 3, 7),
         high23 = __builtin_shufflevector(tile[2], tile[3], 2, 6, 3, 7);
    return {__builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
            __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  }
  template <typename Function>
  void forEachFour(Function function) const {
    for (size_t lane = 0; lane < lanes; ++lane)
      for (size_t element = 0; element < perLane; element += 4)
        function(lane, element);
  }
  template <typename Function>
  void forEachTile(Function function) const {
    for (size_t lane = 0; lane < lanes; lane += 4)
      for (size_t element = 0; element < perLane; element += 4)
        function(lane, element);
  }

  const ElementIndices &indices;
  const size_t lanes, perLane;
};

#pragma clang diagnostic pop

} // namespace hocket::emulator

#endif
