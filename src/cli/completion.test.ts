import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { completionScript, SHELLS } from "./completion.js";
import { main } from "./tt-step.js";
import { optionTable } from "./tt-step-args.js";

/** What bash offers behind these words. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript("bash")}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tt_step; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", "tt-step", ...words], { encoding: "utf8", cwd: "fixtures/kernels" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

test("bash offers options, their words, files and commands", async () => {
  expect(offered("x.ttir", "--print-after-")).toEqual(["--print-after-all", "--print-after-change"]);
  expect(offered("x.ttir", "--num-w")).toEqual(["--num-warps"]);
  expect(offered("x.ttir", "--theme", "")).toEqual(["dark", "light", "none"]);
  expect(offered("x.ttir", "--theme", "=", "l")).toEqual(["light"]);
  expect(offered("x.ttir", "--emit", "ll")).toEqual(["llvm-dialect", "llir"]);
  expect(offered("x.ttir", "--target", "sm8")).toContain("sm80");
  expect(offered("soft")).toEqual(["softmax.ttir"]);
  expect(offered("snap")).toEqual(["snapshot"]);
  expect(offered("completion", "")).toEqual([...SHELLS]);
});

test.each(SHELLS)("%s: every option has its place", async (shell) => {
  const script = completionScript(shell);
  for (const { name } of optionTable()) expect(script).toMatch(new RegExp(shell === "fish" ? `-l ${name} ` : `--${name}\\b`));
  const io = memoryIo();
  expect(await main(["completion", shell], io)).toBe(0);
  expect(io.out()).toBe(script);
});

test("another shell is bad usage", async () => {
  const io = memoryIo();
  expect(await main(["completion", "tcsh"], io)).toBe(2);
  expect(io.err()).toContain("bash, zsh or fish");
});
