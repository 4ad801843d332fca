// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file --verify-diagnostics

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!bar = !hk.memdesc<1xi64, #shared>

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32, hk.shared_bytes = 8 : i32} {
func.func public @bytes() attributes {hk.kernel} {
  %bar = hk.local_alloc offset = 0 : () -> !bar
  // expected-error @+1 {{'hk_nv.mbarrier_expect' op of bytes needs transaction mbarriers, which Hopper (sm_90a) has; the target is sm_80}}
  hk_nv.mbarrier_expect %bar, 64 : !bar
  return
}
}

// -----

#shared = #hk.swizzled_shared<vec = 1, per_phase = 1, max_phase = 1, order = [0]>
!bar = !hk.memdesc<1xi64, #shared>

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32, hk.shared_bytes = 8 : i32} {
func.func public @several() attributes {hk.kernel} {
  %bar = hk.local_alloc offset = 0 : () -> !bar
  // expected-error @+1 {{'hk_nv.mbarrier_arrive' op by more than one arrival needs transaction mbarriers, which Hopper (sm_90a) has; the target is sm_80}}
  hk_nv.mbarrier_arrive %bar, 2 : !bar
  return
}
}

// -----

module attributes {hk.target = "sm_80", hk.num_warps = 4 : i32, hk.shared_bytes = 8 : i32} {
func.func public @fence() attributes {hk.kernel} {
  // expected-error @+1 {{'hk_nv.fence_mbarrier_init' op needs clusters, which Hopper (sm_90a) has; the target is sm_80}}
  hk_nv.fence_mbarrier_init
  return
}
}
