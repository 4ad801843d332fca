// RUN: hocket-opt %s --hocket-expand-async-groups | FileCheck %s

// s_waitcnt of vmcnt(k) alone is 3952 + k mod 16, plus 16384 for each 16.

// The newest group may be in flight: it has two copies.
// CHECK-LABEL: llvm.func @straight
llvm.func @straight(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>) {
  rocdl.global.load.lds %g, %s, 4, 0, 0
  // CHECK: rocdl.sched.barrier 1998
  lane.async_commit_group
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  // CHECK: rocdl.sched.barrier 1998
  lane.async_commit_group
  // CHECK: llvm.fence syncscope("wavefront") release
  // CHECK-NEXT: rocdl.s.waitcnt 3954
  // CHECK-NEXT: llvm.fence syncscope("wavefront") acquire
  lane.async_wait_group {outstanding = 1 : i32}
  // Copies that are not yet committed to a group may be in flight, too.
  rocdl.global.load.lds %g, %s, 4, 0, 0
  // CHECK: rocdl.s.waitcnt 3953
  lane.async_wait_group {outstanding = 0 : i32}
  // Two groups were committed; when two may be in flight there is nothing to wait for.
  // CHECK-NOT: rocdl.s.waitcnt
  lane.async_wait_group {outstanding = 2 : i32}
  llvm.return
}

// On one path three copies follow the first group, on the other path one.
// CHECK-LABEL: llvm.func @branch
llvm.func @branch(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  llvm.cond_br %c, ^more, ^join
^more:
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  llvm.br ^join
^join:
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  // CHECK: rocdl.s.waitcnt 3953
  lane.async_wait_group {outstanding = 1 : i32}
  llvm.return
}

// Before the loop two groups of one copy, in it groups of four: at the wait, the newest group is one of one copy the
// first time. After the loop nothing may be in flight.
// CHECK-LABEL: llvm.func @loop
llvm.func @loop(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  llvm.br ^body
^body:
  // CHECK: rocdl.s.waitcnt 3953
  lane.async_wait_group {outstanding = 1 : i32}
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  llvm.cond_br %c, ^body, ^exit
^exit:
  // CHECK: rocdl.s.waitcnt 3952
  lane.async_wait_group {outstanding = 0 : i32}
  llvm.return
}

// A path with too few groups needs no wait: the other path decides.
// CHECK-LABEL: llvm.func @first_iteration
llvm.func @first_iteration(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {
  llvm.br ^body
^body:
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  // CHECK: rocdl.s.waitcnt 3954
  lane.async_wait_group {outstanding = 1 : i32}
  llvm.cond_br %c, ^body, ^exit
^exit:
  llvm.return
}

// The counter ends at 63.
// CHECK-LABEL: llvm.func @many
llvm.func @many(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {
  lane.async_commit_group
  llvm.br ^body
^body:
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  rocdl.global.load.lds %g, %s, 4, 0, 0
  lane.async_commit_group
  llvm.cond_br %c, ^body, ^exit
^exit:
  // 3952 + 9 + 16384: 25 copies in the newest five groups, or fewer groups than that.
  // CHECK: rocdl.s.waitcnt 20345
  lane.async_wait_group {outstanding = 5 : i32}
  // CHECK: rocdl.s.waitcnt 53119
  lane.async_wait_group {outstanding = 40 : i32}
  llvm.return
}

// The analysis stops after one iteration of a loop that commits only empty groups: the groups that a wait may leave
// then contain no copy.
// CHECK-LABEL: llvm.func @empty_groups
llvm.func @empty_groups(%g: !llvm.ptr<1>, %s: !llvm.ptr<3>, %c: i1) {
  rocdl.global.load.lds %g, %s, 4, 0, 0
  llvm.br ^body
^body:
  lane.async_commit_group
  // CHECK: rocdl.s.waitcnt 3952
  lane.async_wait_group {outstanding = 2147483647 : i32}
  llvm.cond_br %c, ^body, ^exit
^exit:
  llvm.return
}
