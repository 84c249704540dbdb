import { expect, test } from "vitest";
import { initialState } from "../../control/reducer.js";
import { withMachineStep } from "../../machine-step.js";
import { kernelSession, screenOf, typed } from "../../session.fixture.js";
import type { Session } from "../../state/state.js";
import { placeInStep, ptxOf } from "./final-code.js";

const session = kernelSession("fixtures/kernels/vecadd.ttir");
const ptx = session.trace.artifacts.ptx!.split("\n");
const load = ptx.findIndex((line) => line.includes("ld.global.v4")) + 1;
const sass = [
  { text: "vecadd:" },
  { text: "/*0000*/ MOV R1, c[0x0][0x28] ;", ptx: 1 },
  { text: "/*0010*/ @!P0 LDG.E.128 R4, [R2.64] ;", ptx: load },
];
const at = (size: { readonly columns: number; readonly rows: number }, of = session) =>
  initialState(of, size, { keys: {}, ascii: false, command: [] });
const assembled = { ...session, trace: withMachineStep(session.trace, { registers: 26, spilled: 0, sass }) };

test("no PTX is awaited of a kernel for an AMD GPU", () => {
  const { artifacts, ...trace } = session.trace;
  const { ptx: _, ...others } = artifacts;
  const without = { ...session, trace: { ...trace, artifacts: others } };
  expect(ptxOf(without).kind).toBe("making");
  expect(ptxOf({ ...without, trace: { ...without.trace, target: "hip:gfx942" } }).kind).toBe("none");
});

test("machine code is beside the PTX that it is from, and the cursor stays on what is tied", () => {
  const shown = typed(at({ columns: 140, rows: 40 }, assembled), "4]]]+jj");
  const row = screenOf(shown)
    .split("\n")
    .find((text) => text.includes("LDG.E.128"))!;
  expect(row).toContain("ld.global.v4.b32");
  const back = typed(shown, "[");
  expect(back.view.codegen).toMatchObject({ tab: "ptx", row: load - 1 });
  expect(typed(back, "]").view.codegen).toMatchObject({ tab: "sass", row: 2 });
});

test("the assembly of an AMD kernel is tied to the source, and is the last step", () => {
  const amd = kernelSession("fixtures/kernels/vecadd.ttir", 4, "hip:gfx942");
  const { trace } = amd;
  const screen = (of: Session, keys: string) => screenOf(typed(at({ columns: 160, rows: 40 }, of), keys));
  expect(screen(amd, "4]]]+")).toContain("assembling ...");
  expect(screen(amd, "4+")).toContain("memory|mma|llir|amdgcn|compare");
  const noLlvm = { ...amd, computed: { ...amd.computed, noMachine: "there is no LLVM" } };
  expect(screen(noLlvm, "4]]]+")).toContain("no assembly: there is no LLVM");
  const lines = ['\t.file\t1 "/tmp" "vecadd.py"', "vecadd:", "\t.loc\t1 15 16", "\tbuffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen"];
  const machine = {
    registers: 14,
    spilled: 0,
    sass: lines.map((text) => ({ text })),
    wave: { accumulators: 0, scalars: 26, spilledScalars: 0, scratch: 0, lds: 0 },
  };
  const made = { ...amd, trace: withMachineStep(trace, machine) };
  expect(made.trace.steps.at(-1)).toMatchObject({ flag: "amdgcn", pass: "AMDGCN" });
  expect(placeInStep(made, made.trace.steps.at(-1)!, 3)).toEqual({ file: "vecadd.py", line: 15, column: 16 });
  expect(screen(made, "4]]]+")).toContain("buffer_load_dwordx4");
  expect(screen(made, "4]]]jjjw")).toContain("Each lane loads from a buffer");
});

test("w explains the instruction under the cursor, in the pane and in the step", () => {
  const here = typed(at({ columns: 140, rows: 40 }, assembled), "4]]]jjw");
  const there = typed(at({ columns: 140, rows: 40 }, assembled), "1G2jjw");
  for (const screen of [screenOf(here), screenOf(there)]) expect(screen).toContain("Loads from global memory.");
});

test("one line says why there is no machine code", () => {
  const none = { ...session, computed: { ...session.computed, noMachine: "ptxas is not found" } };
  expect(screenOf(typed(at({ columns: 140, rows: 40 }, none), "4]]]"))).toContain("no SASS: ptxas is not found");
});

test("registers of a thread are in the headline", () => {
  expect(screenOf(at({ columns: 140, rows: 40 }, assembled))).toContain("26 registers a thread");
});

test("what a modifier means is whole at 80 columns", () => {
  const shown = screenOf(typed(at({ columns: 80, rows: 24 }), "4+]]/ld.global.v4\rw"));
  expect(shown.replace(/[ │║┃\n]+/g, " ")).toContain(".b32 the type: b bits, u an unsigned, s a signed integer, of so many bits");
});
