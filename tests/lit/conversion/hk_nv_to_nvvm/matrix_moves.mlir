// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [1, 1], instr_shape = [16, 8]>
#a = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>
#b = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>
#wide = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 8>
#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#columns = #hk_nv.mma_shared<swizzle = 32, element_bits = 16, rank = 2, transposed = true>

module attributes {hk.target = "sm_80", hk.num_warps = 1 : i32, hk.shared_bytes = 1024 : i32} {
// Two steps along k: one instruction each, for the four matrices that mma takes.
// CHECK-LABEL: llvm.func @rows
func.func public @rows(%out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: %[[V:.+]] = nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: %[[WORD:.+]] = llvm.extractvalue %[[V]][0]
  // CHECK: llvm.bitcast %[[WORD]] : i32 to vector<2xf16>
  // CHECK: nvvm.ldmatrix
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<16x32xf16, #rows>
  %v = hk.local_load %tile : !hk.memdesc<16x32xf16, #rows> -> tensor<16x32xf16, #a>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<16x32x!hk.ptr<f16>, #a>
  hk.store %p, %v : tensor<16x32x!hk.ptr<f16>, #a>, tensor<16x32xf16, #a>
  return
}

// Memory is contiguous along m: the instruction transposes. An operand b, 8 wide: two matrices.
// CHECK-LABEL: llvm.func @columns
func.func public @columns(%out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
  // CHECK: nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 2 : i32{{.+}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<16x16xf16, #columns>
  %v = hk.local_load %tile : !hk.memdesc<16x16xf16, #columns> -> tensor<16x16xf16, #a>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<16x16x!hk.ptr<f16>, #a>
  hk.store %p, %v : tensor<16x16x!hk.ptr<f16>, #a>, tensor<16x16xf16, #a>
  %small = hk.local_alloc offset = 512 : () -> !hk.memdesc<16x8xf16, #columns>
  %w = hk.local_load %small : !hk.memdesc<16x8xf16, #columns> -> tensor<16x8xf16, #b>
  %q = hk.splat %out : !hk.ptr<f16> -> tensor<16x8x!hk.ptr<f16>, #b>
  hk.store %q, %w : tensor<16x8x!hk.ptr<f16>, #b>, tensor<16x8xf16, #b>
  return
}

// A lane that holds 16 bytes of a row loads them directly; sm_80 has no stmatrix.
// CHECK-LABEL: llvm.func @plain
func.func public @plain(%x: f16, %out: !hk.ptr<f16>) attributes {hk.kernel} {
  // CHECK-NOT: nvvm.ldmatrix
  // CHECK-NOT: nvvm.stmatrix
  // CHECK: llvm.store %{{.+}} : vector<2xf16>, !llvm.ptr<3>
  // CHECK: llvm.load %{{.+}} : !llvm.ptr<3> -> vector<8xf16>
  // CHECK: llvm.return
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<16x64xf16, #rows>
  %y = hk.splat %x : f16 -> tensor<16x64xf16, #a>
  hk.local_store %y, %tile : tensor<16x64xf16, #a> -> !hk.memdesc<16x64xf16, #rows>
  %v = hk.local_load %tile : !hk.memdesc<16x64xf16, #rows> -> tensor<16x64xf16, #wide>
  %p = hk.splat %out : !hk.ptr<f16> -> tensor<16x64x!hk.ptr<f16>, #wide>
  hk.store %p, %v : tensor<16x64x!hk.ptr<f16>, #wide>, tensor<16x64xf16, #wide>
  return
}
}

// -----

#acc = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 32, 16]>
#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>
#columns = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.shared_bytes = 4096 : i32} {
// CHECK-LABEL: llvm.func @stores
func.func public @stores(%number: bf16) attributes {hk.kernel} {
  // CHECK: llvm.bitcast %{{.+}} : vector<2xbf16> to i32
  // CHECK: nvvm.stmatrix %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
  // CHECK: nvvm.stmatrix
  // CHECK-NOT: llvm.store
  %x = hk.splat %number : bf16 -> tensor<64x32xbf16, #acc>
  %tile = hk.local_alloc offset = 0 : () -> !hk.memdesc<64x32xbf16, #rows>
  hk.local_store %x, %tile : tensor<64x32xbf16, #acc> -> !hk.memdesc<64x32xbf16, #rows>
  // CHECK-COUNT-2: nvvm.stmatrix {{.+}} layout = #nvvm.mma_layout<col>
  // CHECK-NOT: nvvm.stmatrix
  // CHECK: llvm.return
  %turned = hk.local_alloc %x offset = 0 : (tensor<64x32xbf16, #acc>) -> !hk.memdesc<64x32xbf16, #columns>
  return
}
}
