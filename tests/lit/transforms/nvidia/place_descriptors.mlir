// RUN: hocket-opt %s --split-input-file --hocket-place-descriptors | FileCheck %s

#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Each descriptor has 128 bytes in its block's part of the scratch memory. The worker captures the start of that part;
// it acquires the descriptor that it captures, but not a descriptor argument.
// CHECK-LABEL: func.func public @kernel
// CHECK-SAME: %[[OFLAUNCH:[a-z0-9]+]]: !hk_nv.tensor_desc
// CHECK-SAME: %[[SCRATCH:[a-z0-9]+]]: !hk.ptr<i8> {hk.divisibility = 256 : i32, hk.implicit = #hk.implicit<scratch, bytes_per_launch = 0, bytes_per_block = 256>}
// CHECK: hk.program_id 2
// CHECK: %[[FIRST:.+]] = hk.addptr %[[SCRATCH]], %{{.+}} : !hk.ptr<i8>, i64
// CHECK: %[[PLACE:.+]] = hk.addptr %[[FIRST]], %c0_i64 : !hk.ptr<i8>, i64
// CHECK: %[[DESC:.+]] = hk_nv.make_tensor_desc %{{.+}} shape[%{{.+}}, %{{.+}}] strides[%{{.+}}] at %[[PLACE]] : !hk.ptr<i8> :
// CHECK: hk.worker "store"(%[[DESC]], %[[OFLAUNCH]], %{{.+}}, %{{.+}}, %{{.+}}, %[[FIRST]] :
// CHECK: ^bb0(%[[CAPTURED:[a-z0-9]+]]: !hk_nv.tensor_desc<{{.+}}>, %{{[a-z0-9]+}}: !hk_nv.tensor_desc<{{.+}}>, %{{.+}}, %[[OWN:[a-z0-9]+]]: !hk.ptr<i8>):
// CHECK-NEXT: hk_nv.acquire_tensor_desc %[[CAPTURED]]
// CHECK-NOT: hk_nv.acquire_tensor_desc
// CHECK: %[[SECOND:.+]] = hk.addptr %[[OWN]], %c128_i64 : !hk.ptr<i8>, i64
// CHECK: hk_nv.make_tensor_desc %{{.+}} at %[[SECOND]] : !hk.ptr<i8> fills_nan unsigned :
func.func public @kernel(%given: !hk_nv.tensor_desc<64x64xf16, #rows>, %x: !hk.ptr<f16>, %n: i32, %s: i64) attributes {hk.kernel} {
  %desc = hk_nv.make_tensor_desc %x shape [%n, %n] strides [%s] : !hk.ptr<f16> -> !hk_nv.tensor_desc<64x64xf16, #rows>
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "store"(%desc, %given, %x, %n, %s : !hk_nv.tensor_desc<64x64xf16, #rows>, !hk_nv.tensor_desc<64x64xf16, #rows>, !hk.ptr<f16>, i32, i64) num_warps = 1 {
    ^bb0(%a: !hk_nv.tensor_desc<64x64xf16, #rows>, %b: !hk_nv.tensor_desc<64x64xf16, #rows>, %p: !hk.ptr<f16>, %m: i32, %t: i64):
      %own = hk_nv.make_tensor_desc %p shape [%m, %m] strides [%t] fills_nan unsigned : !hk.ptr<f16> -> !hk_nv.tensor_desc<64x64xf16, #rows>
    }
  }
  return
}

// CHECK-LABEL: @without
// CHECK-SAME: (%{{[a-z0-9]+}}: !hk.ptr<f16>)
func.func public @without(%x: !hk.ptr<f16>) attributes {hk.kernel} {
  return
}
}

// -----

// Each block of a cluster makes its own descriptor; the cluster is one program.
#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32, hk.num_ctas = 2 : i32} {
// CHECK-LABEL: func.func public @cluster
// CHECK-SAME: #hk.implicit<scratch, bytes_per_launch = 0, bytes_per_block = 256>
// CHECK: %[[RANK:.+]] = hk.cta_rank
// CHECK: %[[WIDE:.+]] = arith.extui %[[RANK]] : i32 to i64
// CHECK: %[[BLOCK:.+]] = arith.addi %{{.+}}, %[[WIDE]] : i64
// CHECK: arith.muli %[[BLOCK]], %c128_i64
func.func public @cluster(%x: !hk.ptr<f16>, %n: i32, %s: i64) attributes {hk.kernel} {
  %desc = hk_nv.make_tensor_desc %x shape [%n, %n] strides [%s] : !hk.ptr<f16> -> !hk_nv.tensor_desc<64x64xf16, #rows>
  return
}
}
