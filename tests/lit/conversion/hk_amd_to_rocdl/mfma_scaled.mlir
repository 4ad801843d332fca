// RUN: hocket-opt %s --split-input-file --verify-diagnostics --hocket-lane-pipeline | FileCheck %s

#mfma = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
#scale = #hk.linear<reg = [[0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 8]>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// Two steps of e4m3 (format 0, 32 bytes of a lane) by e2m1 (format 4, 16 bytes). Both scales of a are in one word, of
// which the steps choose bytes 0 and 1; b has none.
// CHECK-LABEL: llvm.func @steps
// CHECK-SAME: %[[X:[^:]+]]: i8, %[[Y:[^:]+]]: i8, %[[SCALE:[^:]+]]: i8
func.func public @steps(%x: f8E4M3FN, %y: i8, %s: i8, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : f8E4M3FN -> tensor<16x256xf8E4M3FN, #a>
  %b = hk.splat %y : i8 -> tensor<128x16xi8, #b>
  %sa = hk.splat %s : i8 -> tensor<16x8xi8, #scale>
  %c = hk.splat %z : f32 -> tensor<16x16xf32, #mfma>
  // CHECK-COUNT-32: llvm.insertelement %[[X]]
  // CHECK: %[[A:[0-9]+]] = llvm.bitcast %{{.+}} : vector<32xi8> to vector<8xi32>
  // CHECK-COUNT-4: llvm.insertelement %[[SCALE]]
  // CHECK: %[[WORD:[0-9]+]] = llvm.bitcast %{{.+}} : vector<4xi8> to i32
  // CHECK: %[[BYTE0:[0-9]+]] = llvm.mlir.constant(0 : i32)
  // CHECK-COUNT-16: llvm.insertelement %[[Y]]
  // CHECK: %[[B:[0-9]+]] = llvm.bitcast %{{.+}} : vector<16xi8> to vector<4xi32>
  // CHECK: %[[ONE:[0-9]+]] = llvm.mlir.constant(2139062143 : i32)
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: %[[E4M3:[0-9]+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[E2M1:[0-9]+]] = llvm.mlir.constant(4 : i32)
  // CHECK: %[[S:[0-9]+]] = rocdl.mfma.scale.f32.16x16x128.f8f6f4 %[[A]], %[[B]], %{{[0-9]+}}, %[[E4M3]], %[[E2M1]], %[[BYTE0]], %[[WORD]], %{{[0-9]+}}, %[[ONE]] : (vector<8xi32>, vector<4xi32>, vector<4xf32>, i32, i32, i32, i32, i32, i32) -> vector<4xf32>
  // CHECK-NOT: llvm.insertelement %[[SCALE]]
  // CHECK: llvm.bitcast %{{.+}} : vector<32xi8> to vector<8xi32>
  // CHECK-NEXT: %[[BYTE1:[0-9]+]] = llvm.mlir.constant(1 : i32)
  // CHECK: rocdl.mfma.scale.f32.16x16x128.f8f6f4 %{{[0-9]+}}, %{{[0-9]+}}, %[[S]], %{{[0-9]+}}, %{{[0-9]+}}, %[[BYTE1]], %[[WORD]],
  %d = hk_amd.mfma_scaled %a scale %sa e4m3, %b e2m1, %c : (tensor<16x256xf8E4M3FN, #a>, tensor<16x8xi8, #scale>, tensor<128x16xi8, #b>, tensor<16x16xf32, #mfma>) -> tensor<16x16xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<16x16x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<16x16x!hk.ptr<f32>, #mfma>, tensor<16x16xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 64], transposed = true, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 32>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// Elements of 6 bits lose the gaps between them; the transpose exchanges operands and formats. No scales: two zeros.
// CHECK-LABEL: llvm.func @six_bits
func.func public @six_bits(%x: i8, %y: i8, %z: f32, %p: !hk.ptr<f32>) attributes {hk.kernel} {
  %a = hk.splat %x : i8 -> tensor<32x64xi8, #a>
  %b = hk.splat %y : i8 -> tensor<64x32xi8, #b>
  %c = hk.splat %z : f32 -> tensor<32x32xf32, #mfma>
  // CHECK: %[[NARROW:[0-9]+]] = llvm.trunc %{{.+}} : vector<32xi8> to vector<32xi6>
  // CHECK: %[[A:[0-9]+]] = llvm.bitcast %[[NARROW]] : vector<32xi6> to vector<6xi32>
  // CHECK: %[[B:[0-9]+]] = llvm.bitcast %{{.+}} : vector<32xi8> to vector<8xi32>
  // CHECK-NEXT: %[[SCALE:[0-9]+]] = llvm.mlir.constant(0 : i32)
  // CHECK: %[[E5M2:[0-9]+]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[E3M2:[0-9]+]] = llvm.mlir.constant(3 : i32)
  // CHECK: rocdl.mfma.scale.f32.32x32x64.f8f6f4 %[[B]], %[[A]], %{{[0-9]+}}, %[[E5M2]], %[[E3M2]], %{{[0-9]+}}, %[[SCALE]], %{{[0-9]+}}, %{{[0-9]+}} :
  %d = hk_amd.mfma_scaled %a e3m2, %b e5m2, %c : (tensor<32x64xi8, #a>, tensor<64x32xi8, #b>, tensor<32x32xf32, #mfma>) -> tensor<32x32xf32, #mfma>
  %at = hk.splat %p : !hk.ptr<f32> -> tensor<32x32x!hk.ptr<f32>, #mfma>
  hk.store %at, %d : tensor<32x32x!hk.ptr<f32>, #mfma>, tensor<32x32xf32, #mfma>
  return
}
}

// -----

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 64], transposed = true, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 16>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 16>
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// C6: another generation.
func.func public @other_generation(%x: i8, %z: f32) attributes {hk.kernel} {
  %a = hk.splat %x : i8 -> tensor<32x64xi8, #a>
  %b = hk.splat %x : i8 -> tensor<64x32xi8, #b>
  %c = hk.splat %z : f32 -> tensor<32x32xf32, #mfma>
  // expected-error@+1 {{'hk_amd.mfma_scaled' op needs a target with matrix cores of version 4, not gfx942}}
  %d = hk_amd.mfma_scaled %a e4m3, %b e5m2, %c : (tensor<32x64xi8, #a>, tensor<64x32xi8, #b>, tensor<32x32xf32, #mfma>) -> tensor<32x32xf32, #mfma>
  return
}
}
