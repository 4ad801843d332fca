// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [64], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32} {
// Eight bf16 of a lane are one access of four words. Where the mask is false, the offset is out of bounds.
// CHECK-LABEL: llvm.func @vector
// CHECK-SAME: %[[X:[^:]+]]: !llvm.ptr<1>
func.func public @vector(%x: !hk.ptr<bf16> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  // CHECK: %[[I:.+]] = llvm.or disjoint
  %i = hk.arange 0 to 2048 : tensor<2048xi32, #b>
  %ns = hk.splat %n : i32 -> tensor<2048xi32, #b>
  // CHECK: %[[M:.+]] = llvm.icmp "slt" %[[I]]
  %m = arith.cmpi slt, %i, %ns : tensor<2048xi32, #b>
  // CHECK-DAG: %[[BYTES:.+]] = llvm.mlir.constant(2147483646 : i64)
  // CHECK-DAG: %[[FLAGS:.+]] = llvm.mlir.constant(159744 : i32)
  // CHECK: %[[R:.+]] = rocdl.make.buffer.rsrc %[[X]], %{{.+}}, %[[BYTES]], %[[FLAGS]] : <1> to <8>
  // CHECK: %[[SC1:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[B:.+]] = llvm.mul %[[I]], %[[TWO]]
  // CHECK: %[[OUTSIDE:.+]] = llvm.mlir.constant(-2147483648 : i32)
  // CHECK: %[[O:.+]] = llvm.select %[[M]], %[[B]], %[[OUTSIDE]]
  // CHECK: %[[V:.+]] = rocdl.raw.ptr.buffer.load %[[R]], %[[O]], %{{.+}}, %[[SC1]] : vector<4xi32>
  // CHECK: %[[W:.+]] = llvm.bitcast %[[V]] : vector<4xi32> to vector<8xbf16>
  // CHECK: %[[ONES:.+]] = llvm.mlir.constant(dense<1.000000e+00> : vector<8xbf16>)
  // CHECK: llvm.select %[[M]], %[[W]], %[[ONES]]
  // CHECK-NOT: rocdl.raw.ptr.buffer.load
  %one = arith.constant dense<1.0> : tensor<2048xbf16, #b>
  %v = hk_amd.buffer_load %x[%i], mask %m, other %one cache = cg : !hk.ptr<bf16>, tensor<2048xi32, #b> -> tensor<2048xbf16, #b>
  // CHECK: %[[S:.+]] = rocdl.make.buffer.rsrc
  // CHECK: %[[NT:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: rocdl.raw.ptr.buffer.store %{{.+}}, %[[S]], %{{.+}}, %{{.+}}, %[[NT]] : vector<4xi32>
  // CHECK-NOT: rocdl.raw.ptr.buffer.store
  hk_amd.buffer_store %v, %x[%i], mask %m cache = cs : tensor<2048xbf16, #b>, !hk.ptr<bf16>, tensor<2048xi32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
// Out-of-bounds loads return zero, so no select is needed. Without a mask no offset is out of bounds.
// CHECK-LABEL: llvm.func @zero
func.func public @zero(%x: !hk.ptr<f32> {hk.divisibility = 16 : i32}, %c: i1) attributes {hk.kernel} {
  %i = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %m = hk.splat %c : i1 -> tensor<1024xi1, #b>
  // CHECK: llvm.select %arg1, %{{.+}} : i1, i32
  // CHECK: rocdl.raw.ptr.buffer.load %{{.+}} : vector<4xf32>
  // CHECK-NOT: llvm.select
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #b>
  %v = hk_amd.buffer_load %x[%i], mask %m, other %zero : !hk.ptr<f32>, tensor<1024xi32, #b> -> tensor<1024xf32, #b>
  // CHECK: rocdl.make.buffer.rsrc
  // CHECK: %[[POLICY:.+]] = llvm.mlir.constant(17 : i32)
  // CHECK: rocdl.raw.ptr.buffer.store %{{.+}}, %[[POLICY]] : vector<4xf32>
  hk_amd.buffer_store %v, %x[%i] cache = wt : tensor<1024xf32, #b>, !hk.ptr<f32>, tensor<1024xi32, #b>
  // CHECK: llvm.return
  return
}

// The width is that of base and offsets together: here offsets are multiples of 2 elements of an unknown base, then of
// a base that is a multiple of 4 bytes.
// CHECK-LABEL: llvm.func @divisibility
func.func public @divisibility(%x: !hk.ptr<f16>, %y: !hk.ptr<f16> {hk.divisibility = 4 : i32}, %k: i32 {hk.divisibility = 2 : i32}) attributes {hk.kernel} {
  %r = hk.arange 0 to 1024 : tensor<1024xi32, #b>
  %ks = hk.splat %k : i32 -> tensor<1024xi32, #b>
  %i = arith.addi %r, %ks : tensor<1024xi32, #b>
  // CHECK-COUNT-4: rocdl.raw.ptr.buffer.load %{{.+}} : i16
  %v = hk_amd.buffer_load %x[%i] : !hk.ptr<f16>, tensor<1024xi32, #b> -> tensor<1024xf16, #b>
  // CHECK-COUNT-2: rocdl.raw.ptr.buffer.store %{{.+}} : i32
  hk_amd.buffer_store %v, %y[%i] : tensor<1024xf16, #b>, !hk.ptr<f16>, tensor<1024xi32, #b>
  // CHECK: llvm.return
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [64, 1], warps_per_cta = [1, 4], order = [1, 0]>
#rows = #hk.slice<dim = 1, parent = #b>

module attributes {hk.target = "gfx942", hk.num_warps = 4 : i32} {
// Four warps hold the same rows: the first one stores them.
// CHECK-LABEL: llvm.func @replicated
func.func public @replicated(%x: !hk.ptr<i8> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 64 : tensor<64xi32, #rows>
  // CHECK: rocdl.raw.ptr.buffer.load %{{.+}} : i8
  %v = hk_amd.buffer_load %x[%i] : !hk.ptr<i8>, tensor<64xi32, #rows> -> tensor<64xi8, #rows>
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq"
  // CHECK: llvm.select %[[FIRST]], %{{.+}} : i1, i32
  // CHECK: rocdl.raw.ptr.buffer.store %{{.+}} : i8
  hk_amd.buffer_store %v, %x[%i] : tensor<64xi8, #rows>, !hk.ptr<i8>, tensor<64xi32, #rows>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [64], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// Pointers and 64-bit elements are split into words.
// CHECK-LABEL: llvm.func @wide
func.func public @wide(%x: !hk.ptr<!hk.ptr<f32>> {hk.divisibility = 16 : i32}, %y: !hk.ptr<i64> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #b>
  // CHECK: %[[P:.+]] = rocdl.raw.ptr.buffer.load %{{.+}} : vector<2xi32>
  // CHECK: %[[Q:.+]] = llvm.bitcast %[[P]] : vector<2xi32> to i64
  // CHECK: llvm.inttoptr %[[Q]] : i64 to !llvm.ptr<1>
  // CHECK-COUNT-3: rocdl.raw.ptr.buffer.load
  %p = hk_amd.buffer_load %x[%i] : !hk.ptr<!hk.ptr<f32>>, tensor<256xi32, #b> -> tensor<256x!hk.ptr<f32>, #b>
  // CHECK: rocdl.raw.ptr.buffer.load %{{.+}} : vector<4xi32>
  %v = hk_amd.buffer_load %y[%i] : !hk.ptr<i64>, tensor<256xi32, #b> -> tensor<256xi64, #b>
  // CHECK-COUNT-4: rocdl.raw.ptr.buffer.store %{{.+}} : vector<2xi32>
  hk_amd.buffer_store %p, %x[%i] : tensor<256x!hk.ptr<f32>, #b>, !hk.ptr<!hk.ptr<f32>>, tensor<256xi32, #b>
  hk_amd.buffer_store %v, %y[%i] : tensor<256xi64, #b>, !hk.ptr<i64>, tensor<256xi32, #b>
  return
}
}
