// RUN: hocket-opt %s --split-input-file --hocket-number-sites --verify-diagnostics | FileCheck %s

// Copies of one scope share a number; a copy with other enclosing scopes has another number.
// CHECK: prof.sites = [
// CHECK-SAME: #prof.site<"outer", scope, parent = -1, file = "k.py", line = 1, stage = -1, payload = false, exclusive = false>,
// CHECK-SAME: #prof.site<"inner", scope, parent = 0, file = "k.py", line = 2, stage = -1, payload = true, exclusive = false>,
// CHECK-SAME: #prof.site<"k", mark, parent = 1, file = "k.py", line = 3, stage = -1, payload = false, exclusive = false>,
// CHECK-SAME: #prof.site<"inner", scope, parent = -1, file = "k.py", line = 2, stage = -1, payload = true, exclusive = false>,
// CHECK-SAME: #prof.site<"tma", token, parent = -1, file = "k.py", line = 4, stage = -1, payload = false, exclusive = false>,
// CHECK-SAME: #prof.site<"products", stage, parent = -1, file = "k.py", line = 5, stage = 1, payload = false, exclusive = true>]
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
// CHECK-LABEL: @places
func.func @places(%k: i32, %c: i1) {
  // CHECK: prof.record begin "outer" site 0
  prof.record begin "outer" loc("k.py":1:1)
  scf.if %c {
    // CHECK: prof.record begin "inner" payload %{{.+}} : i32 site 1
    prof.record begin "inner" payload %k : i32 loc("k.py":2:1)
    // CHECK: prof.record mark "k" as mark site 2
    prof.record mark "k" as mark loc("k.py":3:1)
    // CHECK: prof.record end "inner" site 1
    prof.record end "inner" loc("k.py":2:1)
  }
  // CHECK: prof.record begin "inner" payload %{{.+}} : i32 site 1
  prof.record begin "inner" payload %k : i32 loc("k.py":2:1)
  prof.record end "inner" loc("k.py":2:1)
  // CHECK: prof.record end "outer" site 0
  prof.record end "outer" loc("k.py":1:1)
  // CHECK: prof.record begin "inner" payload %{{.+}} : i32 site 3
  prof.record begin "inner" payload %k : i32 loc("k.py":2:1)
  prof.record end "inner" loc("k.py":2:1)
  // CHECK: prof.begin "tma" site 4
  %t = prof.begin "tma" loc("k.py":4:1)
  prof.end %t
  // CHECK: prof.record begin "products" as stage site 5 stage 1 exclusive
  prof.record begin "products" as stage stage 1 exclusive loc("k.py":5:1)
  prof.record end "products" as stage loc("k.py":5:1)
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @not_closed() {
  // expected-error@+1 {{the profiler's scope "a" does not end in the block where it begins}}
  prof.record begin "a"
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @not_begun() {
  // expected-error@+1 {{the profiler's scope "a" ends here, but does not begin in this block}}
  prof.record end "a"
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @closed_in_a_branch(%c: i1) {
  prof.record begin "a"
  scf.if %c {
    // expected-error@+1 {{the profiler's scope "a" ends here, but does not begin in this block}}
    prof.record end "a"
  }
  return
}
}

// -----

module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a",
    prof.config = #prof.config<auto, circular, clock = 32, units = warp, warps = [], bytes = 0, stages = false, max_ctas = 0>} {
func.func @crossed() {
  prof.record begin "a"
  // expected-note@+1 {{which begins here}}
  prof.record begin "b"
  // expected-error@+1 {{the profiler's scope "a" ends here, but the one that was begun last is "b"}}
  prof.record end "a"
  prof.record end "b"
  return
}
}
