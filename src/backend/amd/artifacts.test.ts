import { expect, test } from "vitest";
import { compile } from "../../library/compile.js";
import { readSource } from "../../library/sources.js";

const TEXT = `module {
tt.func public @k(%p: !tt.ptr<i32>, %x: i32, %c: i1) {
  %0 = tt.addptr %p, %x : !tt.ptr<i32>, i32 loc("k.py":10:1)
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %x : i32 loc("k.py":11:1)
  %1 = tt.atomic_rmw add, acq_rel, gpu, %0, %x, %c : (!tt.ptr<i32>, i32, i1) -> i32 loc("k.py":12:1)
  tt.return loc("k.py":13:1)
} loc("k.py":1:1)
} loc("k.py":1:1)
`;

test("options of environment variables, as Triton reads them; an option that is given comes first", () => {
  const flags = (target: string, options: object, environment: Record<string, string>) => {
    const source = readSource({ name: "k.ttir", text: TEXT, environment });
    if (source.kind === "error") throw new Error(source.rendered);
    const made = compile(source, { target, options, until: "tritongpu-coalesce" });
    if (made.kind !== "compiled") throw new Error(made.rendered);
    return made.trace.options;
  };
  const environment = { TRITON_HIP_USE_ASYNC_COPY: "1", AMDGCN_USE_BUFFER_OPS: "0", TRITON_HIP_USE_BLOCK_PINGPONG: "off" };
  expect(flags("hip:gfx942", {}, {})).toMatchObject({ useAsyncCopy: false, useBufferOps: true });
  expect(flags("hip:gfx942", {}, environment)).toMatchObject({ useAsyncCopy: true, useBufferOps: false, useBlockPingpong: false });
  expect(flags("hip:gfx942", { useBufferOps: true }, environment)).toMatchObject({ useBufferOps: true });
  expect(flags("cuda:80", {}, environment)).not.toHaveProperty("useAsyncCopy");
});

test("debug locations: a scalar's atomic has its pointer's, and what prints has none", () => {
  const source = readSource({ name: "k.ttir", text: TEXT });
  if (source.kind === "error") throw new Error(source.rendered);
  const made = compile(source, { target: "hip:gfx942", artifacts: ["llir"] });
  if (made.kind !== "compiled") throw new Error(made.rendered);
  const lines = made.artifacts.llir!.split("\n");
  const lineOf = (line: string): number | undefined => {
    const id = /!dbg (!\d+)/.exec(line)?.[1];
    const location = lines.find((l) => l.startsWith(`${id} = !DILocation(`));
    return location === undefined ? undefined : Number(/line: (\d+)/.exec(location)![1]);
  };
  const places = (op: string) => lines.filter((l) => l.includes(op) && !/^(declare|define)/.test(l)).map(lineOf);
  expect(places("getelementptr")).toEqual([10]);
  expect(places("atomicrmw")).toEqual([10]);
  expect(places("@__ockl_printf_begin")).toEqual([undefined]);
  expect(places("ret void")).toEqual([13]);
});
