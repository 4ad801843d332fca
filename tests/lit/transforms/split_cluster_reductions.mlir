// RUN: hocket-opt %s --hocket-split-cluster-reductions | FileCheck %s

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0]]>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Each block has whole rows.
// CHECK-LABEL: @within_blocks
func.func @within_blocks(%x: tensor<64x32xf32, #rows>) -> tensor<64xf32, #hk.slice<dim = 1, parent = #rows>> {
  // CHECK-NEXT: hk.reduce {{.*}} axis = 1
  // CHECK-NOT: hk.convert_layout
  %s = hk.reduce %x axis = 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    hk.combine.return %c : f32
  } : (tensor<64x32xf32, #rows>) -> tensor<64xf32, #hk.slice<dim = 1, parent = #rows>>
  return %s : tensor<64xf32, #hk.slice<dim = 1, parent = #rows>>
}

// Half of each column is in the other block.
// CHECK-LABEL: @between_blocks
func.func @between_blocks(%x: tensor<64x32xf32, #rows>) -> tensor<32xf32, #hk.slice<dim = 0, parent = #rows>> {
  // CHECK: %[[PARTS:.*]] = hk.reshape {{.*}} -> tensor<2x32x32xf32
  // CHECK: %[[OWN:.*]] = hk.reduce %[[PARTS]] axis = 1
  // CHECK: %[[ALL:.*]] = hk.convert_layout %[[OWN]] : tensor<2x32xf32
  // CHECK: %[[SUM:.*]] = hk.reduce %[[ALL]] axis = 0
  // CHECK: hk.convert_layout %[[SUM]] {{.*}} -> tensor<32xf32, #hk.slice<dim = 0
  %s = hk.reduce %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    hk.combine.return %c : f32
  } : (tensor<64x32xf32, #rows>) -> tensor<32xf32, #hk.slice<dim = 0, parent = #rows>>
  return %s : tensor<32xf32, #hk.slice<dim = 0, parent = #rows>>
}
}
