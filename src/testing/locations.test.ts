import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { compile, pipelineOf } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import type { Attribute } from "../ir/attribute.js";
import { Context } from "../ir/context.js";
import { CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";

const STAGES = ["ttir", "ttgir"] as const;
const settings = { target: "cuda:80", options: defaultOptions(80) };

/** Each file lists the ops of real Triton's `kernel.ttir` or `kernel.ttgir` in order, each with its location. */
test.each(["matmul", "flash_attention", "layernorm", "softmax"].flatMap((name) => STAGES.map((stage) => [name, stage] as const)))(
  "every op of %s.%s has the location that real Triton gives it",
  (name, stage) => {
    const file = `fixtures/kernels/${name}.ttir`;
    const module = parseModule(new Context(ALL_DIALECTS), file, readFileSync(file, "latin1"))!.module!;
    const stopAfter = pipelineOf(settings).findIndex((step) => !STAGES.slice(0, STAGES.indexOf(stage) + 1).includes(step.stage as "ttir"));
    expect(compile(name, module, { ...settings, stopAfter, texts: false, clock: () => 0 }).ok).toBe(true);
    expect(locationsOf(module)).toEqual(readFileSync(`fixtures/passes/locations/${name}.${stage}.txt`, "utf8").trimEnd().split("\n"));
  },
);

/** Constants come last, sorted: their place among the others is not promised. Yields that are not written have no location. */
function locationsOf(module: Operation): string[] {
  const lines: string[] = [];
  const constants: string[] = [];
  module.walk((op) => {
    if (op.name === "scf.yield" && op.numOperands === 0) return;
    (op.name === "arith.constant" ? constants : lines).push(`${op.name} ${text(op.loc)}`);
  });
  return [...lines, ...constants.sort()];
}
function text(loc: Attribute): string {
  if (FileLineColLoc.is(loc)) return `${loc.params.line}:${loc.params.column}`;
  if (NameLoc.is(loc)) return `${loc.params.name}(${text(loc.params.child)})`;
  if (CallSiteLoc.is(loc)) return `${text(loc.params.callee)} at ${text(loc.params.caller)}`;
  return FusedLoc.is(loc) ? `[${loc.params.locations.map(text).join(", ")}]` : "?";
}
