// RUN: hocket-opt %s -o %t.before
// RUN: hocket-opt %s --hocket-warp-pipeline-partition --hocket-warp-pipeline-lowering -o %t.after
// RUN: diff %t.before %t.after
//
// A function without stages stays textually identical, even if it contains everything else that pipelines consist of.

#row = #hk.blocked<size_per_thread = [1], threads_per_warp = [64], warps_per_cta = [8], order = [0]>
#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!v = tensor<512xf32, #row>
!a = !hk.memdesc<512xf32, #shared>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950", hk.shared_bytes = 2048 : i32} {
func.func @loop(%n: i32, %m: i32, %s: i32, %x: !v) -> !v {
  %a = hk.local_alloc offset = 0 : () -> !a
  hk.local_store %x, %a : !v -> !a
  %r = scf.for %k = %n to %m step %s iter_args(%c = %x) -> !v : i32 {
    hk.async_wait_group {outstanding = 1 : i32}
    %l = hk.local_load %a : !a -> !v
    hk.sched_barrier
    hk.barrier
    %t = arith.addf %c, %l : !v
    hk.local_store %t, %a : !v -> !a
    hk.async_commit_group
    scf.yield %t : !v
  }
  return %r : !v
}

func.func @branch(%n: i32, %flag: i1, %x: !v) -> !v {
  %r = scf.if %flag -> !v {
    %t = arith.addf %x, %x : !v
    scf.yield %t : !v
  } else {
    hk.barrier local
    scf.yield %x : !v
  }
  return %r : !v
}
}
