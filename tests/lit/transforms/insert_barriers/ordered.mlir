// RUN: hocket-opt %s --hocket-insert-barriers | FileCheck %s
//
// Accesses that are marked as ordered by other means (hk.ordered).

#b = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#t = #hk.linear<reg = [], lane = [[8], [16], [32], [64], [128], [256]], warp = [[1], [2], [4]], block = [], shape = [512]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #b>
!w = tensor<512xf32, #t>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {
// No barrier between them; one after them, where the order ends.
// CHECK-LABEL: @ordered
// CHECK: hk.local_store
// CHECK-NEXT: hk.local_load
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.local_store
func.func @ordered(%x: !v) {
  %a = hk.local_alloc offset = 0 : () -> !a
  hk.local_store %x, %a {hk.ordered} : !v -> !a
  %y = hk.local_load %a {hk.ordered} : !a -> !w
  hk.local_store %x, %a : !v -> !a
  return
}

// Ordered after earlier accesses, marked or not; not ordered before later ones.
// CHECK-LABEL: @behind_others
// CHECK: hk.local_store
// CHECK-NEXT: hk.local_load {{.*}}hk.ordered
// CHECK-NEXT: hk.barrier local
// CHECK-NEXT: hk.local_load
func.func @behind_others(%x: !v) {
  %a = hk.local_alloc offset = 0 : () -> !a
  hk.local_store %x, %a : !v -> !a
  %y = hk.local_load %a {hk.ordered} : !a -> !w
  %z = hk.local_load %a : !a -> !w
  return
}
}
