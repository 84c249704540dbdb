import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileError, makeFolder, readText, writeAll, writeFile, writeNew } from "./files.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tt-step-files-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const at = (name: string): string => join(dir, name);
const reasonOf = (body: () => unknown): string => {
  try {
    body();
    return "none";
  } catch (error) {
    return fileError(error);
  }
};

test("a file is replaced as a whole and keeps its mode; a link stays one", () => {
  writeFileSync(at("file"), "old");
  chmodSync(at("file"), 0o600);
  linkSync(at("file"), at("before"));
  symlinkSync("file", at("link"));
  writeFile(at("link"), "new");
  expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  expect(readFileSync(at("file"), "latin1")).toBe("new");
  expect(statSync(at("file")).mode & 0o777).toBe(0o600);
  expect(readFileSync(at("before"), "latin1")).toBe("old");
  symlinkSync("made", at("dangling"));
  writeFile(at("dangling"), "new");
  expect(readFileSync(at("made"), "latin1")).toBe("new");
  writeFile(at("a/b/c"), "\xff");
  expect(readFileSync(at("a/b/c"))).toEqual(Buffer.from([0xff]));
  expect(readdirSync(dir).sort()).toEqual(["a", "before", "dangling", "file", "link", "made"]);
});

test("a FIFO is written to, and stays", () => {
  execFileSync("mkfifo", [at("fifo")]);
  const read = execFileSync("sh", ["-c", `cat '${at("fifo")}' > '${at("copy")}' & echo $!`], { stdio: ["ignore", "pipe", "ignore"] });
  expect(Number(String(read))).toBeGreaterThan(0);
  writeFile(at("fifo"), "text");
  expect(lstatSync(at("fifo")).isFIFO()).toBe(true);
  for (const until = Date.now() + 2000; Date.now() < until && readFileSync(at("copy"), "latin1") === ""; );
  expect(readFileSync(at("copy"), "latin1")).toBe("text");
});

test("a slow reader of a stream that does not block costs little processor time", () => {
  execFileSync("mkfifo", [at("slow")]);
  const fd = openSync(at("slow"), constants.O_RDWR | constants.O_NONBLOCK);
  spawn("sh", ["-c", `sleep 0.7; head -c 300000 '${at("slow")}' > '${at("copy")}'`], { stdio: "ignore" });
  const before = process.cpuUsage();
  writeAll(fd, Buffer.alloc(300_000, "x"));
  const { user, system } = process.cpuUsage(before);
  closeSync(fd);
  expect((user + system) / 1000).toBeLessThan(300);
});

test("a device is written to, and stays", () => {
  // Without the rights to make one there is none to lose.
  if (process.geteuid?.() !== 0) return;
  execFileSync("mknod", [at("null"), "c", "1", "3"]);
  writeFile(at("null"), "text");
  expect(lstatSync(at("null")).isCharacterDevice()).toBe(true);
  expect(reasonOf(() => readText(at("null")))).toBe("not a regular file");
});

test("a new file must not be there: a link that somebody has put there is not followed", () => {
  symlinkSync("elsewhere", at("new"));
  expect(reasonOf(() => writeNew(at("new"), "text"))).toBe("file already exists");
  expect(existsSync(at("elsewhere"))).toBe(false);
  writeNew(at("mine"), "text", { mode: 0o600 });
  expect(statSync(at("mine")).mode & 0o777).toBe(0o600);
});

test("every reason is a few words", () => {
  writeFileSync(at("file"), "");
  symlinkSync("loop", at("loop"));
  expect(reasonOf(() => writeFile(at("file/x"), ""))).toBe("not a directory");
  expect(reasonOf(() => writeFile(dir, ""))).toBe("is a directory");
  expect(reasonOf(() => writeFile(at("loop"), ""))).toBe("too many symbolic links encountered");
  expect(reasonOf(() => writeFile(at("n".repeat(300)), ""))).toBe("name too long");
  expect(reasonOf(() => writeFile("/dev/full", "text"))).toBe("no space left on device");
  // node's own recursive mkdir does not end there.
  expect(reasonOf(() => makeFolder("/proc/x/y"))).toBe("no such file or directory");
  expect(reasonOf(() => readText(dir))).toBe("is a directory");
  expect(reasonOf(() => readText("/dev/zero"))).toBe("not a regular file");
  expect(readText("/proc/self/status")).toContain("Name:");
});
