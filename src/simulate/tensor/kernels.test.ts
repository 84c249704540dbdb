import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { argumentAttr, kernelOf } from "../../dialects/builtin/function-op.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { cases, checkOutputs, folder, type KernelCase, made } from "../../testing/kernel-cases.js";
import { elementKind } from "../numbers/element.js";
import type { ArgumentPlan } from "./arguments.js";
import { runModule } from "./run.js";

const files = readdirSync(folder);
const kernelName = (name: string): string => name.replace(/-sm\d+.*$/, "");
/** Every stage of every target that is stored; kernels of sm_90 and sm_100 compute what their sm_80 version does. */
const stages = files.flatMap((file): (readonly [string, KernelCase])[] => {
  if (!/\.tt(g?)ir\.gz$/.test(file)) return [];
  const name = file.replace(/\.tt(g?)ir\.gz$/, "");
  const match = cases.find((c) => c.case === name) ?? cases.find((c) => kernelName(c.case) === kernelName(name));
  return match ? [[file.replace(/\.gz$/, ""), match]] : [];
});

function programsOf([x, y, z]: readonly [number, number, number]): number[][] {
  return Array.from({ length: x * y * z }, (_, i) => [i % x, Math.floor(i / x) % y, Math.floor(i / (x * y))]);
}

test.each(stages)("%s computes what numpy does", (file, c) => {
  const text = gunzipSync(readFileSync(`${folder}/${file}.gz`)).toString("latin1");
  const module = parseModule(new Context(ALL_DIALECTS), file, text)!.module;
  const args = c.args.map(
    (a, i): ArgumentPlan =>
      typeof a === "number"
        ? { kind: "scalar", name: `arg${i}`, value: a }
        : { kind: "pointer", name: a.name, element: elementKind(a.dtype)!, init: undefined, data: made(a) },
  );
  // AxisInfo believes what the kernel's signature says of its arguments.
  const kernel = kernelOf(module)!;
  const asPromised = args.every(
    (a, i) => a.kind !== "scalar" || Number(a.value) % (intOf(argumentAttr(kernel, i, "tt.divisibility")) ?? 1) === 0,
  );
  const target = file.endsWith("ttgir") ? {} : { target: `cuda:${/sm(\d+)/.exec(file)![1]}` };
  const run = runModule(module, {
    args,
    grid: c.grid,
    programs: programsOf(c.grid),
    checks: { axisInfo: asPromised && file.endsWith(".ttir") },
    ...target,
  });
  expect(run.findings.filter((f) => f.severity === "error").map((f) => `${f.kind}: ${f.message} at ${f.op?.name}`)).toEqual([]);
  checkOutputs(c, run.memory);
});
