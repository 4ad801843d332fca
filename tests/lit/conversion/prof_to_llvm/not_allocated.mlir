// RUN: hocket-opt %s --hocket-convert-prof-to-llvm --verify-diagnostics

module attributes {hk.num_warps = 2 : i32, hk.target = "sm_90a", hk.shared_bytes = 128 : i32,
    prof.config = #prof.config<shared, circular, clock = 32, units = warp, warps = [], bytes = 32, stages = false, max_ctas = 0>} {
llvm.func @shared() attributes {nvvm.kernel} {
  // expected-error@+1 {{'prof.buffer_alloc' op was given no shared memory; run hocket-allocate-memory first}}
  %b = prof.buffer_alloc warps = [0, 1] : !hk.memdesc<2x8xi32, #prof.records<shared>>
  prof.init %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  prof.finalize %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  prof.buffer_dealloc %b : !hk.memdesc<2x8xi32, #prof.records<shared>>
  llvm.return
}
}
