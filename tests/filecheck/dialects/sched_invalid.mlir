// ERRORS
// What no hardware does: tokens that collide on a side of a FIFO, loops and requests that are none, two owners of a side.

// CHECK: 'peek' is neither read nor write
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "peek" at [0] 
      }
    }
  }
}
// -----
// CHECK: no token passes it
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [] 
      }
    }
  }
}
// -----
// CHECK: a token passes before cycle 0
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [-1,0] 
      }
    }
  }
}
// -----
// CHECK: its cycles are out of order
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 4 latency 4 gap 2 {
        sched.port "a" "read" at [2,1] 
      }
    }
  }
}
// -----
// CHECK: an access moves less than a token
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] tokens 0
      }
    }
  }
}
// -----
// CHECK: 'odd' is neither all, an index, nor first:last:step
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] when ["odd"]
      }
    }
  }
}
// -----
// CHECK: a loop runs less than once
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [0] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 2 of 1 loops are left
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 2 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: an interval of 0 cycles
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 0 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: a latency of 0 cycles
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 0 gap 2 {

      }
    }
  }
}
// -----
// CHECK: a gap of -1 cycles
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap -1 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 'a' passes a token in cycle 4 of 4
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [4] 
      }
    }
  }
}
// -----
// CHECK: 'a' counts other loops than those inside
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] when ["all", "1"]
      }
    }
  }
}
// -----
// CHECK: 'a' passes tokens in iteration 4 of 4
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] when ["4"]
      }
    }
  }
}
// -----
// CHECK: 'a' passes tokens in iteration 2:1:1 of 4
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] when ["2:1:1"]
      }
    }
  }
}
// -----
// CHECK: 'a' passes 2 tokens in one cycle
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 2 latency 4 gap 2 {
        sched.port "a" "read" at [0,2] 
      }
    }
  }
}
// -----
// CHECK: 'a' passes 2 tokens in one cycle
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 2 latency 4 gap 2 {
        sched.port "a" "read" at [1] 
        sched.port "a" "read" at [1] 
      }
    }
  }
}
// -----
// CHECK: 'put' is neither read nor write
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "put" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: 0 tokens
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 0 bytes 64 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: a token of 0 bytes
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 0 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: bank -1
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank -1 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: a burst of 0 bytes
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 0 outstanding 16 
    }
  }
}
// -----
// CHECK: 0 requests in flight
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 0 
    }
  }
}
// -----
// CHECK: a gap is behind bursts that are written
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "dma" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 gap 4
    }
  }
}
// -----
// CHECK: a depth of 0
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.fifo "x" depth 0 bits 1 "auto" 
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: tokens of 0 bits
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.fifo "x" depth 2 bits 0 "auto" 
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 3 tokens at the start in a depth of 2
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.fifo "x" depth 2 bits 1 "auto" initial 3
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 'bram' is none of auto, srl, ram
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.fifo "x" depth 2 bits 1 "bram" 
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: it does nothing
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.fifo "x" depth 2 bits 1 "auto" 
    }
  }
}
// -----
// CHECK: it walks memory and has loops
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: it walks memory twice
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
      sched.walk "read" "b" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: several nests, of which loops are left
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [2,2] left 1 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: it has no turn
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {

  }
}
// -----
// CHECK: some turns walk memory, others have loops
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
    sched.turn "q" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "b" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: it reads memory and writes it
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
    sched.turn "q" {
      sched.walk "write" "b" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: it walks banks 0, 1
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 0 burst 256 outstanding 16 
    }
    sched.turn "q" {
      sched.walk "read" "a" tokens 4 bytes 64 bank 1 burst 256 outstanding 16 
    }
  }
}
// -----
// CHECK: a node has two turns
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: two processes are called 'p'
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "b" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 'p' and 'q' read 'a'
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
  sched.process "q" "compute" {
    sched.turn "q" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 0 layers
sched.kernel "k" layers 0 steps 1 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: 0 tokens of a launch
sched.kernel "k" layers 1 steps 0 {
  sched.process "p" "compute" {
    sched.turn "p" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
    }
  }
}
// -----
// CHECK: sched.nest cannot stand in it
sched.kernel "k" layers 1 steps 1 {
  sched.process "p" "compute" {
      sched.nest [4] left 0 interval 1 latency 4 gap 2 {
        sched.port "a" "read" at [0] 
      }
  }
}
