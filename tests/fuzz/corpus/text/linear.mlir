#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#weights = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x128xf32>) -> tensor<32x128xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<32x128xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x128xf32>) -> tensor<32x128xf32>
    %y = linalg.generic {
        indexing_maps = [#rows, #weights, #out], iterator_types = ["parallel", "parallel", "reduction"]
      } ins(%x, %w : tensor<32x64xf32>, tensor<64x128xf32>) outs(%init : tensor<32x128xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %p : f32
      linalg.yield %s : f32
    } -> tensor<32x128xf32>
    return %y : tensor<32x128xf32>
  }
}
