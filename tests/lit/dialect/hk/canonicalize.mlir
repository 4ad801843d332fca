// RUN: hocket-opt %s --canonicalize --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// CHECK-LABEL: @splat_of_constant
func.func @splat_of_constant() -> (tensor<128xf32, #b>, tensor<128xi1, #b>) {
  // CHECK-DAG: arith.constant dense<1.500000e+00> : tensor<128xf32, #blocked>
  // CHECK-DAG: arith.constant dense<true> : tensor<128xi1, #blocked>
  // CHECK-NOT: hk.splat
  %f = arith.constant 1.5 : f32
  %t = arith.constant true
  %0 = hk.splat %f : f32 -> tensor<128xf32, #b>
  %1 = hk.splat %t : i1 -> tensor<128xi1, #b>
  return %0, %1 : tensor<128xf32, #b>, tensor<128xi1, #b>
}

// CHECK-LABEL: @splat_of_value_stays
func.func @splat_of_value_stays(%x: f32) -> tensor<128xf32, #b> {
  // CHECK: hk.splat
  %0 = hk.splat %x : f32 -> tensor<128xf32, #b>
  return %0 : tensor<128xf32, #b>
}

// CHECK-LABEL: @addptr_of_zero
// CHECK-SAME: (%[[P:.+]]: !hk.ptr<f32>, %[[PS:.+]]: tensor
func.func @addptr_of_zero(%p: !hk.ptr<f32>, %ps: tensor<128x!hk.ptr<f32>, #b>)
    -> (!hk.ptr<f32>, tensor<128x!hk.ptr<f32>, #b>) {
  // CHECK: return %[[P]], %[[PS]]
  %zero = arith.constant 0 : i32
  %zeros = hk.splat %zero : i32 -> tensor<128xi32, #b>
  %0 = hk.addptr %p, %zero : !hk.ptr<f32>, i32
  %1 = hk.addptr %ps, %zeros : tensor<128x!hk.ptr<f32>, #b>, tensor<128xi32, #b>
  return %0, %1 : !hk.ptr<f32>, tensor<128x!hk.ptr<f32>, #b>
}

// CHECK-LABEL: @addptr_of_one_stays
func.func @addptr_of_one_stays(%p: !hk.ptr<f32>) -> !hk.ptr<f32> {
  // CHECK: hk.addptr
  %one = arith.constant 1 : i32
  %0 = hk.addptr %p, %one : !hk.ptr<f32>, i32
  return %0 : !hk.ptr<f32>
}

// CHECK-LABEL: @ptr_cast_to_same_type
// CHECK-SAME: (%[[P:.+]]: !hk.ptr<f32>)
func.func @ptr_cast_to_same_type(%p: !hk.ptr<f32>) -> !hk.ptr<f32> {
  // CHECK: return %[[P]]
  %0 = hk.ptr_cast %p : !hk.ptr<f32> -> !hk.ptr<f32>
  return %0 : !hk.ptr<f32>
}

// -----

#b = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
#c = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>

// CHECK-LABEL: @convert_to_same_layout
// CHECK-SAME: (%[[X:.+]]: tensor
func.func @convert_to_same_layout(%x: tensor<16x32xf32, #b>) -> tensor<16x32xf32, #b> {
  // CHECK: return %[[X]]
  %0 = hk.convert_layout %x : tensor<16x32xf32, #b> -> tensor<16x32xf32, #b>
  return %0 : tensor<16x32xf32, #b>
}

// CHECK-LABEL: @convert_there_and_back
// CHECK-SAME: (%[[X:.+]]: tensor
func.func @convert_there_and_back(%x: tensor<16x32xf32, #b>) -> tensor<16x32xf32, #b> {
  // CHECK: return %[[X]]
  %0 = hk.convert_layout %x : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  %1 = hk.convert_layout %0 : tensor<16x32xf32, #c> -> tensor<16x32xf32, #b>
  return %1 : tensor<16x32xf32, #b>
}

// CHECK-LABEL: @convert_of_convert
// CHECK-SAME: (%[[X:.+]]: tensor
func.func @convert_of_convert(%x: tensor<16xf32, #hk.slice<dim = 1, parent = #b>>)
    -> tensor<16xf32, #hk.slice<dim = 0, parent = #c>> {
  // CHECK: hk.convert_layout %[[X]] : tensor<16xf32, #hk.slice<dim = 1, parent = #blocked>> -> tensor<16xf32, #hk.slice<dim = 0, parent = #blocked1>>
  // CHECK-NOT: hk.convert_layout
  %0 = hk.convert_layout %x : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16xf32, #hk.slice<dim = 0, parent = #b>>
  %1 = hk.convert_layout %0 : tensor<16xf32, #hk.slice<dim = 0, parent = #b>> -> tensor<16xf32, #hk.slice<dim = 0, parent = #c>>
  return %1 : tensor<16xf32, #hk.slice<dim = 0, parent = #c>>
}

// CHECK-LABEL: @convert_of_splat
func.func @convert_of_splat(%x: f32) -> tensor<16x32xf32, #c> {
  // CHECK: hk.splat %{{.+}} : f32 -> tensor<16x32xf32, #blocked1>
  // CHECK-NOT: hk.convert_layout
  %0 = hk.splat %x : f32 -> tensor<16x32xf32, #b>
  %1 = hk.convert_layout %0 : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  return %1 : tensor<16x32xf32, #c>
}

// CHECK-LABEL: @convert_of_constant
func.func @convert_of_constant() -> (tensor<2x2xi32, #c>, tensor<16x32xf32, #c>) {
  // CHECK-DAG: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32, #blocked1>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<16x32xf32, #blocked1>
  // CHECK-NOT: hk.convert_layout
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32, #b>
  %1 = hk.convert_layout %0 : tensor<2x2xi32, #b> -> tensor<2x2xi32, #c>
  %2 = arith.constant dense<2.0> : tensor<16x32xf32, #b>
  %3 = hk.convert_layout %2 : tensor<16x32xf32, #b> -> tensor<16x32xf32, #c>
  return %1, %3 : tensor<2x2xi32, #c>, tensor<16x32xf32, #c>
}

// CHECK-LABEL: @views_of_splat
func.func @views_of_splat(%x: f32) -> (tensor<32x16xf32, #c>) {
  // CHECK: %[[S:.+]] = hk.splat %{{.+}} : f32 -> tensor<32x16xf32, #blocked1>
  // CHECK: return %[[S]]
  %0 = hk.splat %x : f32 -> tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  %1 = hk.expand_dims %0 axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf32, #b>
  %2 = hk.broadcast %1 : tensor<16x1xf32, #b> -> tensor<16x32xf32, #b>
  %3 = hk.permute %2 [1, 0] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #c>
  return %3 : tensor<32x16xf32, #c>
}

// CHECK-LABEL: @views_of_constant
func.func @views_of_constant() -> (tensor<32x16xf32, #c>) {
  // CHECK: arith.constant dense<1.000000e+00> : tensor<32x16xf32, #blocked1>
  // CHECK-NEXT: return
  %0 = arith.constant dense<1.0> : tensor<16xf32, #hk.slice<dim = 1, parent = #b>>
  %1 = hk.expand_dims %0 axis = 1 : tensor<16xf32, #hk.slice<dim = 1, parent = #b>> -> tensor<16x1xf32, #b>
  %2 = hk.broadcast %1 : tensor<16x1xf32, #b> -> tensor<16x32xf32, #b>
  %3 = hk.permute %2 [1, 0] : tensor<16x32xf32, #b> -> tensor<32x16xf32, #c>
  return %3 : tensor<32x16xf32, #c>
}

// CHECK-LABEL: @views_that_change_nothing
// CHECK-SAME: (%[[X:.+]]: tensor
func.func @views_that_change_nothing(%x: tensor<16x32xf32, #b>) -> tensor<16x32xf32, #b> {
  // CHECK-NEXT: return %[[X]]
  %0 = hk.broadcast %x : tensor<16x32xf32, #b> -> tensor<16x32xf32, #b>
  %1 = hk.reshape %0 : tensor<16x32xf32, #b> -> tensor<16x32xf32, #b>
  %2 = hk.permute %1 [0, 1] : tensor<16x32xf32, #b> -> tensor<16x32xf32, #b>
  return %2 : tensor<16x32xf32, #b>
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

// CHECK-LABEL: @volatile_load_is_kept
func.func @volatile_load_is_kept(%p: !hk.ptr<f32>) {
  // CHECK: hk.load %{{.+}} volatile
  // CHECK-NOT: hk.load
  %0 = hk.load %p volatile : !hk.ptr<f32> -> f32
  %1 = hk.load %p : !hk.ptr<f32> -> f32
  return
}

// CHECK-LABEL: @unused_buffer_is_removed
func.func @unused_buffer_is_removed(%x: tensor<128xf32, #b>) {
  // CHECK-NOT: hk.local_alloc
  %0 = hk.local_alloc %x : (tensor<128xf32, #b>) -> !hk.memdesc<128xf32, #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>>
  return
}

// CHECK-LABEL: @atomic_is_kept
func.func @atomic_is_kept(%p: !hk.ptr<f32>, %x: f32) {
  // CHECK: hk.atomic_rmw
  %0 = hk.atomic_rmw fadd, %p, %x : !hk.ptr<f32>, f32
  return
}
