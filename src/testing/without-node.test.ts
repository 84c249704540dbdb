/** The library as a browser has it: bundled without node, in a context that has JavaScript itself and nothing else. */
import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";
import type * as library from "../index.js";
import { memoryIo } from "./memory-io.js";

/** The exports of `src/index.ts` in a bare context. Under a strict Content Security Policy text cannot become code. */
async function inBrowser(codeGeneration: { readonly strings: boolean }): Promise<typeof library> {
  const { outputFiles } = await build({
    entryPoints: ["src/index.ts"],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "ttStep",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  const context = createContext({}, { codeGeneration });
  runInContext(outputFiles[0]!.text, context);
  return (context as { ttStep: typeof library }).ttStep;
}

test("the library compiles to PTX in a browser, also where text cannot become code", async () => {
  const { compile, readSource } = await inBrowser({ strings: false });
  const name = "fixtures/kernels/matmul.ttir";
  const source = readSource({ name, text: readFileSync(name, "latin1") });
  expect(source.kind).toBe("module");
  const compiled = compile(source as library.Source, { target: "cuda:80", artifacts: ["ptx"], record: "nothing" });
  const { main } = await import("../cli/tt-step.js");
  const io = memoryIo();
  expect(await main([name, "--target", "cuda:80", "--emit", "ptx"], io)).toBe(0);
  expect(compiled.kind === "compiled" && compiled.artifacts.ptx).toBe(io.out());
});

test("kernels run and validate with the same results where text cannot become code", async () => {
  const name = "fixtures/kernels/vecadd.ttir";
  const text = readFileSync(name, "latin1");
  const resultsOf = ({ compile, readSource, run, validate }: typeof library) => {
    const read = () => readSource({ name, text }) as library.ModuleSource;
    const ran = run(read().module);
    const compiled = compile(read(), { target: "cuda:80" }) as library.Compilation;
    const validation = validate(compiled.trace, { seconds: 0, seeds: [0] });
    if (ran.kind === "error" || validation.kind === "error") throw new Error("not run");
    const { broken, passes, programs, notExecuted } = validation;
    const stores = ran.memory.buffers.map((b) => ran.memory.stores(b.spec.name));
    return JSON.stringify({ stores, findings: ran.findings, broken, passes, programs, notExecuted });
  };
  const [strict, usual] = [resultsOf(await inBrowser({ strings: false })), resultsOf(await inBrowser({ strings: true }))];
  expect(strict).toMatch(/"bytes":\{"0".*"passes":\["/);
  expect(strict).toBe(usual);
});
