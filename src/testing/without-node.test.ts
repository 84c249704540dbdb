import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { memoryIo } from "./memory-io.js";

test("the compiler runs where there is no node, as in a browser", async () => {
  const { outputFiles } = await build({
    entryPoints: ["src/testing/ttir-to-ptx.fixture.ts"],
    bundle: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  // A bare context has JavaScript itself and nothing else.
  const context = createContext({}) as { toPtx(text: string, capability: number): string };
  runInContext(outputFiles[0]!.text, context);
  const file = "fixtures/kernels/matmul.ttir";
  const { main } = await import("../cli/tt-step.js");
  const io = memoryIo();
  expect(await main([file, "--target", "cuda:80", "--emit", "ptx"], io)).toBe(0);
  const ptx = context.toPtx(readFileSync(file, "latin1"), 80);
  // Locations name the file as it was given.
  const withoutFile = (text: string) => text.replaceAll(/^\s*\.file .*$/gm, "").replaceAll(/\/\/ .*$/gm, "");
  expect(withoutFile(ptx)).toBe(withoutFile(io.out()));
}, 60_000);
