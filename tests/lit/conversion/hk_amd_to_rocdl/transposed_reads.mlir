// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

// Lanes hold adjacent columns, registers hold rows; memory is contiguous along the rows.
#columns = #hk.linear<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], warp = [], block = [], shape = [32, 16]>
#rows = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>
// Rows of 16 elements, 64 bytes apart with the padding.
#padded = #hk.padded_shared<intervals = [16], paddings = [16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], block = [], shape = [32, 16]>
#down = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0, 1]>

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
// Lane 4 j + q of 16 lanes reads columns 4 q to 4 q + 3 of row j: 8 adjacent bytes each.
// CHECK-LABEL: llvm.func @halves
func.func public @halves(%out: !hk.ptr<bf16>) attributes {hk.kernel} {
  // CHECK: %[[LANE:.+]] = rocdl.workitem.id.x
  // CHECK: %[[GROUP:.+]] = llvm.mlir.constant(15 : i32)
  // CHECK: %[[INDEX:.+]] = llvm.and %[[LANE]], %[[GROUP]]
  // CHECK: %[[TWO:.+]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.shl %[[INDEX]], %[[TWO]]
  // CHECK: %[[P:.+]] = llvm.getelementptr inbounds
  // CHECK: %[[V:.+]] = rocdl.ds.read.tr16.b64 %[[P]] : <3> -> vector<4xbf16>
  // CHECK-COUNT-4: llvm.extractelement %[[V]]
  // CHECK: %[[R:.+]] = llvm.getelementptr inbounds %[[P]][128]
  // CHECK: rocdl.ds.read.tr16.b64 %[[R]] : <3> -> vector<4xbf16>
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xbf16, #rows>
  %v = hk.local_load %tile : !hk.memdesc<32x16xbf16, #rows> -> tensor<32x16xbf16, #columns>
  %p = hk.splat %out : !hk.ptr<bf16> -> tensor<32x16x!hk.ptr<bf16>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<bf16>, #columns>, tensor<32x16xbf16, #columns>
  return
}

// CHECK-LABEL: llvm.func @bytes
func.func public @bytes(%out: !hk.ptr<f8E4M3FN>) attributes {hk.kernel} {
  // CHECK: %[[V:.+]] = rocdl.ds.read.tr8.b64 %{{.+}} : <3> -> vector<2xi32>
  // CHECK: llvm.bitcast %[[V]] : vector<2xi32> to vector<8xi8>
  // CHECK-NOT: llvm.load
  // CHECK-NOT: rocdl.ds.read
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xf8E4M3FN, #rows>
  %v = hk.local_load %tile : !hk.memdesc<32x16xf8E4M3FN, #rows> -> tensor<32x16xf8E4M3FN, #columns>
  %p = hk.splat %out : !hk.ptr<f8E4M3FN> -> tensor<32x16x!hk.ptr<f8E4M3FN>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<f8E4M3FN>, #columns>, tensor<32x16xf8E4M3FN, #columns>
  return
}

// CHECK-LABEL: llvm.func @padded
func.func public @padded(%out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: rocdl.ds.read.tr16.b64
  // CHECK: llvm.getelementptr inbounds %{{.+}}[256]
  // CHECK: rocdl.ds.read.tr16.b64
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xf16, #padded>
  %v = hk.local_load %tile : !hk.memdesc<32x16xf16, #padded> -> tensor<32x16xf16, #columns>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<32x16x!hk.ptr<f16>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<f16>, #columns>, tensor<32x16xf16, #columns>
  return
}

// Memory is contiguous along the registers: each lane reads 16 bytes, without transposition.
// CHECK-LABEL: llvm.func @along_registers
func.func public @along_registers(%out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
  // CHECK-NOT: rocdl.ds.read
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xf16, #down>
  %v = hk.local_load %tile : !hk.memdesc<32x16xf16, #down> -> tensor<32x16xf16, #columns>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<32x16x!hk.ptr<f16>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<f16>, #columns>, tensor<32x16xf16, #columns>
  return
}

// There is no such instruction for 32-bit elements.
// CHECK-LABEL: llvm.func @words
func.func public @words(%out: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK-COUNT-8: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xf32, #rows>
  %v = hk.local_load %tile : !hk.memdesc<32x16xf32, #rows> -> tensor<32x16xf32, #columns>
  %p = hk.splat %out : !hk.ptr<f32> -> tensor<32x16x!hk.ptr<f32>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<f32>, #columns>, tensor<32x16xf32, #columns>
  return
}
}

// -----

#columns = #hk.linear<reg = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], warp = [], block = [], shape = [32, 16]>
#rows = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
// CDNA3 reads the elements one by one.
// CHECK-LABEL: llvm.func @cdna3
func.func public @cdna3(%out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK-COUNT-8: llvm.load %{{.+}} : !llvm.ptr<3> -> f16
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<32x16xf16, #rows>
  %v = hk.local_load %tile : !hk.memdesc<32x16xf16, #rows> -> tensor<32x16xf16, #columns>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<32x16x!hk.ptr<f16>, #columns>
  hk.store %p, %v : tensor<32x16x!hk.ptr<f16>, #columns>, tensor<32x16xf16, #columns>
  return
}
}
