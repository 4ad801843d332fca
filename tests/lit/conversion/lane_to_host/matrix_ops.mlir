// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s

// The MMAs that a wave computes at one synchronization: the operation and their number; for each its formats and the
// addresses of a, b, c and scales. The encodings of 8-bit floats are those of CDNA3: E4M3 FNUZ (9) for a, E5M2 FNUZ
// (10) for b. The second MMA adds to the result of the first one; both use one value as a and as b.
// CHECK: llvm.mlir.global internal constant @[[ROW:.*]](dense<[{{[0-9]+}}, 2, 2055, 0, 0, 8, 0, 0, 2055, 0, 0, 8, 0, 0]> : tensor<14xi32>)
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
// All MMAs use the same memory on the lane's stack.
// CHECK: %[[OPERANDS:.*]] = llvm.alloca %{{.*}} x i8
// CHECK-NOT: llvm.alloca
llvm.func @products(%a: i64, %c: vector<16xf32>) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  // CHECK: %[[A:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][0]
  // CHECK: llvm.store %{{.*}}, %[[A]] {{.*}} : i64
  // CHECK-NEXT: %[[C:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][8]
  // CHECK-NEXT: llvm.store %{{.*}}, %[[C]] {{.*}} : vector<16xf32>
  // CHECK-NEXT: llvm.mlir.addressof @[[ROW]]
  // CHECK: %[[PLACE:.*]] = llvm.ptrtoint %[[OPERANDS]]
  // CHECK: llvm.call @hocket_emulator_crossLane(%{{.*}}, %{{.*}}, %[[PLACE]]
  // CHECK-NOT: llvm.call @hocket_emulator_crossLane
  // CHECK: %[[C:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][8]
  // CHECK: llvm.load %[[C]] {{.*}} -> vector<16xf32>
  %d = rocdl.mfma.f32.32x32x16.fp8.bf8 %a, %a, %c, %zero, %zero, %zero : (i64, i64, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  %e = rocdl.mfma.f32.32x32x16.fp8.bf8 %a, %a, %d, %zero, %zero, %zero : (i64, i64, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  %used = llvm.fadd %e, %e : vector<16xf32>
  llvm.return
}
}

// -----

// E4M3 (7), E2M1 (13), byte 2 of the scale of b: 0x02000d07. Both scales are the same value.
// CHECK: llvm.mlir.global internal constant @{{.*}}(dense<[{{[0-9]+}}, 1, 33557253, 0, 32, 48, 64, 64]> : tensor<8xi32>)
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 64 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @scaled_and_transposed(%a: vector<8xi32>, %b: vector<4xi32>, %c: vector<4xf32>, %scale: i32, %p: !llvm.ptr<3>) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  // CHECK: llvm.getelementptr inbounds %{{.*}}[64]
  // CHECK: llvm.call @hocket_emulator_crossLane
  %d = rocdl.mfma.scale.f32.16x16x128.f8f6f4 %a, %b, %c, %zero, %four, %zero, %scale, %two, %scale : (vector<8xi32>, vector<4xi32>, vector<4xf32>, i32, i32, i32, i32, i32, i32) -> vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_gather
  // CHECK: llvm.call @hocket_emulator_sharedRow
  // CHECK-NOT: llvm.call @hocket_emulator_{{gather|cross_lane}}
  // CHECK: %[[WORD:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
  // CHECK: llvm.store %[[WORD]]
  // CHECK: %[[WORD2:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
  // CHECK: llvm.store %[[WORD2]]
  // CHECK: llvm.call @hocket_emulator_crossLane
  // CHECK: %[[COLUMN:.*]] = llvm.load
  // CHECK: llvm.bitcast %[[COLUMN]] : i64 to vector<4xf16>
  // CHECK: llvm.load
  %t = rocdl.ds.read.tr16.b64 %p : !llvm.ptr<3> -> vector<4xf16>
  %q = llvm.getelementptr %p[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  %t2 = rocdl.ds.read.tr16.b64 %q : !llvm.ptr<3> -> vector<4xf16>
  // A dependence on a read, or a store to memory, ends the group.
  // CHECK: llvm.call @hocket_emulator_gather
  // CHECK: llvm.call @hocket_emulator_crossLane
  llvm.store %t2, %p : vector<4xf16>, !llvm.ptr<3>
  %t3 = rocdl.ds.read.tr16.b64 %p : !llvm.ptr<3> -> vector<4xf16>
  // After a barrier the lanes have converged.
  // CHECK: llvm.call @hocket_emulator_barrier
  // CHECK-NOT: llvm.call @hocket_emulator_gather
  // CHECK: llvm.call @hocket_emulator_crossLane
  rocdl.s.barrier
  %t4 = rocdl.ds.read.tr16.b64 %p : !llvm.ptr<3> -> vector<4xf16>
  llvm.return
}
}

// -----

// Interleaved chains of accumulators form one group.
// CHECK: llvm.mlir.global internal constant @{{.*}}(dense<[{{[0-9]+}}, 4, 771, 0, 0, 8, 0, 0, 771, 0, 0, 24, 0, 0, 771, 0, 0, 8, 0, 0, 771, 0, 0, 24, 0, 0]> : tensor<26xi32>)
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @two_sums(%a: vector<4xf16>, %c: vector<4xf32>, %lane: i32) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %d0 = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  %e0 = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  %d1 = rocdl.mfma.f32.16x16x16f16 %a, %a, %d0, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  %e1 = rocdl.mfma.f32.16x16x16f16 %a, %a, %e0, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_crossLane
  // CHECK-NOT: llvm.call
  // CHECK: %[[E:.*]] = llvm.load {{.*}} -> vector<4xf32>
  // CHECK: %[[D:.*]] = llvm.load {{.*}} -> vector<4xf32>
  // CHECK: llvm.fadd %[[D]], %[[E]]
  %sum = llvm.fadd %d1, %e1 : vector<4xf32>
  llvm.return
}
}

// -----

// MMAs of which one needs another's result are computed separately, and so are those with a shuffle between them.
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @in_turn(%a: vector<4xf16>, %c: vector<4xf32>, %lane: i32) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  // CHECK: llvm.call @hocket_emulator_crossLane
  // CHECK: llvm.load {{.*}} -> vector<4xf32>
  %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK: llvm.fadd
  %twice = llvm.fadd %d, %d : vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_crossLane
  %e = rocdl.mfma.f32.16x16x16f16 %a, %a, %twice, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_crossLane
  %other = rocdl.ds_bpermute %lane, %lane : (i32, i32) -> i32
  // An accumulator that two MMAs use is not overwritten.
  // CHECK: llvm.call @hocket_emulator_crossLane
  %f = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK: llvm.call @hocket_emulator_crossLane
  %g = rocdl.mfma.f32.16x16x16f16 %a, %a, %f, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  %h = rocdl.mfma.f32.16x16x16f16 %a, %a, %f, %zero, %zero, %zero : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  llvm.return
}
}
