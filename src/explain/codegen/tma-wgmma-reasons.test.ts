import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import "../../syntax/print.js";
import { messageBytes, tmaAndWgmmaReasons } from "./tma-wgmma-reasons.js";

const TEXT = `
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#a = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#b = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<tensor<128x128xf8E5M2, #a>>, %x: i32, %m: !ttg.memdesc<1xi64, #bar, #smem, mutable>,
      %a: !ttg.memdesc<128x128xf8E5M2, #a, #smem, mutable>, %b: !ttg.memdesc<128x64xf8E5M2, #b, #smem>, %c: tensor<128x64xf32, #mma>, %p: i1) {
    ttng.async_tma_copy_global_to_local %d[%x, %x] %a, %m, %p : !tt.tensordesc<tensor<128x128xf8E5M2, #a>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x128xf8E5M2, #a, #smem, mutable>
    %r = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 64 : i32} : !ttg.memdesc<128x128xf8E5M2, #a, #smem, mutable> * !ttg.memdesc<128x64xf8E5M2, #b, #smem> -> tensor<128x64xf32, #mma>
    tt.return
  }
}`;

test("copies by TMA tell their boxes, dots by wgmma their tiles, operands and sums", () => {
  const reasons: string[] = [];
  const bytes: (number | undefined)[] = [];
  parseModule(new Context(ALL_DIALECTS), "x.mlir", TEXT)!.module.walk((op) => {
    reasons.push(...tmaAndWgmmaReasons(op));
    if (messageBytes(op) !== undefined) bytes.push(messageBytes(op));
  });
  expect(bytes).toEqual([8192]);
  expect(reasons).toEqual([
    "2 messages of 128 x 64 f8E5M2, 8192 bytes, rows as wide as the swizzle, 64 bytes; sent by one thread of each of 2 warps",
    "a group of 4 warps has 64 rows and 64 columns, k is 32 bytes of f8E5M2; 2 tiles of the 128 x 64 result, 4 steps along k, 1 group",
    "A from shared memory, swizzled by 64 bytes, contiguous along k; B from shared memory, swizzled by 128 bytes, contiguous along k",
    "its sums of f8E5M2 are rough: added up apart every 64 products",
    "waits for it at once",
  ]);
});
