import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { completionScript } from "./completion.js";
import { CUTE_LAYOUT } from "./options/cute.js";
import { TRITON_TENSOR_LAYOUT } from "./options/layout.js";
import { dashed } from "./options/option.js";
import type { Command } from "./options/read.js";
import { SHELLS, TT_STEP } from "./options/step.js";
import { main } from "./tt-step.js";

/** The completions that bash offers after these words. */
function offered(program: string, ...words: readonly string[]): readonly string[] {
  const complete = `_${program.replaceAll("-", "_")}`;
  const script = `${completionScript("bash")}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ${complete}; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", program, ...words], { encoding: "utf8", cwd: "fixtures/kernels" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

test("bash offers options, their words, files and commands of tt-step", () => {
  const step = (...words: readonly string[]) => offered("tt-step", ...words);
  expect(step("x.ttir", "--print-after-")).toEqual(["--print-after-all", "--print-after-change"]);
  expect(step("x.ttir", "--num-w")).toEqual(["--num-warps"]);
  expect(step("x.ttir", "--theme", "")).toEqual(["dark", "light", "none"]);
  expect(step("x.ttir", "--theme", "=", "l")).toEqual(["light"]);
  expect(step("x.ttir", "--emit", "ll")).toEqual(["llvm-dialect", "llir"]);
  expect(step("x.ttir", "--target", "cuda:8")).toContain("cuda:80");
  expect(step("x.ttir", "--stop-after", "tritongpu-coal")).toEqual(["tritongpu-coalesce", "tritongpu-coalesce-async-copy"]);
  expect(step("x.ttir", "--diff", "cse..tritongpu-coal")).toContain("cse..tritongpu-coalesce");
  expect(step("x.ttir", "-o", "soft")).toEqual(["softmax.ttir"]);
  expect(step("soft")).toEqual(["softmax.ttir"]);
  expect(step("snap")).toEqual(["snapshot"]);
  expect(step("completion", "")).toEqual([...SHELLS]);
  expect(step("run", "--sha")).toEqual(["--shared"]);
  expect(step("run", "--li")).toEqual([""]);
});

test("bash offers those of the other programs", () => {
  expect(offered("triton-tensor-layout", "--format", "")).toEqual(["text", "json", "svg", "html"]);
  expect(offered("triton-tensor-layout", "al")).toEqual(["algebra"]);
  expect(offered("cute-layout", "mma", "X", "--ord")).toEqual(["--order"]);
  expect(offered("tt-opt", "--tritongpu-coal")).toEqual(["--tritongpu-coalesce", "--tritongpu-coalesce-async-copy"]);
  expect(offered("tt-opt", "-o", "soft")).toEqual(["softmax.ttir"]);
});

test.each(SHELLS)("%s: every option has its place", async (shell) => {
  const script = completionScript(shell);
  for (const { commands } of [TT_STEP, TRITON_TENSOR_LAYOUT, CUTE_LAYOUT])
    for (const name of Object.values<Command>(commands).flatMap(({ options }) => Object.keys(options)))
      expect(script).toMatch(new RegExp(shell === "fish" ? `-${name.length > 1 ? "l" : "[sl]"} ${name} ` : `${dashed(name)}\\b`));
  const io = memoryIo();
  expect(await main(["completion", shell], io)).toBe(0);
  expect(io.out()).toBe(script);
});

test("another shell is bad usage", async () => {
  const io = memoryIo();
  expect(await main(["completion", "tcsh"], io)).toBe(2);
  expect(io.err()).toContain("bash, zsh or fish");
});
