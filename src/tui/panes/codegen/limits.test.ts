import { expect, test } from "vitest";
import { initialState, reduce } from "../../control/reducer.js";
import { typedCommand } from "../../control/typed-command.js";
import { textOf } from "../../draw/style.js";
import { computed, kernelSession } from "../../session.fixture.js";
import { emptySession } from "../../state/begin.js";
import { limitsItems } from "./limits.js";

const state = (target = "cuda:80") => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir", 4, target);
  return reduce(initialState(emptySession("vecadd"), { columns: 160, rows: 40 }, { keys: {}, ascii: false, command: [] }), {
    type: "session",
    session,
  });
};
const rows = (command: string, width = 100) => {
  const items = limitsItems(computed(typedCommand(state(), command)), width);
  return { items, texts: items.map(({ row }) => textOf(row).trimEnd()) };
};

test("a launch that is typed shows its limits, and its ops lead to their place", () => {
  const { items, texts } = rows("limits n=4194304 grid=cdiv(n,1024)");
  expect(texts[0]).toContain("vecadd on A100 SXM 80 GB: 4096 programs");
  expect(texts[1]).toContain("bound by DRAM");
  expect(items.filter(({ go }) => go?.to === "op").length).toBeGreaterThanOrEqual(2);
});

test.each([52, 86, 160])("nothing but the drawing is cut in %i columns", (width) => {
  const command = "limits n=4194304 grid=4096";
  const words = (texts: readonly string[]) =>
    texts
      .filter((text) => !/[│└]/.test(text))
      .join(" ")
      .split(/\s+/);
  const { texts } = rows(command, width);
  expect(words(texts)).toEqual(words(rows(command, 1000).texts));
  expect(texts.filter((text) => text.length >= width && !/[│└█]|1e2/.test(text))).toEqual([]);
});

test("without a launch it says how to state one, and what is wrong with one", () => {
  expect(rows("limits").texts.join(" ")).toContain("type :limits");
  expect(rows("limits grid=4").texts).toEqual(["the costs depend on a number that is not given: n=?, after :limits grid=4"]);
  expect(rows("limits n=16").texts).toEqual(["the costs depend on how many programs there are: grid=X,Y,Z"]);
  expect(rows("limits n=a grid=4").texts).toEqual(["'a' is no number and no shape"]);
});

test("an AMD kernel's code is made for its limits", () => {
  const items = limitsItems(computed(typedCommand(state("hip:gfx942"), "limits n=4194304 grid=4096")), 100);
  const texts = items.map(({ row }) => textOf(row).trimEnd());
  expect(texts[0]).toContain("vecadd on Instinct MI300X: 4096 programs");
  expect(texts[1]).toContain("bound by DRAM");
  expect(items.filter(({ go }) => go?.to === "op").length).toBeGreaterThanOrEqual(2);
});
