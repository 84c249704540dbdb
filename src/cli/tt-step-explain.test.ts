import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main as ttOpt } from "./tt-opt.js";
import { main } from "./tt-step.js";

async function explained(...argv: string[]) {
  const io = memoryIo("", {});
  const code = await main(["--explain", ...argv], io);
  return { code, out: io.out(), err: io.err() };
}

test("a pass by a part of its flag, with the lines before and after", async () => {
  const { code, out } = await explained("remove-layout-conversions");
  expect(code).toBe(0);
  expect(out).toMatch(/^tritongpu-remove-layout-conversions \(TritonGPURemoveLayoutConversions\): /);
  expect(out).toMatch(/\nBefore:\n(?:.*\n)*.*ttg\.convert_layout(?:.*\n)*After:\n/);
});

test("an explanation as a page and as a drawing", async () => {
  const written = async (path: string) => {
    const io = memoryIo("", {});
    expect(await main(["--explain", "double-buffering", "--export", path], io)).toBe(0);
    expect(io.out()).toBe("");
    return io.written.get(path)!;
  };
  expect(await written("f.html")).toMatch(/<pre>(?:.*\n)*.*iteration 1 +copy/);
  expect(await written("f.svg")).toMatch(/^<svg(?:.*\n)*.*iteration\S?\s1/);
  expect(await explained("double-buffering", "--export", "f.pdf")).toMatchObject({
    code: 2,
    err: expect.stringContaining(".html or .svg"),
  });
});

test("without a name the names of each kind", async () => {
  const { out } = await explained();
  for (const kind of ["passes", "ops", "encodings", "types", "attributes", "instructions", "codes of remarks", "codes of diagnostics"])
    expect(out).toContain(`${kind}:\n`);
});

test("a name of nothing", async () => {
  expect(await explained("coalesc")).toEqual({
    code: 2,
    out: "",
    err: "tt-step: nothing has the name 'coalesc'; did you mean 'tritongpu-coalesce'? Try: tt-step --explain\n",
  });
});

test("tt-opt --help PASS", async () => {
  const io = memoryIo("", {});
  expect(await ttOpt(["--help", "cse"], io)).toBe(0);
  expect(io.out()).toMatch(/^cse \(CSE\): eliminate common sub-expressions\n/);
  const other = memoryIo("", {});
  expect(await ttOpt(["--help", "nothing"], other)).toBe(2);
  expect(other.err()).toBe("tt-opt: there is no pass 'nothing'. Try: tt-opt --help\n");
});
