import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { i32Attr, i64Attr, intOf } from "../../ir/builtin-attrs.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { parseModule } from "../../syntax/parse.js";
import { cases, folder, made } from "../../testing/kernel-cases.js";
import { elementKind } from "../numbers/element.js";
import type { ArgumentPlan } from "./arguments.js";
import { compareRuns } from "./compare.js";
import { type RunResult, runModule } from "./run.js";

/** Changes one op of a kernel; returns it, or undefined when there is none to change. */
type Fault = (module: Operation) => Operation | undefined;

const ALL_OPS = (module: Operation): Operation[] => {
  const ops: Operation[] = [];
  module.walk((op) => void ops.push(op));
  return ops;
};
const inLoop = (op: Operation): boolean => op.parentOp?.name === "scf.for";
function first(module: Operation, name: string, where: (op: Operation) => boolean = () => true): Operation | undefined {
  return ALL_OPS(module).find((op) => op.name === name && where(op));
}
function erase(op: Operation, replacements: readonly Operation["results"][number][]): Operation {
  op.replaceAllUsesWith(replacements);
  const place = op.prev ?? op.next!;
  op.erase();
  return place;
}

const FAULTS: Readonly<Record<string, { readonly kernels: readonly string[]; readonly plant: Fault; readonly finds: RegExp }>> = {
  "a removed wait for copies": {
    kernels: ["matmul_f16_128x128x32_w4-sm80", "matmul_f32_tf32-sm80", "flash_attn_d64-sm80", "matmul_int4_dequant-sm80"],
    plant: (module) => {
      const waits = ALL_OPS(module).filter((op) => op.name === "ttg.async_wait" && op.numOperands > 0 && inLoop(op));
      return waits.map((wait) => erase(wait, [wait.operand(0)])).at(0);
    },
    finds: /early-read: ttg.local_load reads element \d+ .* not waited for/,
  },
  "a wait for one group too few": {
    kernels: ["matmul_f16_128x128x32_w4-sm80", "matmul_f32_tf32-sm80", "matmul_fp8e5-sm80", "chained_dot-sm80", "matmul_f64-sm80"].filter(
      hasWait,
    ),
    plant: (module) => {
      const waits = ALL_OPS(module).filter((op) => op.name === "ttg.async_wait");
      for (const wait of waits) wait.setAttr("num", i32Attr(wait.ctx, intOf(wait.attr("num"))! + 1));
      return waits[0];
    },
    finds: /early-read: ttg.local_load/,
  },
  "the wrong buffer of a ring": {
    kernels: ["matmul_f16_128x128x32_w4-sm80", "matmul_f32_tf32-sm80", "flash_attn_d64-sm80", "matmul_f16_128x128x32_w4-sm90"],
    plant: (module) => {
      const load = first(module, "ttg.local_load", (op) => inLoop(op) && op.operand(0).definingOp?.name === "ttg.memdesc_index");
      const dot = first(module, "ttng.warp_group_dot", inLoop);
      const index = load?.operand(0).definingOp ?? dot?.operand(0).definingOp;
      const zero = first(module, "arith.constant", (op) => intOf(op.attr("value")) === 0 && op.resultTypes[0] === index?.operand(1).type);
      if (!index || !zero) return undefined;
      index.setOperand(1, zero.result());
      return index;
    },
    finds: /early-read|unwritten-shared|race|byte \d+ of/,
  },
  "a mask that is off by one": {
    kernels: ["vecadd_f32-sm80", "softmax_row-sm80", "layernorm_fwd-sm80", "dropout_philox-sm80"],
    plant: (module) => {
      const compares = ALL_OPS(module).filter(
        (op) => op.name === "arith.cmpi" && intOf(op.attr("predicate")) === 2 && op.result().type.def.name === "builtin.tensor",
      );
      for (const compare of compares) compare.setAttr("predicate", i64Attr(compare.ctx, 3));
      return compares[0];
    },
    finds: /out-of-bounds|byte \d+ of/,
  },
  "a removed wait for TMA": {
    kernels: [
      "matmul_warp_spec-sm90",
      "matmul_tensordesc-sm90",
      "matmul_persistent_desc-sm90",
      "matmul_warp_spec-sm100",
      "matmul_tensordesc-sm100",
    ],
    plant: (module) => {
      const wait = first(module, "ttng.wait_barrier", inLoop) ?? first(module, "ttng.wait_barrier");
      return wait && erase(wait, []);
    },
    finds: /early-read|unwritten-shared|race|barrier/,
  },
  "a removed wait for products": {
    kernels: ["matmul_f16_64x64x64_w4-sm90", "flash_attn_d64-sm90", "matmul_tensordesc-sm90"],
    plant: (module) => {
      const waits = ALL_OPS(module).filter((op) => op.name === "ttng.warp_group_dot_wait");
      return waits.map((wait) => erase(wait, wait.operands)).at(-1);
    },
    finds: /early-read: .* reads the result of ttng.warp_group_dot/,
  },
};

function hasWait(name: string): boolean {
  return textOf(name).includes("ttg.async_wait");
}
function textOf(name: string): string {
  return gunzipSync(readFileSync(`${folder}/${name}.ttgir.gz`)).toString("latin1");
}
function load(name: string): Operation {
  return parseModule(new Context(ALL_DIALECTS), name, textOf(name))!.module;
}
function run(module: Operation, name: string, seed: number): RunResult {
  const c = cases.find((x) => x.case.replace(/-sm\d+$/, "") === name.replace(/-sm\d+$/, ""));
  const args = c?.args.map(
    (a, i): ArgumentPlan =>
      typeof a === "number"
        ? { kind: "scalar", name: `arg${i}`, value: a }
        : { kind: "pointer", name: a.name, element: elementKind(a.dtype)!, init: undefined, data: made(a) },
  );
  const last = (c?.grid ?? [1, 1, 1]).map((n) => n - 1);
  return runModule(module, { ...(args ? { args } : {}), ...(c ? { grid: c.grid } : {}), programs: [[0, 0, 0], last], seed });
}

/** The errors reported for a faulty kernel, and its first difference from the sound one. */
function verdict(sound: RunResult, faulty: RunResult): string {
  const errors = faulty.findings.filter((f) => f.severity === "error").map((f) => `${f.kind}: ${f.message}`);
  const difference = compareRuns(sound, faulty);
  if (difference) errors.push(`byte ${difference.offset} of '${difference.buffer}', stored by ${difference.op?.name}`);
  return errors.join("\n");
}

describe.each(Object.entries(FAULTS))("%s is found", (_, { kernels, plant, finds }) => {
  test("in at least three kernels", () => expect(kernels.length).toBeGreaterThanOrEqual(3));
  test.each(kernels)("in %s", (name) => {
    // The seed also says which of several threads goes first: what one order hides the other shows.
    const seeds = name.includes("warp_spec") ? [0, 1] : [0];
    const sound = seeds.map((seed) => run(load(name), name, seed));
    for (const result of sound) expect(result.findings.filter((f) => f.severity === "error")).toEqual([]);
    const module = load(name);
    expect(plant(module), "no place for the fault").toBeDefined();
    expect(seeds.map((seed, i) => verdict(sound[i]!, run(module, name, seed))).join("\n")).toMatch(finds);
  });
});
