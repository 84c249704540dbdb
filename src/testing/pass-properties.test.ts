import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { pipelineOf } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { runPipeline } from "../pass/pass-manager.js";
import { parsePipeline } from "../pass/pipeline-text.js";
import { PASSES } from "../passes/index.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

const parse = (text: string): Operation => parseModule(new Context(ALL_DIALECTS), "k.ttir", text)!.module!;
const STEPS = pipelineOf({ target: "cuda:80", options: defaultOptions(80) }).filter(({ stage }) => stage === "ttir" || stage === "ttgir");

function runStep(module: Operation, { flag, options }: (typeof STEPS)[number]): string {
  const pipeline = parsePipeline(options ? `${flag}{${options}}` : flag, (pass) => PASSES.get(pass));
  if ("error" in pipeline) throw new Error(pipeline.error);
  expect(runPipeline(module, pipeline.elements).ok).toBe(true);
  return printOperation(module);
}
/** The IR after every pass, without locations. */
function texts(source: string): string[] {
  const module = parse(source);
  return STEPS.map((step) => runStep(module, step));
}
const textHash = (text: string): number => [...text].reduce((hash, c) => (hash * 31 + c.charCodeAt(0)) % 1009, 7);
const finalText = (source: string): string => texts(source).at(-1)!;

describe.each(["matmul", "flash_attention", "layernorm", "softmax"])("%s", (name) => {
  const source = readFileSync(`fixtures/kernels/${name}.ttir`, "latin1");

  test("two runs give the same bytes", () => {
    expect(texts(source)).toEqual(texts(source));
  });

  test("names of values and aliases, and locations, do not change the result", () => {
    const expected = finalText(source);
    // Names in another order, too.
    const renamed = source
      .replace(/%([a-z]\w*)/g, (_, name: string) => `%v${textHash(name)}_${name}`)
      .replace(/#loc(\w*)/g, (_, n: string) => `#place${textHash(n)}_${n}`);
    expect(finalText(renamed)).toBe(expected);
    // Lines and columns in another order; and no op distinguished from another by its location.
    expect(finalText(source.replace(/("[^"]*"):(\d+):(\d+)/g, (_, file, l, c) => `${file}:${textHash(l) % 97}:${textHash(c) % 89}`))).toBe(
      expected,
    );
    const flat = printOperation(parse(source));
    expect(flat).not.toContain("loc(");
    expect(finalText(flat)).toBe(expected);
  });

  // Passes that real Triton need not run again on what they made.
  test("running a pass twice changes nothing more", () => {
    const module = parse(source);
    const changing: string[] = [];
    for (const step of STEPS) {
      const once = runStep(module, step);
      if (!ONCE_ONLY.has(step.flag) && runStep(module, step) !== once) changing.push(step.flag);
    }
    expect(changing).toEqual([]);
  });
});

/** Passes that change the IR again in a second run, in real Triton too: new layouts, loops pipelined twice, constants in another order. */
const ONCE_ONLY = new Set(["convert-triton-to-tritongpu", "tritongpu-coalesce", "tritongpu-pipeline", "sccp"]);
