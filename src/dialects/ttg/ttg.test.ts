import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Attribute } from "../../ir/attribute.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import { Context } from "../../ir/context.js";
import { memoryEffects } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { verifyOperation } from "../../ir/verify.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import type { Pattern } from "../../rewrite/pattern.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { ALL_DIALECTS } from "../index.js";
import { encodingAttr, encodingParams, toLinearLayout } from "./encodings/define-encoding.js";
import { inferLayout } from "./infer-layout.js";
import { maybeLookupNumWarps } from "./num-warps.js";
import { alignmentOrDefault, LocalAllocOp } from "./ops/local-memory.js";
import { MemDescType } from "./types.js";

const read = (name: string) => readFileSync(`fixtures/ttg/${name}.mlir`, "latin1");

function parse(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  const module = parseModule(ctx, "test.mlir", text)?.module;
  if (!module || !verifyOperation(module)) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return module;
}
/** An attribute as it would be in IR. */
function attribute(text: string): Attribute {
  return parse(`module attributes {test.a = ${text}} {}`).attr("test.a")!;
}

describe("text as real Triton prints it", () => {
  for (const chunk of read("round-trip").split("// -----\n")) {
    const name = /@(\w+)/.exec(chunk)![1]!;
    test(name, () => {
      const module = parse(chunk);
      expect(printOperation(module)).toBe(chunk);
      const generic = printOperation(module, { generic: true });
      expect(printOperation(parse(generic))).toBe(chunk);
    });
  }
});

test("canonicalization gives what real Triton gives", () => {
  const module = parse(read("canonicalize"));
  const patterns = ALL_DIALECTS.flatMap((dialect) => dialect.canonicalize as readonly Pattern[]);
  applyPatternsGreedily(module, patterns, { topDown: true, regionSimplification: "normal" });
  expect(printOperation(module)).toBe(read("canonicalize.expected"));
});

test("an encoding is its attribute in another shape", () => {
  let count = 0;
  for (const chunk of read("round-trip").split("// -----\n"))
    parse(chunk).walk((op) => {
      for (const { type } of [...op.results, ...op.operands]) {
        const encoding = RankedTensorType.is(type) || MemDescType.is(type) ? type.params.encoding : undefined;
        const params = encodingParams(encoding);
        if (!params) continue;
        count++;
        expect(encodingParams(encoding)).toBe(params);
        expect(encodingAttr(op.ctx, params)).toBe(encoding);
        // Not only the remembered object: made anew from equal parameters.
        expect(encodingAttr(op.ctx, { ...params })).toBe(encoding);
      }
    });
  expect(count).toBeGreaterThan(30);
});

test("linear layouts are remembered by attribute", () => {
  const blocked = attribute("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>");
  expect(toLinearLayout([32, 8], blocked)).toBe(toLinearLayout([32, 8], blocked));
  expect(toLinearLayout([32, 8], blocked).getInDimSize("lane")).toBe(32);
});

test("encodings go through shape operations, or it is said why not", () => {
  const blocked = attribute("#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>");
  const slice = inferLayout.inferReduceOpEncoding(blocked, 1, undefined)!;
  expect(encodingParams(slice)?.kind).toBe("slice");
  expect(inferLayout.inferExpandDimsOpEncoding(slice, 1, undefined)).toBe(blocked);
  const messages: string[] = [];
  expect(inferLayout.inferExpandDimsOpEncoding(slice, 0, (m) => messages.push(m))).toBeUndefined();
  expect(inferLayout.inferExpandDimsOpEncoding(blocked, 0, (m) => messages.push(m))).toBeUndefined();
  expect(inferLayout.inferReshapeOpEncoding([4, 4], blocked, [8], (m) => messages.push(m))).toBeUndefined();
  expect(messages).toEqual([
    "Incompatible slice dimension for ExpandDimsOp operand",
    "ExpandDimsOp operand encoding must be SliceEncodingAttr",
    "numel of dst shape does not match numel of src shape",
  ]);
  const trans = inferLayout.inferTransOpEncoding(blocked, [32, 8], [1, 0], undefined)!;
  expect(inferLayout.inferTransOpEncoding(trans, [8, 32], [1, 0], undefined)).toBe(blocked);
  expect(inferLayout.verifyLayoutsAreEqual([32, 8], blocked, trans, undefined)).toBe(false);
});

test("warps are those of the partition, the function or the module", () => {
  const module = parse(`
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%a: i32) {
        %m = arith.addi %a, %a : i32
        ttg.warp_specialize(%a)
        default {
          %d = arith.subi %a, %a : i32
          ttg.warp_yield
        }
        partition0(%x: i32) num_warps(8) {
          %p = arith.muli %x, %x : i32
          ttg.warp_return
        } : (i32) -> ()
        tt.return
      }
    }`);
  const warps: Record<string, number | undefined> = {};
  module.walk((op) => void (warps[op.name] = maybeLookupNumWarps(op)));
  expect(warps).toMatchObject({ "arith.addi": 4, "arith.subi": 4, "arith.muli": 8, "tt.func": 4 });
});

test("only mutable buffers, and those that have their place, have effects", () => {
  const module = parse(`
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    module attributes {"ttg.num-warps" = 4 : i32} {
      tt.func @f(%a: tensor<64x64xf16, #blocked>) {
        %0 = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
        %1 = ttg.local_alloc %a {allocation.offset = 0 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory>
        %2 = ttg.local_alloc {alignment = 16 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable>
        tt.return
      }
    }`);
  const allocs: { kinds: string[]; alignment: number }[] = [];
  module.walk((op) => {
    const alloc = LocalAllocOp.match(op);
    if (alloc) allocs.push({ kinds: memoryEffects(op)!.map((e) => e.kind), alignment: alignmentOrDefault(alloc) });
  });
  expect(allocs).toEqual([
    { kinds: [], alignment: 1024 },
    { kinds: ["allocate", "write"], alignment: 1024 },
    { kinds: ["allocate"], alignment: 16 },
  ]);
});
