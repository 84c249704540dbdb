import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";
import { allocateSharedMemory } from "./allocation.js";
import { bufferFacts } from "./allocation-facts.js";
import { placeBuffers } from "./place-buffers.js";

const MODULE = `
  #blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
  #shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
  module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32} {
    tt.func @kernel(%x: tensor<256xf32, #blocked>) {
      %a = ttg.local_alloc %x : (tensor<256xf32, #blocked>) -> !ttg.memdesc<256xf32, #shared, #ttg.shared_memory>
      %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%l: f32, %r: f32):
        tt.reduce.return %l : f32
      }) : (tensor<256xf32, #blocked>) -> f32
      %1 = ttg.local_load %a : !ttg.memdesc<256xf32, #shared, #ttg.shared_memory> -> tensor<256xf32, #blocked>
      tt.return
    }
  }`;

test("facts of each buffer: bytes, place and how long it is in use", () => {
  const { module } = parseModule(new Context(ALL_DIALECTS), "input", MODULE)!;
  const facts = bufferFacts(allocateSharedMemory(module)).map(({ owner, kind, size, alignment, offset, liveFrom, liveTo }) =>
    [owner.name, kind, size, alignment, offset, liveFrom.name, liveTo.name].join(" "),
  );
  expect(facts).toEqual([
    "ttg.local_alloc explicit 1024 16 0 ttg.local_alloc ttg.local_load",
    "tt.reduce scratch 16 128 1024 tt.reduce tt.reduce",
  ]);
});

test("buffers alive at the same time never overlap, and lie within the total", () => {
  const buffer = fc.record({
    size: fc.integer({ min: 1, max: 5000 }),
    alignment: fc.constantFrom(4, 8, 16, 128, 1024),
    start: fc.integer({ min: 0, max: 30 }),
    length: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(fc.array(buffer, { maxLength: 15 }), (specs) => {
      const buffers = specs.map(({ size, alignment, start, length }) => ({
        size,
        alignment,
        offset: 0,
        live: { start, end: start + length },
      }));
      const total = placeBuffers(buffers, () => undefined);
      buffers.forEach((a, i) => {
        expect(a.offset % a.alignment).toBe(0);
        expect(a.offset + a.size).toBeLessThanOrEqual(total);
        for (const b of buffers.slice(i + 1)) {
          const together = a.live.start < b.live.end && b.live.start < a.live.end;
          const apart = a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
          expect(!together || apart).toBe(true);
        }
      });
    }),
  );
});
