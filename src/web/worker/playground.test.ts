import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Input, Order, Pictures, Report } from "../protocol.js";
import { Playground } from "./playground.js";

/** A playground whose pictures are gathered, and a function that sends an order and does all that it asks for. */
function opened() {
  let pictures: Partial<Pictures> = {};
  const reports: Report[] = [];
  const playground = new Playground(
    (report) => {
      reports.push(report);
      if (report.kind === "pictures") pictures = { ...pictures, ...report.pictures };
    },
    () => 0,
  );
  const send = (order: Order) => {
    playground.receive(order);
    while (playground.step());
    return pictures as Pictures;
  };
  return { send, reports, playground };
}
const file = (name: string): Input => ({ name: name.slice(name.lastIndexOf("/") + 1), text: readFileSync(name, "utf8") });
const ADD = file("fixtures/kernels/seed003_add.py");
const VECADD = file("fixtures/kernels/vecadd.ttir");
const rowsText = ({ rows }: Pictures): string => rows.rows.map(({ spans }) => spans.map(([text]) => text).join("")).join("\n");

test("a Python kernel: passes, a difference, instructions at its lines, the final code", () => {
  const { send } = opened();
  const first = send({ kind: "compile", input: ADD, open: "pass=0,focus=diff" });
  const steps = first.passes.items.flatMap((item) => (item.kind === "step" ? [item] : []));
  expect(steps.map(({ name }) => name)).toContain("coalesce");
  expect(first.status).toMatchObject({ tab: "passes", target: "cuda:80", options: { numWarps: 4 } });
  const { label } = steps.find(({ name }) => name === "coalesce")!;
  const { diff } = send({ kind: "screen", screen: `pass=${label},focus=diff` });
  expect(diff.title).toMatch(/→ coalesce$/);
  expect(diff.rows.some((row) => "kind" in row && row.kind === "added" && row.source > 0)).toBe(true);
  const load = ADD.text.split("\n").findIndex((line) => line.includes("tl.load")) + 1;
  expect(first.hints).toMatchObject({ linked: true });
  expect(first.hints.lines.find(({ line }) => line === load)?.text).toMatch(/\d+ × ld\.global/);
  const { code } = send({ kind: "screen", screen: "codegen=ptx,focus=codegen" });
  const isLoad = (line: (typeof code.machine)[number]) => line.source === load && line.spans.some(([text]) => text.includes("ld.global"));
  expect(code.machine.some(isLoad)).toBe(true);
  expect(code.ttgir.some(({ source }) => source === load)).toBe(true);
});

test("a worker without a result says nothing of a width: the page shows why the one before it ended", () => {
  const { send, reports } = opened();
  send({ kind: "columns", columns: 90 });
  expect(reports).toEqual([]);
  send({ kind: "compile", input: VECADD });
  reports.length = 0;
  send({ kind: "columns", columns: 190 });
  expect(reports.length).toBeGreaterThan(0);
});

test("orders change the pictures of their tab alone; equal ones are not sent again", () => {
  const { send, reports } = opened();
  send({ kind: "compile", input: VECADD, open: "focus=diff" });
  reports.length = 0;
  send({ kind: "command", command: "next-changed" });
  const sent = reports.flatMap((report) => (report.kind === "pictures" ? Object.keys(report.pictures) : []));
  expect(new Set(sent)).toEqual(new Set(["status", "passes", "diff"]));
  reports.length = 0;
  send({ kind: "rows", count: 1 });
  expect(reports).toEqual([]);
});

test("the layout under the cursor: who holds which element", () => {
  const { send } = opened();
  const { passes } = send({ kind: "compile", input: VECADD, open: "focus=diff,mode=IR" });
  const pass = passes.items.find((item) => item.kind === "step" && item.name === "coalesce");
  const { diff } = send({ kind: "screen", screen: `pass=${pass?.kind === "step" && pass.label}` });
  const row = diff.rows.findIndex((r) => "kind" in r && r.right?.spans.some(([text]) => text === "tt.load"));
  send({ kind: "row", row });
  const { layout } = send({ kind: "screen", screen: "focus=layout" });
  const gridsOf = (picture: typeof layout) => (picture.kind === "layout" ? picture.drawing!.grids : []);
  const [map] = gridsOf(layout);
  expect(map!.cells).toHaveLength(map!.rows.length * map!.columns.length);
  expect(map!.cells.slice(0, 5).map((cell) => cell?.thread)).toEqual([0, 0, 0, 0, 1]);
  const lit = send({ kind: "element", element: [4], thread: 1 }).layout;
  expect(lit.kind === "layout" && lit.drawing).toMatchObject({ lanes: 32, element: [4], thread: 1 });
  // The registers beside the elements: the same places, seen from the threads.
  const [elements, registers] = gridsOf(send({ kind: "screen", screen: "layout=hw" }).layout);
  const held = registers!.cells.find((cell) => cell?.thread === 1 && cell.register === 2)!;
  expect(elements!.cells.find((cell) => cell?.element.join() === held.element.join())).toMatchObject({ thread: 1, register: 2 });
});

test("two compilations: passes that differ, and their facts", () => {
  const { send } = opened();
  const against: Input = { ...VECADD, options: { numWarps: 8 } };
  const { passes, status } = send({ kind: "compile", input: VECADD, against, open: "codegen=compare,focus=codegen" });
  expect(status.against).toBe("cuda:80, Triton 3.6, 8 warps, 3 stages");
  expect(passes.items.some((item) => item.kind === "step" && item.differs)).toBe(true);
  expect(rowsText(send({ kind: "screen", screen: "codegen=compare" }))).toContain("8 warps");
});

test("the version of Triton is asked for, and the front end's too; one that is not known is named", () => {
  const { send } = opened();
  const newer = { ...ADD, text: ADD.text.replace("y = tl.load", "z = tl.topk(x, 4, descending=False)\n    y = tl.load") };
  expect(send({ kind: "compile", input: newer }).status.rendered).toContain("Triton 3.8 has");
  const { status } = send({ kind: "compile", input: { ...newer, triton: "3.8" }, against: ADD });
  expect(status).toMatchObject({ triton: "3.8", against: "cuda:80, Triton 3.6, 4 warps, 3 stages" });
  expect(status.headline).toContain("Triton 3.8");
  expect(status.command).toContain("--triton 3.8");
  expect(send({ kind: "compile", input: { ...ADD, triton: "3.10" } }).status.rendered).toContain("Triton 3.10 is not compiled");
});

test("a mistake has its place in letters, and the last result stays", () => {
  const { send } = opened();
  send({ kind: "compile", input: ADD });
  const wrong = { ...ADD, text: ADD.text.replace("tl.store(", "é = 1; tl.stare(") };
  const { status, passes } = send({ kind: "compile", input: wrong });
  const line = wrong.text.split("\n").findIndex((text) => text.includes("tl.stare"));
  const error = status.problems.find(({ severity }) => severity === "error");
  expect(error).toMatchObject({ line: line + 1 });
  expect(wrong.text.split("\n")[line]!.slice(error!.column)).toMatch(/^(?:tl\.)?stare/);
  expect(status.rendered).toContain("^");
  expect(passes.items.length).toBeGreaterThan(10);
});

test("a newer text takes the place of one that is being compiled", () => {
  const { send, playground } = opened();
  playground.receive({ kind: "compile", input: ADD });
  for (let i = 0; i < 5; i++) playground.step();
  expect(send({ kind: "compile", input: VECADD }).status.headline).toMatch(/^add_kernel|vecadd/);
});

test("questions: why, run, validate, JSON, layouts and CuTe", () => {
  const { send, reports } = opened();
  send({ kind: "compile", input: ADD });
  const answer = (question: Extract<Order, { kind: "ask" }>["question"]) => {
    send({ kind: "ask", id: 1, question });
    const last = reports.findLast((report) => report.kind === "answer");
    return last!.kind === "answer" ? last!.answer : undefined;
  };
  const load = ADD.text.split("\n").findIndex((line) => line.includes("tl.load")) + 1;
  expect(answer({ kind: "why", asked: `${ADD.name}:${load}` })?.sections.map(({ title }) => title)).toContain("access");
  expect(answer({ kind: "run" })?.sections.some(({ title }) => title.startsWith("stored to"))).toBe(true);
  expect(answer({ kind: "validate" })).toMatchObject({ failed: false, text: expect.stringMatching(/\d+ passes|no pass/) });
  expect(JSON.parse(answer({ kind: "json" })!.text!)).toMatchObject({ format: 2 });
  const blocked = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
  const layout = (text: string) => answer({ kind: "layout", text, element: [1, 2], thread: undefined });
  const [elements, registers] = layout(`tensor<4x16xf32, ${blocked}>`)!.drawing!.grids;
  expect([elements, registers].map((grid) => [grid!.rows.length, grid!.columns.length])).toEqual([
    [4, 16],
    [2, 32],
  ]);
  const swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
  const [banks] = layout(`!ttg.memdesc<16x64xf16, ${swizzled}, #ttg.shared_memory>`)!.drawing!.grids;
  // Row 1 is swizzled: its first 8 elements lie 16 bytes further.
  expect(banks!.cells.findIndex((cell) => cell?.element.join() === "1,0")).toBe(32 + 4);
  expect(layout("tensor<4xf32>")).toMatchObject({ failed: true });
  expect(answer({ kind: "cute", text: "(4,2):(2,1)" })?.panels?.[0]).toMatchObject({ rows: 4, columns: 2 });
  expect(answer({ kind: "cute", text: "(4,2):(2" })).toMatchObject({ failed: true, text: expect.stringContaining("^") });
});

test("arguments of the kernel that was here before are guessed anew", () => {
  const { send } = opened();
  const { status } = send({ kind: "compile", input: { ...ADD, kernel: "matmul_kernel", signature: "*fp16, 128" } });
  expect(status.headline).toMatch(/^add_kernel on/);
  const given = send({ kind: "compile", input: { ...ADD, signature: "*fp16:16, *fp16:16, *fp16:16, i32:16, 512" } });
  expect(given.hints.lines.map(({ text }) => text).join()).toContain("ld.global");
  expect(given.status.form?.fields.find(({ name }) => name === "BLOCK_SIZE")?.text).toBe("512");
});

test("an option that a screen names is compiled, and held against what was before", () => {
  const { send } = opened();
  send({ kind: "compile", input: VECADD });
  const { status, passes } = send({ kind: "screen", screen: "option=num_warps:8,pass=coalesce" });
  expect(status.options?.numWarps).toBe(8);
  expect(passes.items.some((item) => item.kind === "step" && item.differs)).toBe(true);
});

test("limits of a launch, and a pass rewrite by rewrite", () => {
  const { send } = opened();
  send({ kind: "compile", input: VECADD, open: "codegen=limits,focus=codegen" });
  const limits = send({ kind: "limits", launch: "n=4096 grid=4" });
  expect(limits.status.tab).toBe("limits");
  expect(rowsText(limits)).toMatch(/byte|MB|GB/);
  send({ kind: "screen", screen: "pass=coalesce" });
  expect(rowsText(send({ kind: "screen", screen: "codegen=rewrites,focus=codegen" }))).not.toMatch(/^\s*$/);
});
