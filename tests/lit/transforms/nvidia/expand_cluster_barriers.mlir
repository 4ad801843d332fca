// RUN: hocket-opt %s --hocket-expand-cluster-barriers | FileCheck %s

// Barriers of the cluster inside partitions of warps become arrivals at mbarriers and waits.

#rows = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[1, 0]]>
#columns = #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0], block = [[0, 1]]>
!rows = tensor<32x32xf32, #rows>
!columns = tensor<32x32xf32, #columns>

module attributes {hk.num_ctas = 2 : i32, hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// Outside of partitions the hardware's cluster barrier is used.
// CHECK-LABEL: @whole_block
func.func @whole_block() {
  // CHECK-NEXT: hk.cluster_barrier
  // CHECK-NEXT: return
  hk.cluster_barrier
  return
}

// CHECK-LABEL: @worker
func.func @worker() {
  // CHECK-DAG: %[[DONE:.*]] = hk.local_alloc : () -> !hk.memdesc<1xi64, #[[SHARED:.*]]>
  // CHECK-DAG: hk_nv.mbarrier_init %[[DONE]], 2
  // CHECK-DAG: %[[FREE:.*]] = hk.local_alloc : () -> !hk.memdesc<1xi64, #[[EACH:.*]]>
  // CHECK-DAG: hk_nv.mbarrier_init %[[FREE]], 1
  // CHECK: hk.worker "meet"(%[[DONE]], %[[FREE]]
  // CHECK: ^bb0(%[[D:[a-z0-9]+]]: {{.*}}, %[[F:[a-z0-9]+]]: 
  // CHECK-COUNT-2: hk_nv.mbarrier_arrive %[[D]], 1
  // CHECK: hk_nv.mbarrier_wait %[[F]], {{.*}} ends_cluster_barrier
  // CHECK-NOT: hk.cluster_barrier
  hk.warp_specialize {
    hk.warp_yield
  } workers {
    hk.worker "meet" num_warps = 4 {
      hk.cluster_barrier
      hk.worker_end
    }
  }
  return
}

// CHECK-LABEL: @conversion
func.func @conversion(%x: !rows) {
  // CHECK: hk.warp_specialize
  // CHECK: %[[TILE:.*]] = hk.local_alloc %arg0 : (tensor<32x32xf32, #{{.*}}>) -> !hk.memdesc<32x32xf32, #[[LINEAR:.*]]>
  // CHECK: ends_cluster_barrier
  // CHECK: hk.local_load %[[TILE]]
  // CHECK: ends_cluster_barrier
  // CHECK-NOT: hk.convert_layout
  // CHECK: hk.warp_yield
  %y = hk.warp_specialize -> !columns {
    %z = hk.convert_layout %x : !rows -> !columns
    hk.warp_yield %z : !columns
  } workers {
    hk.worker "idle" num_warps = 4 {
      hk.worker_end
    }
  }
  return
}
}
