// PASSES: place-on-cards{cards=4 links=whole}
// A task is on the card of its module, what feeds it with it. What others read goes round: a copy on each card that it
// passes, one way to the next card, the other way to the one before. A card that only passes a stream on copies it, too.

// CHECK: df.kernel "k" links "whole"
// CHECK: %x = df.dma_read {{.*}} on_card 0
// CHECK: %w = df.dma_read {{.*}} on_card 3
// CHECK: %sum = df.task "sum" {{.*}} on_card 0 origin "cards.0.sum"
// CHECK: %0, %1, %2 = df.fork %sum on_card 0
// CHECK: %3 = df.fork %1 on_card 1
// CHECK: df.task "one" {{.*}} on_card 3 {{.*}} ins(%2, %w
// CHECK: df.task "two" {{.*}} on_card 2 {{.*}} ins(%3
// CHECK: df.task "own" {{.*}} on_card 0 {{.*}} ins(%0
// CHECK: df.dma_write {{.*}} on_card 3
// CHECK: df.dma_write {{.*}} on_card 2
// CHECK: df.dma_write {{.*}} on_card 0
!tiles = !df.itensor<16x16xf32, iter_space: [8,8]*[16,16], iter_map: (d0,d1)->(d0,d1)>
!all = tensor<128x128xf32>
module attributes {sttest.target = #df.target<"u55c">} {
func.func @main(%a: !all, %b: !all) -> (!all, !all, !all) attributes {sttest.cards = 4 : i64} {
  %k, %l, %m = df.kernel "k"(%a, %b : !all, !all) -> !all, !all, !all {
  ^bb0(%p: !all, %q: !all):
    %x = df.dma_read %p layout [8,8,16,1,1,16] beat 512 origin "x" : !all -> !tiles
    %w = df.dma_read %q layout [8,8,16,1,1,16] beat 512 origin "w" : !all -> !tiles
    %sum = df.task "sum" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 16 origin "cards.0.sum" ins(%x : !tiles) -> !tiles {
    ^bb0(%i: f32, %o: f32):
      df.yield %i : f32
    }
    %c:3 = df.fork %sum : !tiles -> !tiles, !tiles, !tiles
    %one = df.task "one" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 16 origin "cards.3.act" ins(%c#0, %w : !tiles, !tiles) -> !tiles {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %r = arith.addf %i, %j : f32
      df.yield %r : f32
    }
    %two = df.task "two" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 16 origin "cards.2.act" ins(%c#1 : !tiles) -> !tiles {
    ^bb0(%i: f32, %o: f32):
      df.yield %i : f32
    }
    %own = df.task "own" loops [8,8] tile [16,16] kinds "parallel,parallel" lanes 16 origin "cards.0.act" ins(%c#2 : !tiles) -> !tiles {
    ^bb0(%i: f32, %o: f32):
      df.yield %i : f32
    }
    %s = df.dma_write %one origin "y1" : !tiles -> !all
    %t = df.dma_write %two origin "y2" : !tiles -> !all
    %u = df.dma_write %own origin "y0" : !tiles -> !all
    df.yield %s, %t, %u : !all, !all, !all
  }
  func.return %k, %l, %m : !all, !all, !all
}
}
