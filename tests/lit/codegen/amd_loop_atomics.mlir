// A releasing atomic follows the stores of the previous iteration: it waits for them and writes the cache back first.
// LLVM deletes such waits in loops, because nothing is pending at the loop entry.
//
// RUN: sed 's/TARGET/gfx942/; s/SEM/release/' %s | hocket-emit - | FileCheck %s
// RUN: sed 's/TARGET/gfx950/; s/SEM/acq_rel/' %s | hocket-emit - | FileCheck %s
// RUN: sed 's/TARGET/gfx950/; s/SEM/relaxed/' %s | hocket-emit - | FileCheck %s --check-prefix=RELAXED

module attributes {hk.target = "TARGET", hk.num_warps = 4 : i32} {
// CHECK: Inner Loop Header
// CHECK: buffer_wbl2 sc1
// CHECK-NOT: global_
// CHECK: s_waitcnt vmcnt(0)
// CHECK-NOT: global_store
// CHECK: global_atomic_add
// RELAXED: Inner Loop Header
// RELAXED-NOT: {{vmcnt|buffer_wbl2}}
// RELAXED: global_atomic_add
// RELAXED-NOT: vmcnt
// RELAXED: s_endpgm
func.func public @kernel(%flag: !hk.ptr<i32>, %y: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %old = hk.atomic_rmw add, %flag, %c1 sem = SEM : !hk.ptr<i32>, i32
    hk.store %y, %k : !hk.ptr<i32>, i32
  }
  return
}
}
