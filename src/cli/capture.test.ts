/** Folders that `tt-step capture` has written: `fixtures/capture/kept` is what Triton 3.6.0 made of `program.py`, from another folder. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const KEPT = "fixtures/capture/kept";
const words = (command: string): string[] => [...command.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!);

test("a captured folder lists its kernels, and each compiles to what Triton made", async () => {
  const io = memoryIo();
  expect(await main([KEPT], io)).toBe(2);
  expect(io.err()).toContain(`'${KEPT}' has 2 captured kernels; choose one:\n`);
  expect(io.err()).toContain("  add(*fp16:16, *fp32:16, i32, 256) cuda:90 num_warps 8 num_stages 3 grid 4 at program.py:17\n");
  const commands = io.err().match(/^ {4}tt-step .*$/gm) ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const made = memoryIo();
    expect(await main(words(command.trim()).slice(1), made)).toBe(0);
    expect(made.out()).toBe("no difference: the IR was compared at 3 points\n");
  }
});

test("a capture that differs from what is compiled shows the stage", async () => {
  const folder = `${KEPT}/${/kept\/(add-\w+)/.exec(await listed())![1]}`;
  const io = memoryIo();
  const options = ["--signature", "*fp16:16, *fp32:16, i32, 512", "--target", "cuda:90", "--against", folder];
  expect(await main(["fixtures/capture/program.py", ...options], io)).toBe(1);
  expect(io.out()).toMatch(/^first difference in the source\n/);
});

test("a damaged capture is named, and the others stay", async () => {
  const capture = readFileSync(`${KEPT}/${/kept\/(add-\w+)/.exec(await listed())![1]}/capture.json`, "latin1");
  const io = memoryIo("", { "kept/a/capture.json": capture, "kept/b/capture.json": capture.slice(0, 100) });
  expect(await main(["kept"], io)).toBe(2);
  expect(io.err()).toContain("'kept' has 1 captured kernel; choose one:\n");
  expect(io.err()).toContain("  'kept/b/capture.json' is damaged\n");
});

test("a kernel without a signature takes the captured one", async () => {
  const capture = readFileSync(`${KEPT}/${/kept\/(add-\w+)/.exec(await listed())![1]}/capture.json`, "utf8");
  const stored = JSON.stringify({ ...JSON.parse(capture), file: "/home/user/program.py" });
  const program = readFileSync("fixtures/capture/program.py", "latin1");
  const files = { "/home/user/program.py": program, "program.py": program, "tt-step-capture/a/capture.json": stored };
  const listFolder = (path: string) => (path === "tt-step-capture" ? ["a"] : path === "tt-step-capture/a" ? ["capture.json"] : []);
  const programs = {
    listFolder,
    isProgram: () => false,
    runProgram: () => ({ status: 1, output: "" }),
    withFolder: <T>(use: (f: string) => T) => use(""),
  };
  const io = { ...memoryIo("", files), cwd: "/home/user", programs };
  expect(await main(["program.py", "--emit", "ttgir"], io)).toBe(0);
  expect(io.err()).toMatch(/^remark: the signature of 'add' is the one captured in tt-step-capture\/a: \*fp16:16, .*\[python\.captured\]/);
  const { options } = JSON.parse(capture) as { options: { num_warps: number } };
  expect(io.out()).toContain(`"ttg.num-warps" = ${options.num_warps} : i32`);
});

async function listed(): Promise<string> {
  const io = memoryIo();
  await main([KEPT], io);
  return io.err();
}
