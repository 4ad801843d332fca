// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Eight f16 of a lane are one access of 128 bits, under the mask of the first.
// CHECK-LABEL: llvm.func @vector
// CHECK-SAME: %[[X:[^:]+]]: !llvm.ptr<1> {llvm.align = 16 : i64}
func.func public @vector(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  // CHECK: %[[I:.+]] = llvm.or disjoint
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %ns = hk.splat %n : i32 -> tensor<1024xi32, #b>
  // CHECK: %[[M:.+]] = llvm.icmp "slt" %[[I]]
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f16> -> tensor<1024x!hk.ptr<f16>, #b>
  // CHECK: %[[P:.+]] = llvm.getelementptr %[[X]][%[[I]]]
  %p = hk.addptr %xs, %i : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xi32, #b>
  // CHECK: %[[O:.+]] = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf16>) : vector<8xf16>
  // CHECK: lane.load %[[P]], pred %[[M]], other %[[O]] cache = cg policy = <l2 = evict_first> : !llvm.ptr<1> -> vector<8xf16>
  // CHECK-NOT: lane.load
  %zero = arith.constant dense<0.0> : tensor<1024xf16, #b>
  %v = hk.load %p, mask %m, other %zero cache = cg policy = <l2 = evict_first> : tensor<1024x!hk.ptr<f16>, #b> -> tensor<1024xf16, #b>
  // CHECK: lane.store %[[P]], %{{.+}}, pred %[[M]] cache = cs : !llvm.ptr<1>, vector<8xf16>
  // CHECK-NOT: lane.store
  hk.store %p, %v, mask %m cache = cs : tensor<1024x!hk.ptr<f16>, #b>, tensor<1024xf16, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Only the alignment of the element is known: one element per access.
// CHECK-LABEL: llvm.func @unaligned
func.func public @unaligned(%x: !hk.ptr<f32>) attributes {hk.kernel} {
  %i = hk.arange 0 to 512 : tensor<512xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<512x!hk.ptr<f32>, #b>
  %p = hk.addptr %xs, %i : tensor<512x!hk.ptr<f32>, #b>, tensor<512xi32, #b>
  // CHECK-COUNT-4: lane.load %{{.+}} volatile : !llvm.ptr<1> -> f32
  %v = hk.load %p volatile : tensor<512x!hk.ptr<f32>, #b> -> tensor<512xf32, #b>
  // CHECK-COUNT-4: lane.store %{{.+}} : !llvm.ptr<1>, f32
  hk.store %p, %v : tensor<512x!hk.ptr<f32>, #b>, tensor<512xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4, 1], threads_per_warp = [8, 4], warps_per_cta = [1, 4], order = [0, 1]>
#rows = #hk.slice<dim = 1, parent = #b>
#cols = #hk.slice<dim = 0, parent = #b>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// A column-major tile: vectors go along dimension 0.
// CHECK-LABEL: llvm.func @column_major
func.func public @column_major(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %stride: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %r = hk.arange 0 to 32 : tensor<32xi32, #rows>
  %c = hk.arange 0 to 32 : tensor<32xi32, #cols>
  %r2 = hk.expand_dims %r axis = 1 : tensor<32xi32, #rows> -> tensor<32x1xi32, #b>
  %c2 = hk.expand_dims %c axis = 0 : tensor<32xi32, #cols> -> tensor<1x32xi32, #b>
  %ss = hk.splat %stride : i32 -> tensor<1x32xi32, #b>
  %co = arith.muli %c2, %ss : tensor<1x32xi32, #b>
  %rb = hk.broadcast %r2 : tensor<32x1xi32, #b> -> tensor<32x32xi32, #b>
  %cb = hk.broadcast %co : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
  %o = arith.addi %rb, %cb : tensor<32x32xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<32x32x!hk.ptr<f32>, #b>
  %p = hk.addptr %xs, %o : tensor<32x32x!hk.ptr<f32>, #b>, tensor<32x32xi32, #b>
  // CHECK-COUNT-2: lane.load %{{.+}} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NOT: lane.load
  %v = hk.load %p : tensor<32x32x!hk.ptr<f32>, #b> -> tensor<32x32xf32, #b>
  // CHECK-COUNT-2: lane.store %{{.+}} : !llvm.ptr<1>, vector<4xf32>
  hk.store %p, %v : tensor<32x32x!hk.ptr<f32>, #b>, tensor<32x32xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#wide = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Sixteen elements: lanes 16 to 31 and warps 1 to 3 hold copies. All load, the first stores.
// CHECK-LABEL: llvm.func @replicated
func.func public @replicated(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 16 : tensor<16xi32, #b>
  %xs = hk.splat %x : !hk.ptr<f32> -> tensor<16x!hk.ptr<f32>, #b>
  %p = hk.addptr %xs, %i : tensor<16x!hk.ptr<f32>, #b>, tensor<16xi32, #b>
  // CHECK: lane.load %{{.+}} : !llvm.ptr<1> -> f32
  %v = hk.load %p : tensor<16x!hk.ptr<f32>, #b> -> tensor<16xf32, #b>
  // CHECK-DAG: %[[C16:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[L:.+]] = llvm.and %{{.+}}, %[[C16]]
  // CHECK: %[[C:.+]] = llvm.or %[[L]]
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq" %[[C]]
  // CHECK: lane.store %{{.+}}, pred %[[FIRST]] : !llvm.ptr<1>, f32
  hk.store %p, %v : tensor<16x!hk.ptr<f32>, #b>, tensor<16xf32, #b>
  return
}

}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// A scalar: every lane of every warp loads it, one lane of the block stores it.
// CHECK-LABEL: llvm.func @scalar
// CHECK-SAME: %[[X:[^:]+]]: !llvm.ptr<1>, %[[C:[^:]+]]: i1
func.func public @scalar(%x: !hk.ptr<i64>, %c: i1) attributes {hk.kernel} {
  // All threads load, and the first one stores; the values of the other threads are not used.
  // CHECK: lane.load %[[X]], pred %[[C]] {lane.unused_copies = 255 : i32} : !llvm.ptr<1> -> i64
  %v = hk.load %x, mask %c : !hk.ptr<i64> -> i64
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: %[[M:.+]] = llvm.and %[[FIRST]], %[[C]]
  // CHECK: lane.store %[[X]], %{{.+}}, pred %[[M]] : !llvm.ptr<1>, i64
  hk.store %x, %v, mask %c : !hk.ptr<i64>, i64
  return
}
}
