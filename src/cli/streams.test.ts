/** A command as a process: what becomes of its output, its exit code, and the programs that it runs. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Does what its first argument says, and ends with its second. */
const COMMAND = `
import { runMain } from "./node-io.js";
runMain(async ([what, code, more], io) => {
  if (what === "long") for (let i = 0; i < 20; i++) io.stdout.write("x".repeat(1e5));
  if (what === "err") io.stderr.write("bad input\\n");
  if (what === "escapes") { io.stdout.write("\\x1b[31m\\n"); io.stdout.writeBytes("\\x1b[31m\\n"); }
  if (what === "file") io.writeFile(more, "text\\n");
  if (what === "read") io.stdout.write(io.readFile(more).length + "\\n");
  if (what === "folder") io.stdout.write(String(io.readFolder(more)) + "\\n");
  if (what === "program") io.stdout.write(io.programs.withFolder((folder) => JSON.stringify(io.programs.runProgram(more, [folder]))) + "\\n");
  return Number(code);
}).then(() => process.exit());
`;
let dir = "";
let command = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "tt-step-streams-"));
  command = join(dir, "command.cjs");
  const stdin = { contents: COMMAND, resolveDir: import.meta.dirname };
  buildSync({ stdin, bundle: true, platform: "node", format: "cjs", outfile: command, logLevel: "error" });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const sh = (script: string, env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> =>
  spawnSync("bash", ["-c", script.replaceAll("CMD", `'${process.execPath}' '${command}'`)], {
    encoding: "utf8",
    timeout: 120_000,
    cwd: dir,
    env: { ...process.env, ...env },
  });

test("a full disk behind stdout or stderr: a message, and exit 2", () => {
  expect(sh("CMD long 0 > /dev/full")).toMatchObject({
    status: 2,
    stderr: "error: cannot write standard output: no space left on device\n",
  });
  expect(sh("CMD long 1 > /dev/full").status).toBe(2);
  expect(sh("CMD err 0 2> /dev/full")).toMatchObject({ status: 2, stdout: "", stderr: "" });
});

test.each([0, 1, 2])("a reader that goes away leaves the exit code %i as it is", (code) => {
  expect(sh(`CMD long ${code} | true; echo $\{PIPESTATUS[0]}`).stdout).toBe(`${code}\n`);
  expect(sh(`CMD err ${code} 2>&1 >/dev/null | true; echo $\{PIPESTATUS[0]}`).stdout).toBe(`${code}\n`);
});

test("text for people is escaped, bytes are exact in a pipe", () => {
  expect(sh("CMD escapes 0").stdout).toBe("\\x1b[31m\n\x1b[31m\n");
});

test("-o /dev/stdout is standard output: what a file holds already stays", () => {
  expect(sh("echo before > out; CMD file 0 /dev/stdout >> out; cat out; CMD file 0 /dev/stdout | cat").stdout).toBe("before\ntext\ntext\n");
});

test("inputs that end: pipes; inputs that need not: devices, FIFOs that nobody writes, folders without end", () => {
  expect(sh("CMD read 0 <(echo text); echo text | CMD read 0 -; echo text | CMD read 0 /dev/stdin").stdout).toBe("5\n5\n5\n");
  expect(sh("mkfifo late; (sleep 0.3; echo text > late) & CMD read 0 late").stdout).toBe("5\n");
  expect(sh("CMD read 0 /dev/zero")).toMatchObject({ status: 2, stderr: "error: cannot use '/dev/zero': not a regular file\n" });
  expect(sh("CMD folder 0 /")).toMatchObject({ status: 2, stderr: "error: cannot use '/': more than 20000 entries\n" });
});

test("a program that hangs, dies or prints nothing: said, and its folder is gone", () => {
  const program = (name: string, script: string) => writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program("hang", "exec sleep 60");
  program("die", "kill -SEGV $$");
  const run = (name: string) =>
    sh(`mkdir -p tmp; CMD program 0 ./${name}`, { TMPDIR: join(dir, "tmp"), TT_STEP_PROGRAM_SECONDS: "0.3" }).stdout;
  expect(run("hang")).toBe('{"status":1,"output":"./hang has not ended after 0.3 s"}\n');
  expect(run("die")).toContain("./die was ended by SIGSEGV");
  expect(run("missing")).toBe('{"status":1,"output":"./missing cannot be run: spawnSync ./missing ENOENT"}\n');
  expect(readdirSync(join(dir, "tmp"))).toEqual([]);
  expect(sh("CMD program 0 ./die", { TMPDIR: "/nonexistent" })).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^error: cannot use '\/nonexistent\/tt-step-\w+': no such file or directory\n$/),
  });
});
