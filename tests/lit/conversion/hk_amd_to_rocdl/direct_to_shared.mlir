// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [64], warps_per_cta = [2], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!tile = !hk.memdesc<2048xf16, #shared>

module attributes {hk.target = "gfx950", hk.num_warps = 2 : i32, hk.shared_bytes = 4096 : i32} {
// 16 bytes per lane; each warp copies two pieces of 1024 bytes. The LDS address is uniform in the warp.
// CHECK-LABEL: llvm.func @pieces
func.func public @pieces(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %c: i1) attributes {hk.kernel} {
  // CHECK: %[[THREAD:.+]] = rocdl.workitem.id.x
  // CHECK: %[[WARP:.+]] = llvm.lshr %[[THREAD]]
  // CHECK: %[[UNIFORM:.+]] = rocdl.readfirstlane %[[WARP]] : i32
  %i = hk.arange 0 to 2048 : tensor<2048xi32, #b>
  %m = hk.splat %c : i1 -> tensor<2048xi1, #b>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  // CHECK: %[[R:.+]] = rocdl.make.buffer.rsrc
  // CHECK: %[[PART:.+]] = llvm.shl %[[UNIFORM]]
  // CHECK: %[[BYTES:.+]] = llvm.shl %[[PART]]
  // CHECK: %[[A:.+]] = llvm.getelementptr inbounds %{{.+}}[%[[BYTES]]]
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[O:.+]] = llvm.select %arg1, %{{.+}} : i1, i32
  // CHECK: rocdl.raw.ptr.buffer.load.lds %[[R]], %[[A]], %[[SIZE]], %[[O]]
  // CHECK: %[[B:.+]] = llvm.getelementptr inbounds %[[A]][2048]
  // CHECK: rocdl.raw.ptr.buffer.load.lds %[[R]], %[[B]]
  // CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
  // CHECK-NOT: llvm.cond_br
  // CHECK: lane.async_commit_group
  // CHECK: lane.async_wait_group {outstanding = 1 : i32}
  hk_amd.buffer_load_to_shared %x[%i], %tile, mask %m : !hk.ptr<f16>, tensor<2048xi32, #b> -> !tile
  hk.async_commit_group
  hk.async_wait_group {outstanding = 1 : i32}
  return
}

// Masked-off lanes of a copy through pointers, or with an `other` that is not 0, store `other` themselves.
// CHECK-LABEL: llvm.func @others
func.func public @others(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %c: i1) attributes {hk.kernel} {
  %i = hk.arange 0 to 2048 : tensor<2048xi32, #b>
  %m = hk.splat %c : i1 -> tensor<2048xi1, #b>
  %one = arith.constant dense<1.0> : tensor<2048xf16, #b>
  %tile = hk.local_alloc offset = 0 : () -> !tile
  // CHECK: %[[A:.+]] = llvm.getelementptr
  // CHECK: llvm.cond_br %arg1, ^[[COPY:.+]], ^[[STORE:.+]]
  // CHECK: ^[[COPY]]:
  // CHECK-NOT: llvm.select
  // CHECK: rocdl.raw.ptr.buffer.load.lds
  // CHECK: llvm.br ^[[AFTER:.+]]
  // CHECK: ^[[STORE]]:
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[MINE:.+]] = llvm.mul %{{.+}}, %[[SIZE]]
  // CHECK: %[[P:.+]] = llvm.getelementptr inbounds %[[A]][%[[MINE]]]
  // CHECK: %[[ONES:.+]] = llvm.mlir.constant(dense<1.000000e+00> : vector<8xf16>)
  // CHECK: llvm.store %[[ONES]], %[[P]] {alignment = 16 : i64}
  // CHECK: llvm.br ^[[AFTER]]
  hk_amd.buffer_load_to_shared %x[%i], %tile, mask %m, other %one : tensor<2048xf16, #b> : !hk.ptr<f16>, tensor<2048xi32, #b> -> !tile
  // CHECK: rocdl.raw.ptr.buffer.load.lds
  // CHECK: llvm.cond_br %arg1
  // CHECK: rocdl.global.load.lds %{{.+}}, %{{.+}}, 16, 0, 2
  // CHECK: %[[ZERO:.+]] = llvm.mlir.zero : vector<8xf16>
  // CHECK: llvm.store %[[ZERO]]
  // CHECK: rocdl.global.load.lds
  %xs = hk.splat %x : !hk.ptr<f16> -> tensor<2048x!hk.ptr<f16>, #b>
  %p = hk.addptr %xs, %i : tensor<2048x!hk.ptr<f16>, #b>, tensor<2048xi32, #b>
  hk.async_copy_to_shared %p, %tile, mask %m cache = cs : tensor<2048x!hk.ptr<f16>, #b> -> !tile
  return
}

// Two warps hold the same elements: the first copies, in a branch that is the same for all its lanes.
// CHECK-LABEL: llvm.func @replicated
func.func public @replicated(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 512 : tensor<512xi32, #b>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<512xf16, #shared>
  // CHECK: %[[UNIFORM:.+]] = rocdl.readfirstlane
  // CHECK: %[[COPY:.+]] = llvm.and %[[UNIFORM]]
  // CHECK: %[[FIRST:.+]] = llvm.icmp "eq" %[[COPY]]
  // CHECK: llvm.cond_br %[[FIRST]]
  // CHECK: rocdl.raw.ptr.buffer.load.lds
  // CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f16>, tensor<512xi32, #b> -> !hk.memdesc<512xf16, #shared>
  // CHECK: llvm.return
  return
}
}

// -----

#pairs = #hk.blocked<size_per_thread = [2], threads_per_warp = [64], warps_per_cta = [2], order = [0]>
// A swizzle that permutes whole pieces: pairs of 256-byte rows are exchanged.
#s = #hk.blocked<size_per_thread = [1, 2], threads_per_warp = [1, 64], warps_per_cta = [2, 1], order = [1, 0]>
#swizzled = #hk.swizzled_shared<vec = 128, per_phase = 1, max_phase = 2, order = [1, 0]>
#slot = #hk.padded_shared<intervals = [128], paddings = [2], offset = [[1], [2], [4], [8], [16], [32], [64], [128]], block = [], shape = [256]>

module attributes {hk.target = "gfx942", hk.num_warps = 2 : i32, hk.shared_bytes = 2048 : i32} {
// CDNA3 copies 4 bytes per lane. Padding follows whole pieces of 256 bytes; the slots are contiguous.
// CHECK-LABEL: llvm.func @words
func.func public @words(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %k: i32) attributes {hk.kernel} {
  %i = hk.arange 0 to 256 : tensor<256xi32, #pairs>
  %ring = hk.local_alloc offset = 0 : () -> !hk.memdesc<2x256xf16, #slot>
  %tile = hk.memdesc_index %ring[%k] : !hk.memdesc<2x256xf16, #slot> -> !hk.memdesc<256xf16, #slot>
  // CHECK: %[[SIZE:.+]] = llvm.mlir.constant(4 : i32)
  // CHECK: rocdl.raw.ptr.buffer.load.lds %{{.+}}, %{{.+}}, %[[SIZE]]
  // CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f16>, tensor<256xi32, #pairs> -> !hk.memdesc<256xf16, #slot>
  // CHECK: llvm.return
  return
}

// CHECK-LABEL: llvm.func @swizzled_pieces
func.func public @swizzled_pieces(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %r = hk.arange 0 to 4 : tensor<4xi32, #hk.slice<dim = 1, parent = #s>>
  %c = hk.arange 0 to 256 : tensor<256xi32, #hk.slice<dim = 0, parent = #s>>
  %r2 = hk.expand_dims %r axis = 1 : tensor<4xi32, #hk.slice<dim = 1, parent = #s>> -> tensor<4x1xi32, #s>
  %c2 = hk.expand_dims %c axis = 0 : tensor<256xi32, #hk.slice<dim = 0, parent = #s>> -> tensor<1x256xi32, #s>
  %size = arith.constant dense<256> : tensor<4x1xi32, #s>
  %rs = arith.muli %r2, %size : tensor<4x1xi32, #s>
  %rb = hk.broadcast %rs : tensor<4x1xi32, #s> -> tensor<4x256xi32, #s>
  %cb = hk.broadcast %c2 : tensor<1x256xi32, #s> -> tensor<4x256xi32, #s>
  %i = arith.addi %rb, %cb : tensor<4x256xi32, #s>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<4x256xf16, #swizzled>
  // CHECK-COUNT-4: rocdl.raw.ptr.buffer.load.lds
  // CHECK-NOT: rocdl.raw.ptr.buffer.load.lds
  hk_amd.buffer_load_to_shared %x[%i], %tile : !hk.ptr<f16>, tensor<4x256xi32, #s> -> !hk.memdesc<4x256xf16, #swizzled>
  // CHECK: llvm.return
  return
}
}
