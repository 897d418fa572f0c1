// PASSES:
// All that a schedule can say, printed as it was read.

// CHECK: sched.kernel "decode" layers 2 steps 3 {
// CHECK: sched.turn "scores" once late origin "attn.scores" {
// CHECK: sched.fifo "scores_full" depth 2 bits 1 "srl" initial 1 latency 3
// CHECK: sched.nest [4,16] left 1 interval 2 latency 30 gap 0 {
// CHECK: sched.port "q__scores" "read" at [0,1] when ["0:14:2"]
// CHECK: sched.port "scores__max" "write" at [29] when ["15"] tokens 2
// CHECK: sched.nest [] left 0 interval 1 latency 3 gap 2 {
// CHECK: sched.walk "write" "k__store" tokens 64 bytes 32 bank 7 burst 4096 outstanding 32 gap 4
sched.kernel "decode" layers 2 steps 3 {
  sched.process "scores" "compute" {
    sched.turn "scores" once late origin "attn.scores" {
      sched.fifo "scores_full" depth 2 bits 1 "srl" initial 1 latency 3
      sched.nest [4,16] left 1 interval 2 latency 30 gap 0 {
        sched.port "q__scores" "read" at [0,1] when ["0:14:2"]
        sched.port "scores__max" "write" at [29] when ["15"] tokens 2
      }
    }
    sched.turn "scores_2" {
      sched.nest [] left 0 interval 1 latency 3 gap 2 {
      }
    }
  }
  sched.process "store_k" "dma" {
    sched.turn "store_k" {
      sched.walk "write" "k__store" tokens 64 bytes 32 bank 7 burst 4096 outstanding 32 gap 4
    }
  }
}
