// Buffer accesses become buffer instructions of the same width as for pointers, without branches.
//
// RUN: sed s/TARGET/gfx942/ %s | hocket-emit - | FileCheck %s
// RUN: sed s/TARGET/gfx950/ %s | hocket-emit - | FileCheck %s

#b = #hk.blocked<size_per_thread = [8], threads_per_warp = [64], warps_per_cta = [4], order = [0]>

module attributes {hk.target = "TARGET", hk.num_warps = 4 : i32} {
// CHECK-LABEL: copy:
// The descriptor's flags.
// CHECK: s_mov_b32 s{{[0-9]+}}, 0x27000
// CHECK-COUNT-2: buffer_load_dwordx4 v[{{[0-9:]+}}], v{{[0-9]+}}, s[{{[0-9:]+}}], {{.*}} offen{{.*}} sc1
// CHECK-NOT: s_cbranch
// CHECK-COUNT-2: buffer_store_dwordx4 v[{{[0-9:]+}}], v{{[0-9]+}}, s[{{[0-9:]+}}], {{.*}} offen{{.*}} nt
// CHECK-COUNT-8: buffer_atomic_pk_add_f16 {{.*}} offen
// The old value is not used, so sc0 is not set.
// CHECK-NOT: sc0
// CHECK: s_endpgm
func.func public @copy(%x: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %y: !hk.ptr<f16> {hk.divisibility = 16 : i32}, %n: i32 {hk.divisibility = 16 : i32}) attributes {hk.kernel} {
  %i = hk.arange 0 to 4096 : tensor<4096xi32, #b>
  %ns = hk.splat %n : i32 -> tensor<4096xi32, #b>
  %m = arith.cmpi slt, %i, %ns : tensor<4096xi32, #b>
  %zero = arith.constant dense<0.0> : tensor<4096xf16, #b>
  %v = hk_amd.buffer_load %x[%i], mask %m, other %zero cache = cg : !hk.ptr<f16>, tensor<4096xi32, #b> -> tensor<4096xf16, #b>
  hk_amd.buffer_store %v, %y[%i], mask %m cache = cs : tensor<4096xf16, #b>, !hk.ptr<f16>, tensor<4096xi32, #b>
  %old = hk_amd.buffer_atomic_rmw fadd, %y[%i], %v sem = relaxed : !hk.ptr<f16>, tensor<4096xi32, #b>, tensor<4096xf16, #b>
  return
}
}
