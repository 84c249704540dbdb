/** Every tour of the package: its keys reach the state that each step waits for, its commands run, its page is made. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { keysTyped, readTour, tourSchema } from "../learn/tour.js";
import { memoryIo } from "../testing/memory-io.js";
import { reduce } from "../tui/control/reducer.js";
import { Player } from "./tour-player.js";
import { main } from "./tt-step.js";
import { openTour } from "./tt-step-learn.js";

const NAMES = readdirSync("fixtures/tours").flatMap((file) => /^(.*)\.tour\.json$/.exec(file)?.[1] ?? []);
const SIZES = [
  { columns: 150, rows: 50 },
  { columns: 100, rows: 36 },
];

function opened(name: string, io = memoryIo()) {
  const tour = openTour(name, main, io, { color: "never", theme: "dark", mouse: false });
  if ("refused" in tour) throw new Error(tour.refused);
  return tour;
}

test.each(NAMES.flatMap((name) => SIZES.map((size) => [name, size.columns, size] as const)))(
  "%s by its keys, %i columns wide",
  async (name, _, size) => {
    const { ui, tour } = opened(name);
    const player = new Player({ ...ui, tour }, size);
    const press = async (key: string) => player.play({ type: "input", input: { kind: "key", key } });
    for (const [i, step] of tour.tour.steps.entries()) {
      const where = `step ${i + 1}: ${step.title}`;
      expect(player.state.tour, where).toMatchObject({ at: i });
      for (const key of step.command === "" ? keysTyped(step.keys) : ["="]) await press(key);
      expect(player.state.tour!.done, `${where}: ${player.state.message?.text ?? ""}`).toBe(true);
      if (step.command !== "") expect(JSON.stringify(player.state.overlay), where).not.toContain("exit code");
      await press(")");
    }
    expect(player.state.message?.text).toContain("the tour ends here");
  },
);

test("a step that is not reached keeps the tour; = goes there; ( goes back", async () => {
  const { ui, tour } = opened("vectorization");
  const at = tour.tour.steps.findIndex(({ state }) => state.startsWith("pass="));
  const player = new Player({ ...ui, tour: { ...tour, at } }, SIZES[0]!);
  const press = async (key: string) => player.play({ type: "input", input: { kind: "key", key } });
  await press(")");
  expect(player.state).toMatchObject({ tour: { at, done: false }, message: { text: expect.stringContaining("not there yet") } });
  await press("=");
  expect(player.state.tour).toMatchObject({ at, done: true });
  await press("(");
  expect(player.state.tour).toMatchObject({ at: at - 1 });
});

const WITH_OPTIONS = NAMES.filter((name) => opened(name).tour.tour.steps.some(({ state }) => state.startsWith("option=")));

test.each(WITH_OPTIONS)(
  "%s: = does all that a step asks for, also where the kernel is compiled with another option first",
  async (name) => {
    const { ui, tour } = opened(name);
    const player = new Player({ ...ui, tour }, SIZES[0]!);
    for (const [at, step] of tour.tour.steps.entries())
      if (step.state.startsWith("option=")) {
        await player.play({ type: "tour", tour: tour.tour, at });
        await player.play({ type: "input", input: { kind: "key", key: "=" } });
        expect(player.state.tour, `step ${at + 1}`).toMatchObject({ at, done: true });
      }
  },
);

test("on a small screen = brings up the pane that the step is about", async () => {
  const { ui, tour } = opened("vectorization");
  const at = tour.tour.steps.findIndex(({ state }) => state.endsWith("codegen=why"));
  const player = new Player({ ...ui, tour: { ...tour, at } }, { columns: 80, rows: 24 });
  await player.play({ type: "input", input: { kind: "key", key: "=" } });
  expect(player.state).toMatchObject({ tour: { done: true }, view: { focus: "codegen", codegen: { tab: "why" } } });
});

test("an output stays over the panes when the findings arrive", async () => {
  const { ui, tour } = opened("cute");
  const player = new Player({ ...ui, tour }, { columns: 80, rows: 24 });
  const { findings, ...others } = player.state.session.computed;
  expect(findings).toBeDefined();
  await player.play({ type: "computed", computed: { ...others, findings: undefined } });
  let state = reduce({ ...player.state, view: { ...player.state.view, focus: "findings" } }, { type: "output", title: "x", text: "y" });
  state = reduce(state, { type: "computed", computed: { ...others, findings } });
  expect(state.overlay).toMatchObject({ kind: "list", title: "x" });
});

test("an output that is wider than the screen is moved sideways by h and l", async () => {
  const { ui, tour } = opened("vectorization");
  const player = new Player({ ...ui, tour: { ...tour, at: 1 } }, { columns: 80, rows: 24 });
  const press = async (key: string) => player.play({ type: "input", input: { kind: "key", key } });
  await press("=");
  for (const [key, left] of [
    ["l", 16],
    ["right", 32],
    ["h", 16],
    ["h", 0],
    ["h", 0],
  ] as const) {
    await press(key);
    expect(player.state.overlay).toMatchObject({ kind: "list", left });
  }
});

test("tours are listed with how far one is, and printed with what the tool shows", async () => {
  const io = memoryIo("", { "/state/tt-step/tours.json": '{"vectorization": 2}' });
  expect(await main(["learn"], { ...io, env: { XDG_STATE_HOME: "/state" } })).toBe(0);
  expect(io.out()).toMatch(/vectorization +2\/\d+ /);
  for (const name of NAMES) expect(io.out()).toContain(`  ${name} `);
  const printed = memoryIo();
  expect(await main(["learn", "vectorization", "--print"], printed)).toBe(0);
  expect(printed.out()).toContain("*equal bits of the mask 1");
  const page = memoryIo();
  expect(await main(["learn", "vectorization", "--export", "tour.html"], page)).toBe(0);
  expect(page.written.get("tour.html")).toContain("equal bits of the mask");
});

test("progress is kept by name", () => {
  const io = memoryIo("", { "/state/tt-step/tours.json": "damaged" });
  const { tour } = opened("vectorization", { ...io, env: { XDG_STATE_HOME: "/state" } } as typeof io);
  tour.save(4);
  expect(JSON.parse(io.written.get("/state/tt-step/tours.json")!)).toEqual({ vectorization: 4 });
});

test("the schema that is shipped is the one of the reader", async () => {
  await expect(`${JSON.stringify(tourSchema(), null, 2)}\n`).toMatchFileSnapshot("../../schemas/tour.json");
});

test.each([
  ["{", "t.tour.json:1:2: error: expected a key in quotes, but the text ends"],
  ['{"title": "x", "kernel": "k.py"}', "t.tour.json:1:1: error: expected a list of one step at least"],
  ['{"title": "x", "kernl": "k.py"}', "t.tour.json:1:16: error: there is no key 'kernl' here; did you mean 'kernel'?"],
  ['{"title": "x", "kernel": "k", "steps": [{"title": "a", "txt": 1}]}', "error: there is no key 'txt' here; did you mean 'text'?"],
  ['{"title": "x", "kernel": "k", "steps": [{"title": "a"}]}', "t.tour.json:1:41: error: 'text' is missing"],
])("a damaged tour has its place: %s", (text, expected) => {
  expect(readTour("t.tour.json", text)).toEqual({ error: expect.stringContaining(expected) });
});

test.each([
  [["learn", "vectorisation"], "there is no tour 'vectorisation' (no such file or directory); did you mean 'vectorization'?"],
  [["learn", "a", "b"], "expects one tour, and there are 2"],
  [["learn", "vectorization", "--step", "99", "--print"], "--step 99: the tour has "],
])("bad usage: %j", async (argv, expected) => {
  const io = memoryIo();
  expect(await main(argv, io)).toBe(2);
  expect(io.err()).toContain(expected);
});
