/** Rewrites one by one: the second run has the ids of the first, and says what became of each op. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { AddIOp, SubIOp } from "../dialects/arith/ops/index.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { StepRecord } from "../pass/instrumentation.js";
import { canonicalize } from "../passes/common/canonicalize.js";
import { applyPatternsGreedily } from "../rewrite/greedy.js";
import { pattern } from "../rewrite/pattern.js";
import { parseModule } from "../syntax/parse.js";
import type { Step } from "../trace/trace.js";
import { type PassRewrites, RewriteDetails } from "./rewrite-details.js";

const options = { target: "cuda:80", options: defaultOptions(80), clock: () => 0 };
const moduleOf = (name: string) =>
  parseModule(new Context(ALL_DIALECTS), name, readFileSync(`fixtures/kernels/${name}.ttir`, "latin1"))!.module;

function both(name: string): { readonly steps: readonly Step[]; readonly found: ReadonlyMap<string, PassRewrites> } {
  const { steps } = compile(name, moduleOf(name), { ...options, remarks: true }).trace;
  const watches = new Map<number, RewriteDetails>();
  const watch = (at: number) => {
    watches.set(at, new RewriteDetails(String(at)));
    return watches.get(at);
  };
  const { idOf } = compile(name, moduleOf(name), { ...options, texts: false, remarks: false, verifyEach: false, watch });
  return { steps, found: new Map([...watches.values()].flatMap((w) => [...w.take(idOf)])) };
}

test.each(["vecadd", "softmax"])("%s: details have the patterns and ids of the Trace", (name) => {
  const { steps, found } = both(name);
  let compared = 0;
  for (const step of steps) {
    if (step.kind !== "pass") continue;
    const flat: [string, number][] = [];
    for (let i = 0; i < step.rewrites.length; i += 3 + step.rewrites[i + 2]!)
      flat.push([step.patterns[step.rewrites[i]!]!, step.rewrites[i + 1]!]);
    const details = found.get(step.label)!;
    expect(details.rewrites.map(({ pattern, root }) => [pattern, root]).sort(), step.label).toEqual(flat.sort());
    compared += flat.length;
  }
  expect(compared).toBeGreaterThan(20);
});

test("pattern, op before, ops after, and why others declined", () => {
  const { steps, found } = both("softmax");
  const of = (flag: string) => found.get(steps.find((s) => s.flag === flag && s.parent === undefined)!.label)!.rewrites;
  const shown = ({ pattern, before, after, replacedBy }: PassRewrites["rewrites"][number]) =>
    [pattern, before, ...after.map((a) => a.text), ...replacedBy].join("\n");
  expect(of("triton-combine").map(shown)).toMatchInlineSnapshot(`[]`);
  expect(of("convert-triton-to-tritongpu").slice(0, 3).map(shown)).toMatchInlineSnapshot(`
    [
      "convert-constant
    %cst = arith.constant dense<0xFF800000> : tensor<1024xf32>
    %+1 = arith.constant dense<0xFF800000> : tensor<1024xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>",
      "convert-tt.make_range
    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %+2 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>",
      "convert-tt.splat
    %2 = tt.splat %arg3 : i32 -> tensor<1024xi32>
    %+3 = tt.splat %arg3 : i32 -> tensor<1024xi32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>",
    ]
  `);
  const untouched = [...found.values()].flatMap((p) => p.untouched);
  expect(untouched.length).toBeGreaterThan(0);
  expect(untouched.every(({ declined }) => declined.every((d) => d.reason !== ""))).toBe(true);
});

test("patterns that declined before one applied are listed with it", () => {
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, "add", "tt.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  tt.return %0 : i32\n}\n")!;
  const details = new RewriteDetails("1");
  const step = { step: { pass: canonicalize, options: {} }, root: module, depth: 0, statistics: new Map() } as unknown as StepRecord;
  details.before(step);
  const never = pattern("never", AddIOp, (_, rw) => rw.noMatch("not today"), { benefit: 2 });
  const toSub = pattern("to-sub", AddIOp, (add, rw) => {
    rw.replaceWith(add, SubIOp, { lhs: add.lhs, rhs: add.rhs });
    return true;
  });
  applyPatternsGreedily(module, [toSub, never], { listener: details.listener() });
  details.after(step);
  const [add] = details.take((op) => op).get("1")!.rewrites;
  expect(add).toMatchObject({
    pattern: "to-sub",
    before: "%0 = arith.addi %arg0, %arg0 : i32",
    after: [{ text: "%+1 = arith.subi %arg0, %arg0 : i32" }],
    declined: [{ pattern: "never", reason: "not today" }],
  });
});
