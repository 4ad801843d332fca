// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Coordinates: the lane's part (lane << 2 | warp << 7) plus a constant per register; registers 4 to 7 wrap around to
// the second half of the tensor.
// CHECK-LABEL: llvm.func @arange
func.func public @arange(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK-DAG: %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // CHECK-DAG: %[[LANE:.+]] = llvm.and %[[TID]]
  // CHECK-DAG: %[[WARP:.+]] = llvm.lshr %[[TID]]
  // CHECK-DAG: %[[L2:.+]] = llvm.shl %[[LANE]]
  // CHECK-DAG: %[[W7:.+]] = llvm.shl %[[WARP]]
  // CHECK: %[[BASE:.+]] = llvm.or disjoint %[[L2]], %[[W7]]
  // CHECK: %[[C1:.+]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.add %[[BASE]], %[[C1]] overflow<nuw>
  // CHECK: %[[C515:.+]] = llvm.mlir.constant(515 : i32)
  // CHECK: llvm.add %[[BASE]], %[[C515]] overflow<nuw>
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  // The start is added.
  // CHECK: llvm.mlir.constant(4096 : i32)
  %j = hk.arange 4096 to 5120 : tensor<1024xi32, #b>
  %k = arith.muli %i, %j : tensor<1024xi32, #b>
  %ps = hk.splat %p : !hk.ptr<i32> -> tensor<1024x!hk.ptr<i32>, #b>
  %pi = hk.addptr %ps, %k : tensor<1024x!hk.ptr<i32>, #b>, tensor<1024xi32, #b>
  hk.store %pi, %k : tensor<1024x!hk.ptr<i32>, #b>, tensor<1024xi32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2, 2], threads_per_warp = [8, 4], warps_per_cta = [1, 1], order = [1, 0]>
#bt = #hk.blocked<size_per_thread = [2, 2], threads_per_warp = [4, 8], warps_per_cta = [1, 1], order = [0, 1]>
#rows = #hk.slice<dim = 1, parent = #b>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// Views emit no code: the broadcast repeats both registers of a row (rows i and i+1); then their order changes.
// CHECK-LABEL: llvm.func @renumber
// CHECK-SAME: %[[P:.+]]: !llvm.ptr<1>
func.func public @renumber(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: %[[R0:.+]] = llvm.lshr
  // CHECK: %[[R1:.+]] = llvm.add %[[R0]]
  %r = hk.arange 0 to 16 : tensor<16xi32, #rows>
  %e = hk.expand_dims %r axis = 1 : tensor<16xi32, #rows> -> tensor<16x1xi32, #b>
  %m = hk.broadcast %e : tensor<16x1xi32, #b> -> tensor<16x8xi32, #b>
  %t = hk.permute %m [1, 0] : tensor<16x8xi32, #b> -> tensor<8x16xi32, #bt>
  %ps = hk.splat %p : !hk.ptr<i32> -> tensor<8x16x!hk.ptr<i32>, #bt>
  // CHECK-NEXT: %[[P0:.+]] = llvm.getelementptr %[[P]][%[[R0]]]
  // CHECK-NEXT: %[[P1:.+]] = llvm.getelementptr %[[P]][%[[R0]]]
  // CHECK-NEXT: %[[P2:.+]] = llvm.getelementptr %[[P]][%[[R1]]]
  // CHECK-NEXT: %[[P3:.+]] = llvm.getelementptr %[[P]][%[[R1]]]
  %pt = hk.addptr %ps, %t : tensor<8x16x!hk.ptr<i32>, #bt>, tensor<8x16xi32, #bt>
  // CHECK-NEXT: lane.store %[[P0]], %[[R0]]
  // CHECK-NEXT: lane.store %[[P1]], %[[R0]]
  // CHECK-NEXT: lane.store %[[P2]], %[[R1]]
  // CHECK-NEXT: lane.store %[[P3]], %[[R1]]
  hk.store %pt, %t : tensor<8x16x!hk.ptr<i32>, #bt>, tensor<8x16xi32, #bt>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>
#m = #hk.linear<reg = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], shape = [16, 16]>

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @reshape
func.func public @reshape(%p: !hk.ptr<i32>) attributes {hk.kernel} {
  // CHECK: %[[R0:.+]] = llvm.shl
  // CHECK: %[[R1:.+]] = llvm.add %[[R0]]
  // CHECK: %[[R2:.+]] = llvm.add %[[R0]]
  // CHECK: %[[R3:.+]] = llvm.add %[[R0]]
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  %m = hk.reshape %i : tensor<256xi32, #b> -> tensor<16x16xi32, #m>
  %ps = hk.splat %p : !hk.ptr<i32> -> tensor<16x16x!hk.ptr<i32>, #m>
  // CHECK: lane.store %{{.+}}, %[[R0]]
  // CHECK: lane.store %{{.+}}, %[[R1]]
  // CHECK: lane.store %{{.+}}, %[[R2]]
  // CHECK: lane.store %{{.+}}, %[[R3]]
  %pm = hk.addptr %ps, %m : tensor<16x16x!hk.ptr<i32>, #m>, tensor<16x16xi32, #m>
  hk.store %pm, %m : tensor<16x16x!hk.ptr<i32>, #m>, tensor<16x16xi32, #m>
  return
}
}
