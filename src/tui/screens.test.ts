/** Screens as they are, kept to be looked at: `snapshots/tui`. Rewritten by `npm run update`. */
import { expect, test } from "vitest";
import { frame } from "./frame.js";
import { dumpSession } from "./session.fixture.js";
import { initialState, reduceText } from "./state/reducer.js";

const session = dumpSession("fixtures/tui/softmax.log");

/** What is typed, and at which sizes the screen is kept. */
const SCENES: readonly (readonly [name: string, keys: string, sizes: readonly string[]])[] = [
  ["open", ">", ["80x24", "120x40", "220x60"]],
  ["coalesce", ":tritongpu-coalesce\r2", ["80x24", "120x40", "220x60"]],
  ["layout-map", ":tritongpu-coalesce\r2/tt.load\r3", ["80x24", "120x40", "220x60"]],
  ["layout-hw", ":tritongpu-coalesce\r2/tt.load\r3]l l ", ["120x40"]],
  ["layout-pair", ":tritongpu-coalesce\r2/convert_layout\r3]]]", ["120x40", "220x60"]],
  ["layout-bases", ":tritongpu-coalesce\r2/tt.load\r3[", ["120x40"]],
  ["codegen-memory", ":tritongpu-coalesce\r2/tt.load\r4", ["80x24", "120x40", "220x60"]],
  ["codegen-ptx", "4]]+", ["120x40"]],
  ["codegen-stats", ":tritongpu-pipeline\r4[[+", ["120x40"]],
  ["uses", ":tritongpu-coalesce\r2/tt.load\rgr", ["80x24", "120x40"]],
  ["life-line", ":tritongpu-coalesce\r2/tt.load\rgl", ["120x40", "220x60"]],
  ["through-time", "g/ttg.convert_layout\r", ["120x40"]],
  ["unified", ":tritongpu-coalesce\r2||+", ["120x40"]],
  ["help", "?", ["80x24", "120x40"]],
  ["tiny", "", ["39x9"]],
];

for (const [name, keys, sizes] of SCENES)
  for (const size of sizes)
    test(`${name} at ${size}`, async () => {
      const [columns, rows] = size.split("x").map(Number);
      const state = reduceText(initialState(session, { columns: columns!, rows: rows! }, { keys: {}, ascii: false, command: [] }), keys);
      await expect(frame(state).toText()).toMatchFileSnapshot(`../../snapshots/tui/${name}-${size}.txt`);
    });
