/** Every call of the file system fails once: the old text or the new one is there, whole, and nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeFile } from "../node/files.js";
import { memoryIo } from "../testing/memory-io.js";
import { readSnapshot, writeSnapshot } from "./snapshot-store.js";
import { main } from "./tt-step.js";

const fault = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY, code: "", calls: 0 }));
vi.mock("node:fs", async (original) => {
  const fs = { ...(await original<typeof import("node:fs")>()) } as unknown as Record<string, unknown>;
  for (const [name, value] of Object.entries(fs))
    if (typeof value === "function" && name.endsWith("Sync"))
      fs[name] = (...args: unknown[]) => {
        fault.calls++;
        if (fault.left-- === 0)
          throw Object.assign(new Error(`${fault.code}: planted, ${name}`), { code: fault.code, syscall: name, path: args[0] });
        return (value as (...args: unknown[]) => unknown)(...args);
      };
  return { ...fs, default: fs };
});

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "tt-step-faults-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Fails the `n`th call of what is done; returns the error, if it was one. */
function failing(n: number, code: string, what: () => void): NodeJS.ErrnoException | undefined {
  Object.assign(fault, { left: n, code, calls: 0 });
  try {
    what();
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    fault.left = Number.POSITIVE_INFINITY;
  }
}
const CODES = ["ENOSPC", "EACCES", "EIO"] as const;
/** How many calls there are. */
function callsOf(what: () => void): number {
  failing(Number.POSITIVE_INFINITY, "", what);
  return fault.calls;
}

test("writing a file", () => {
  const path = join(dir, "folder", "page.html");
  const write = () => writeFile(path, "new");
  const begin = (old: string | undefined) => {
    rmSync(join(dir, "folder"), { recursive: true, force: true });
    if (old === undefined) return;
    mkdirSync(join(dir, "folder"));
    writeFileSync(path, old);
  };
  for (const old of [undefined, "old"]) {
    begin(old);
    const calls = callsOf(write);
    expect(calls).toBeGreaterThan(5);
    for (let n = 0; n < calls; n++) {
      begin(old);
      const code = CODES[n % CODES.length]!;
      expect(failing(n, code, write)?.code, `call ${n}`).toBe(code);
      const names = readdirSync(dir).flatMap((folder) => readdirSync(join(dir, folder)));
      expect(names, `call ${n}`).toEqual(old === undefined ? [] : ["page.html"]);
      if (old !== undefined) expect(readFileSync(path, "latin1")).toBe(old);
    }
  }
});

const OLD = new Map([
  ["01-inline.mlir", "old"],
  ["summary.json", "{}"],
]);
const NEW = new Map([
  ["01-inline.mlir", "new"],
  ["02-cse.mlir", "new"],
  ["summary.json", "{ }"],
]);
test("updating a snapshot", () => {
  const folder = join(dir, "vecadd", "sm80");
  const update = () => writeSnapshot(folder, NEW);
  const begin = (old: ReadonlyMap<string, string> | undefined) => {
    rmSync(join(dir, "vecadd"), { recursive: true, force: true });
    if (old) writeSnapshot(folder, old);
  };
  for (const old of [undefined, OLD]) {
    begin(old);
    const calls = callsOf(update);
    for (let n = 0; n < calls; n++) {
      begin(old);
      const code = CODES[n % CODES.length]!;
      expect(failing(n, code, update)?.code, `call ${n}`).toBe(code);
      const kept = readSnapshot(folder);
      if (kept?.size !== NEW.size) expect(kept, `call ${n}`).toEqual(old);
      else expect(kept).toEqual(NEW);
      update();
      expect(readSnapshot(folder)).toEqual(NEW);
      expect(readdirSync(join(dir, "vecadd"))).toEqual(["sm80"]);
    }
  }
});

test("an update that was killed leaves the old snapshot, and the next one clears up", () => {
  const folder = join(dir, "vecadd", "sm80");
  writeSnapshot(folder, OLD);
  mkdirSync(join(dir, "vecadd", ".sm80.abc.tmp"));
  writeFileSync(join(dir, "vecadd", ".sm80.abc.tmp", "01-inline.mlir"), "half");
  expect(readSnapshot(folder)).toEqual(OLD);
  writeSnapshot(folder, NEW);
  expect(readdirSync(join(dir, "vecadd"))).toEqual(["sm80"]);
});

test("a kernel whose snapshot cannot be read or written is reported, and the next one is compared", async () => {
  const run = async (...argv: string[]) => {
    const io = memoryIo();
    return { code: await main(["snapshot", ...argv, "--dir", dir], io), out: io.out() };
  };
  const kernels = ["fixtures/kernels/softmax.ttir", "fixtures/kernels/vecadd.ttir"];
  expect((await run(...kernels, "--update")).code).toBe(0);
  rmSync(join(dir, "softmax"), { recursive: true });
  writeFileSync(join(dir, "softmax"), "a file");
  const { code, out } = await run(...kernels);
  expect(code).toBe(2);
  expect(out).toBe(`softmax: error\n    error: cannot use '${dir}/softmax/sm80': not a directory\n1 same, 1 error\n`);
});
