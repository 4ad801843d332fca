// RUN: hocket-opt %s --split-input-file | hocket-opt --split-input-file | FileCheck %s
// RUN: hocket-opt %s --split-input-file --mlir-print-op-generic | hocket-opt --split-input-file | FileCheck %s

// CHECK-DAG: #[[MFMA:mfma]] = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
// CHECK-DAG: #[[TILES:mfma[0-9]*]] = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [2, 2], tiles_per_warp = [2, 1]>
// CHECK-DAG: #[[WIDE:mfma[0-9]*]] = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 4], transposed = false, warps_per_cta = [1, 2, 2], element_bits = 64>
// CHECK-DAG: #[[F8F6F4:mfma[0-9]*]] = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 2]>
#tiles = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 16], transposed = false, warps_per_cta = [2, 2], tiles_per_warp = [2, 1]>
#wide = #hk_amd.mfma<version = 3, instr_shape = [16, 16, 4], transposed = false, warps_per_cta = [1, 2, 2], element_bits = 64>
#f8f6f4 = #hk_amd.mfma<version = 4, instr_shape = [16, 16, 128], transposed = false, warps_per_cta = [1, 1]>
#a = #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>
#b = #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>
#tiles_a = #hk.dot_operand<op_idx = 0, parent = #tiles, k_width = 4>
#tiles_b = #hk.dot_operand<op_idx = 1, parent = #tiles, k_width = 4>
#wide_a = #hk.dot_operand<op_idx = 0, parent = #wide, k_width = 1>
#wide_b = #hk.dot_operand<op_idx = 1, parent = #wide, k_width = 1>
#scaled_a = #hk.dot_operand<op_idx = 0, parent = #f8f6f4, k_width = 16>
#scaled_b = #hk.dot_operand<op_idx = 1, parent = #f8f6f4, k_width = 16>
#scaled_b6 = #hk.dot_operand<op_idx = 1, parent = #f8f6f4, k_width = 32>
#scale = #hk.linear<reg = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [], block = [], shape = [16, 4]>
#blocked = #hk.blocked<size_per_thread = [1, 8], threads_per_warp = [8, 8], warps_per_cta = [4, 1], order = [1, 0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [1, 0]>

// CHECK-LABEL: @products
func.func @products(%a: tensor<64x32xf16, #a>, %b: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #mfma>,
                    %d: tensor<64x16xbf16, #tiles_a>, %e: tensor<16x32xbf16, #tiles_b>, %f: tensor<64x32xf32, #tiles>,
                    %g: tensor<2x32x8xf64, #wide_a>, %h: tensor<2x8x32xf64, #wide_b>, %i: tensor<2x32x32xf64, #wide>) {
  // CHECK: hk_amd.mfma %{{.+}}, %{{.+}}, %{{.+}} : tensor<64x32xf16, #hk.dot_operand<op_idx = 0, parent = #[[MFMA]], k_width = 8>>, tensor<32x64xf16, #hk.dot_operand<op_idx = 1, parent = #[[MFMA]], k_width = 8>> -> tensor<64x64xf32, #[[MFMA]]>
  %0 = hk_amd.mfma %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #mfma>
  // CHECK: hk_amd.mfma {{.+}} -> tensor<64x32xf32, #[[TILES]]>
  %1 = hk_amd.mfma %d, %e, %f : tensor<64x16xbf16, #tiles_a>, tensor<16x32xbf16, #tiles_b> -> tensor<64x32xf32, #tiles>
  // CHECK: hk_amd.mfma {{.+}} -> tensor<2x32x32xf64, #[[WIDE]]>
  %2 = hk_amd.mfma %g, %h, %i : tensor<2x32x8xf64, #wide_a>, tensor<2x8x32xf64, #wide_b> -> tensor<2x32x32xf64, #wide>
  return
}

// CHECK-LABEL: @scaled
func.func @scaled(%a: tensor<16x128xf8E4M3FN, #scaled_a>, %b: tensor<64x16xi8, #scaled_b>, %b6: tensor<128x16xi8, #scaled_b6>,
                  %s: tensor<16x4xi8, #scale>, %c: tensor<16x16xf32, #f8f6f4>) {
  // CHECK: hk_amd.mfma_scaled %{{.+}} scale %{{.+}} e4m3, %{{.+}} scale %{{.+}} e2m1, %{{.+}} : ({{.+}}) -> tensor<16x16xf32, #[[F8F6F4]]>
  %0 = hk_amd.mfma_scaled %a scale %s e4m3, %b scale %s e2m1, %c : (tensor<16x128xf8E4M3FN, #scaled_a>, tensor<16x4xi8, #scale>, tensor<64x16xi8, #scaled_b>, tensor<16x4xi8, #scale>, tensor<16x16xf32, #f8f6f4>) -> tensor<16x16xf32, #f8f6f4>
  // CHECK: hk_amd.mfma_scaled %{{[^ ]+}} e4m3, %{{.+}} scale %{{.+}} e3m2, %{{.+}} : ({{.+}}) -> tensor<16x16xf32, #[[F8F6F4]]>
  %1 = hk_amd.mfma_scaled %a e4m3, %b6 scale %s e3m2, %c : (tensor<16x128xf8E4M3FN, #scaled_a>, tensor<128x16xi8, #scaled_b6>, tensor<16x4xi8, #scale>, tensor<16x16xf32, #f8f6f4>) -> tensor<16x16xf32, #f8f6f4>
  return
}

// CHECK-LABEL: @buffers
func.func @buffers(%p: !hk.ptr<f16>, %o: tensor<32x64xi32, #blocked>, %m: tensor<32x64xi1, #blocked>) {
  // CHECK: %[[V:.+]] = hk_amd.buffer_load %{{.+}}[%{{.+}}] : !hk.ptr<f16>, tensor<32x64xi32, #{{.+}}> -> tensor<32x64xf16, #{{.+}}>
  %v = hk_amd.buffer_load %p[%o] : !hk.ptr<f16>, tensor<32x64xi32, #blocked> -> tensor<32x64xf16, #blocked>
  // CHECK: hk_amd.buffer_load %{{.+}}[%{{.+}}], mask %{{.+}}, other %[[V]] cache = cg :
  %w = hk_amd.buffer_load %p[%o], mask %m, other %v cache = cg : !hk.ptr<f16>, tensor<32x64xi32, #blocked> -> tensor<32x64xf16, #blocked>
  // CHECK: hk_amd.buffer_store %[[V]], %{{.+}}[%{{.+}}], mask %{{.+}} : tensor<32x64xf16, #{{.+}}>, !hk.ptr<f16>, tensor<32x64xi32, #{{.+}}>
  hk_amd.buffer_store %v, %p[%o], mask %m : tensor<32x64xf16, #blocked>, !hk.ptr<f16>, tensor<32x64xi32, #blocked>
  // CHECK: hk_amd.buffer_atomic_rmw fadd, %{{.+}}[%{{.+}}], %[[V]], mask %{{.+}} sem = relaxed scope = cta :
  %x = hk_amd.buffer_atomic_rmw fadd, %p[%o], %v, mask %m sem = relaxed scope = cta : !hk.ptr<f16>, tensor<32x64xi32, #blocked>, tensor<32x64xf16, #blocked>
  return
}

// CHECK-LABEL: @copies
func.func @copies(%p: !hk.ptr<f16>, %o: tensor<32x64xi32, #blocked>, %m: tensor<32x64xi1, #blocked>, %v: tensor<32x64xf16, #blocked>,
                  %t: !hk.memdesc<32x64xf16, #shared>) {
  // CHECK: hk_amd.buffer_load_to_shared %{{.+}}[%{{.+}}], %{{.+}} : !hk.ptr<f16>, tensor<32x64xi32, #{{.+}}> -> !hk.memdesc<32x64xf16, #{{.+}}>
  hk_amd.buffer_load_to_shared %p[%o], %t : !hk.ptr<f16>, tensor<32x64xi32, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  // CHECK: hk_amd.buffer_load_to_shared %{{.+}}[%{{.+}}], %{{.+}}, mask %{{.+}}, other %{{.+}} : tensor<32x64xf16, #{{.+}}> :
  hk_amd.buffer_load_to_shared %p[%o], %t, mask %m, other %v : tensor<32x64xf16, #blocked> : !hk.ptr<f16>, tensor<32x64xi32, #blocked> -> !hk.memdesc<32x64xf16, #shared>
  // CHECK: hk.async_commit_group
  hk.async_commit_group
  // CHECK: hk.async_wait_group {outstanding = 1 : i32}
  hk.async_wait_group {outstanding = 1 : i32}
  // CHECK: hk.async_wait_group implied {outstanding = 0 : i32}
  hk.async_wait_group implied {outstanding = 0 : i32}
  return
}
