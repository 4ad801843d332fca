// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-lane-pipeline | FileCheck %s

#mfma = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// Two results side by side, two steps along K: all results of a step before the next step; each takes up the sum of
// the one before. Both results share what the instructions take of a.
// CHECK-LABEL: llvm.func @steps
func.func public @steps(%x: f16, %y: f16, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f16 -> tensor<16x32xf16, #a>
  %b = hk.splat %y : f16 -> tensor<32x32xf16, #b>
  %c = hk.splat %z : f32 -> tensor<16x32xf32, #mfma>
  // CHECK-COUNT-8: llvm.insertelement %arg2
  // CHECK: llvm.insertelement %arg0
  // CHECK: %[[S0:[0-9]+]] = rocdl.mfma.f32.16x16x16f16 %[[A0:[0-9]+]], %{{[0-9]+}}, %{{[0-9]+}}, %[[ZERO:[0-9]+]], %[[ZERO]], %[[ZERO]] : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK-NOT: llvm.insertelement %arg0
  // CHECK: %[[S1:[0-9]+]] = rocdl.mfma.f32.16x16x16f16 %[[A0]], %{{[0-9]+}}, %{{[0-9]+}},
  // CHECK: llvm.insertelement %arg0
  // CHECK: %[[S2:[0-9]+]] = rocdl.mfma.f32.16x16x16f16 %[[A1:[0-9]+]], %{{[0-9]+}}, %[[S0]],
  // CHECK-NOT: llvm.insertelement %arg0
  // CHECK: %[[S3:[0-9]+]] = rocdl.mfma.f32.16x16x16f16 %[[A1]], %{{[0-9]+}}, %[[S1]],
  // CHECK-NOT: rocdl.mfma
  // CHECK-COUNT-4: llvm.extractelement %[[S2]]
  // CHECK-COUNT-4: llvm.extractelement %[[S3]]
  %d = hk_amd.mfma %a, %b, %c : tensor<16x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<16x32xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<16x32x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<16x32x!hk.ptr<f32>, #mfma>, tensor<16x32xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// The result vector of one MFMA is the accumulator of the next one; a splat constant is a constant vector.
// CHECK-LABEL: llvm.func @chain
func.func public @chain(%x: f16, %y: f16, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f16 -> tensor<16x16xf16, #a>
  %b = hk.splat %y : f16 -> tensor<16x16xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #mfma>
  // CHECK: llvm.mlir.constant(dense<0.000000e+00> : vector<4xf32>)
  // CHECK: %[[FIRST:[0-9]+]] = rocdl.mfma.f32.16x16x16f16
  // CHECK-NOT: llvm.insertelement {{.*}} : vector<4xf32>
  // CHECK: rocdl.mfma.f32.16x16x16f16 %{{[0-9]+}}, %{{[0-9]+}}, %[[FIRST]],
  %d = hk_amd.mfma %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #mfma>
  %e = hk_amd.mfma %a, %b, %d : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<16x16x!hk.ptr<f32>, #mfma>
  hk.store %at, %e : tensor<16x16x!hk.ptr<f32>, #mfma>, tensor<16x16xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 32], transposed = true, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// A transposed MFMA: b is the first operand, and the instruction's name begins with its elements. Bytes are passed as
// integers.
// CHECK-LABEL: llvm.func @transposed
// CHECK-SAME: %[[X:[^:]+]]: i8, %[[Y:[^:]+]]: i8
func.func public @transposed(%x: f8E4M3FN, %y: f8E5M2, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a>
  %b = hk.splat %y : f8E5M2 -> tensor<32x16xf8E5M2, #b>
  %c = hk.splat %z : f32 -> tensor<16x16xf32, #mfma>
  // CHECK-COUNT-8: llvm.insertelement %[[X]]
  // CHECK: %[[A:[0-9]+]] = llvm.bitcast %{{.+}} : vector<8xi8> to i64
  // CHECK-COUNT-8: llvm.insertelement %[[Y]]
  // CHECK: %[[B:[0-9]+]] = llvm.bitcast %{{.+}} : vector<8xi8> to i64
  // CHECK: rocdl.mfma.f32.16x16x32.bf8.fp8 %[[B]], %[[A]], %{{.+}} : (i64, i64, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  %d = hk_amd.mfma %a, %b, %c : tensor<16x32xf8E4M3FN, #a>, tensor<32x16xf8E5M2, #b> -> tensor<16x16xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<16x16x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<16x16x!hk.ptr<f32>, #mfma>, tensor<16x16xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [1, 1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// Two batches. Of eight elements side by side, an instruction takes four: bf16 as integers on CDNA3.
// CHECK-LABEL: llvm.func @batches
func.func public @batches(%x: bf16, %y: bf16, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : bf16 -> tensor<2x16x32xbf16, #a>
  %b = hk.splat %y : bf16 -> tensor<2x32x16xbf16, #b>
  %c = hk.splat %z : f32 -> tensor<2x16x16xf32, #mfma>
  // CHECK: %[[A0:[0-9]+]] = llvm.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
  // CHECK: %[[S0:[0-9]+]] = rocdl.mfma.f32.16x16x16bf16.1k %[[A0]], %{{.+}} : (vector<4xi16>, vector<4xi16>, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
  // CHECK: %[[A1:[0-9]+]] = llvm.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
  // CHECK: %[[S1:[0-9]+]] = rocdl.mfma.f32.16x16x16bf16.1k %[[A1]],
  // CHECK: rocdl.mfma.f32.16x16x16bf16.1k %{{[0-9]+}}, %{{[0-9]+}}, %[[S0]],
  // CHECK: rocdl.mfma.f32.16x16x16bf16.1k %{{[0-9]+}}, %{{[0-9]+}}, %[[S1]],
  // CHECK-NOT: rocdl.mfma
  %d = hk_amd.mfma %a, %b, %c : tensor<2x16x32xbf16, #a>, tensor<2x32x16xbf16, #b> -> tensor<2x16x16xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<2x16x16x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<2x16x16x!hk.ptr<f32>, #mfma>, tensor<2x16x16xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 3, instr_shape = [32, 32, 8], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// 16 of the 32 rows: a lane keeps eight of the 16 results of the instruction; the others are copies.
// CHECK-LABEL: llvm.func @few_rows
func.func public @few_rows(%x: f16, %y: f16, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f16 -> tensor<16x8xf16, #a>
  %b = hk.splat %y : f16 -> tensor<8x32xf16, #b>
  %c = hk.splat %z : f32 -> tensor<16x32xf32, #mfma>
  // CHECK: rocdl.mfma.f32.32x32x8f16
  // CHECK-NOT: rocdl.mfma
  // CHECK-COUNT-8: llvm.extractelement
  // CHECK-NOT: llvm.extractelement
  %d = hk_amd.mfma %a, %b, %c : tensor<16x8xf16, #a>, tensor<8x32xf16, #b> -> tensor<16x32xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<16x32x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<16x32x!hk.ptr<f32>, #mfma>, tensor<16x32xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 3, instr_shape = [4, 4, 64], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// The accumulator is added in the first four lanes; then lanes 4, 8, 16 and 32 apart are summed.
// CHECK-LABEL: llvm.func @sum_of_blocks
func.func public @sum_of_blocks(%x: i8, %y: i8, %z: i32, %p: !hk.ptr<i32>) attributes {hk.kernel} {
  %a = hk.splat %x : i8 -> tensor<4x64xi8, #a>
  %b = hk.splat %y : i8 -> tensor<64x4xi8, #b>
  %c = hk.splat %z : i32 -> tensor<4x4xi32, #mfma>
  // CHECK: %[[FOUR:[0-9]+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[FIRST:[0-9]+]] = llvm.icmp "ult" %{{.+}}, %[[FOUR]]
  // CHECK-COUNT-4: llvm.select %[[FIRST]], %arg2,
  // CHECK: %[[S:[0-9]+]] = rocdl.mfma.i32.4x4x4i8 %{{.+}} : (i32, i32, vector<4xi32>, i32, i32, i32) -> vector<4xi32>
  // CHECK: %[[E:[0-9]+]] = llvm.extractelement %[[S]]
  // CHECK: %[[OTHER:[0-9]+]] = rocdl.ds_swizzle %[[E]]
  // CHECK: llvm.add %[[E]], %[[OTHER]]
  // CHECK-COUNT-11: rocdl.ds_swizzle
  // CHECK-COUNT-4: rocdl.ds_bpermute
  // CHECK-NOT: rocdl.ds_
  %d = hk_amd.mfma %a, %b, %c : tensor<4x64xi8, #a>, tensor<64x4xi8, #b> -> tensor<4x4xi32, #mfma>
  %at = hk.splat %p : !hk.ptr<i32> -> tensor<4x4x!hk.ptr<i32>, #mfma>
  hk.store %at, %d : tensor<4x4x!hk.ptr<i32>, #mfma>, tensor<4x4xi32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 4>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 4>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// C5: the layout of another generation.
func.func public @other_generation(%x: f16, %y: f16, %z: f32) attributes {hk.kernel} {
  %a = hk.splat %x : f16 -> tensor<16x16xf16, #a>
  %b = hk.splat %y : f16 -> tensor<16x16xf16, #b>
  %c = hk.splat %z : f32 -> tensor<16x16xf32, #mfma>
  // expected-error@+1 {{'hk_amd.mfma' op needs a layout of version 3 on target gfx942, not of version 4}}
  %d = hk_amd.mfma %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x16xf16, #b> -> tensor<16x16xf32, #mfma>
  return
}
}
