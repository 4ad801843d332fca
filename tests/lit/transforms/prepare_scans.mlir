// RUN: hocket-opt %s --hocket-prepare-scans | FileCheck %s

#row = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#backwards = #hk.linear<reg = [[1], [2]], lane = [[64], [32], [16], [8], [4]], warp = [[128], [256]], block = [], shape = [512]>
#halves = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1]]>

// CHECK-DAG: #[[ROW:.+]] = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
// CHECK-DAG: #[[BACKWARDS:.+]] = #hk.linear
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Successive lanes hold successive elements: nothing to do.
// CHECK-LABEL: @has_a_plan
func.func @has_a_plan(%x: tensor<512xf32, #row>) -> tensor<512xf32, #row> {
  // CHECK-NEXT: hk.scan
  // CHECK-NOT: hk.convert_layout
  %y = hk.scan %x axis = 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    hk.combine.return %c : f32
  } : (tensor<512xf32, #row>) -> tensor<512xf32, #row>
  return %y : tensor<512xf32, #row>
}

// CHECK-LABEL: @has_none
func.func @has_none(%x: tensor<512xf32, #backwards>, %i: tensor<512xi32, #backwards>)
    -> (tensor<512xf32, #backwards>, tensor<512xi32, #backwards>) {
  // CHECK: %[[X:.+]] = hk.convert_layout %{{.+}} : tensor<512xf32, #[[BACKWARDS]]> -> tensor<512xf32, #[[ROW]]>
  // CHECK: %[[I:.+]] = hk.convert_layout %{{.+}} : tensor<512xi32, #[[BACKWARDS]]> -> tensor<512xi32, #[[ROW]]>
  // CHECK: %[[S:.+]]:2 = hk.scan %[[X]], %[[I]] axis = 0
  // CHECK: %[[F:.+]] = hk.convert_layout %[[S]]#0 : tensor<512xf32, #[[ROW]]> -> tensor<512xf32, #[[BACKWARDS]]>
  // CHECK: %[[G:.+]] = hk.convert_layout %[[S]]#1 : tensor<512xi32, #[[ROW]]> -> tensor<512xi32, #[[BACKWARDS]]>
  // CHECK: return %[[F]], %[[G]]
  %y:2 = hk.scan %x, %i axis = 0 {
  ^bb0(%a: f32, %k: i32, %b: f32, %j: i32):
    %c = arith.addf %a, %b : f32
    hk.combine.return %c, %j : f32, i32
  } : (tensor<512xf32, #backwards>, tensor<512xi32, #backwards>)
    -> (tensor<512xf32, #backwards>, tensor<512xi32, #backwards>)
  return %y#0, %y#1 : tensor<512xf32, #backwards>, tensor<512xi32, #backwards>
}
}
