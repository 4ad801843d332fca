// RUN: hocket-opt %s --split-input-file --hocket-convert-gpu-to-host | FileCheck %s

module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
// Both products use the one place on the lane's stack.
// CHECK: %[[OPERANDS:.*]] = llvm.alloca %{{.*}} x i8
// CHECK-NOT: llvm.alloca
llvm.func @products(%a: i64, %c: vector<16xf32>) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  // CHECK: %[[A:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][128]
  // CHECK: llvm.store %{{.*}}, %[[A]] {{.*}} : i64
  // CHECK: %[[B:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][160]
  // CHECK: llvm.store %{{.*}}, %[[B]]
  // CHECK: %[[C:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][0]
  // CHECK: llvm.store %{{.*}}, %[[C]] {{.*}} : vector<16xf32>
  // The encodings of 8-bit floats are those of CDNA3: E4M3 FNUZ (9) for a, E5M2 FNUZ (10) for b.
  // CHECK: %[[PLACE:.*]] = llvm.ptrtoint %[[OPERANDS]]
  // CHECK: %[[FORMATS:.*]] = llvm.mlir.constant(2569 : i64)
  // CHECK: llvm.call @hocket_emulator_cross_lane(%{{.*}}, %{{.*}}, %[[PLACE]], %{{.*}}, %[[FORMATS]]
  // CHECK: %[[C:.*]] = llvm.getelementptr inbounds %[[OPERANDS]][0]
  // CHECK: %[[D:.*]] = llvm.load %[[C]] {{.*}} -> vector<16xf32>
  %d = rocdl.mfma.f32.32x32x16.fp8.bf8 %a, %a, %c, %zero, %zero, %zero : (i64, i64, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  // CHECK: llvm.store %[[D]]
  // CHECK: llvm.call @hocket_emulator_cross_lane
  %e = rocdl.mfma.f32.32x32x16.fp8.bf8 %a, %a, %d, %zero, %zero, %zero : (i64, i64, vector<16xf32>, i32, i32, i32) -> vector<16xf32>
  llvm.return
}
}

// -----

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32, hk.shared_bytes = 64 : i32} {
// CHECK-LABEL: llvm.func @hocket_emulated_kernel
llvm.func @scaled_and_transposed(%a: vector<8xi32>, %b: vector<4xi32>, %c: vector<4xf32>, %scale: i32, %p: !llvm.ptr<3>) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %four = llvm.mlir.constant(4 : i32) : i32
  %two = llvm.mlir.constant(2 : i32) : i32
  // CHECK: llvm.getelementptr inbounds %{{.*}}[192]
  // CHECK: llvm.getelementptr inbounds %{{.*}}[196]
  // E4M3 (7), E2M1 (13), byte 2 of the scale of b: 0x02000d07.
  // CHECK: llvm.mlir.constant(33557767 : i64)
  // CHECK: llvm.call @hocket_emulator_cross_lane
  %d = rocdl.mfma.scale.f32.16x16x128.f8f6f4 %a, %b, %c, %zero, %four, %zero, %scale, %two, %scale : (vector<8xi32>, vector<4xi32>, vector<4xf32>, i32, i32, i32, i32, i32, i32) -> vector<4xf32>
  // CHECK: %[[WORD:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> i64
  // CHECK: %[[COLUMN:.*]] = llvm.call @hocket_emulator_cross_lane(%{{.*}}, %{{.*}}, %[[WORD]]
  // CHECK: llvm.bitcast %[[COLUMN]] : i64 to vector<4xf16>
  %t = rocdl.ds.read.tr16.b64 %p : !llvm.ptr<3> -> vector<4xf16>
  llvm.return
}
}
