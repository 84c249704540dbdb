/** Screens as they are, kept to be looked at: `snapshots/tui`. Rewritten by `npm run update`. */
import { expect, test } from "vitest";
import { memo } from "../support/memo.js";
import { initialState } from "./control/reducer.js";
import { computed, dumpSession, kernelSession, screenOf, typed } from "./session.fixture.js";
import type { Session } from "./state/state.js";

const session = dumpSession("fixtures/tui/softmax.log");
const kernel = memo((name: string) => kernelSession(`fixtures/kernels/${name}.ttir`), 4);
const dump = memo((name: string) => ({ ...dumpSession(`fixtures/dumps/${name}`), sources: [] }), 4);
const ALL = ["80x24", "120x40", "220x60"] as const;

/** The keys typed for each screen, and the sizes at which it is kept. */
const SCENES: readonly (readonly [name: string, keys: string, sizes: readonly string[], session?: () => Session])[] = [
  ["findings", "", ALL, () => kernel("vecadd_any_n")],
  ["no-findings", "", ["120x40"], () => kernel("vecadd")],
  ["finding-why", "w", ["80x24", "120x40", "140x40"], () => kernel("vecadd_any_n")],
  ["finding-place", "j\r", ["80x24", "140x40"], () => kernel("vecadd_any_n")],
  ["pass-why", ":tritongpu-coalesce\r1w", ["80x24", "140x40"], () => kernel("matmul")],
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
  ["help-search", "?/layout\r", ["80x24"]],
  ["tiny", "", ["39x9"]],
  ["matmul", ":tritongpu-accelerate-matmul\r2/tt.dot\r", ALL, () => kernel("matmul")],
  ["matmul-shared", ":tritongpu-pipeline\r2/local_alloc\r3]]", ["120x40"], () => kernel("matmul")],
  ["matmul-mma", ":tritongpu-accelerate-matmul\r4]", ["120x40"], () => kernel("matmul")],
  ["matmul-rewrites", ":tritongpu-accelerate-matmul\r\r+", ["120x40"], () => kernel("matmul")],
  ["matmul-what-if", "o", ["80x24"], () => kernel("matmul")],
  ["softmax-kernel", ":tritongpu-coalesce\r2/tt.load\r", ALL, () => kernel("softmax")],
  ["layernorm", ":tritongpu-coalesce\r2/convert_layout\r3]]]", ALL, () => kernel("layernorm")],
  ["flash_attention", ":tritongpu-pipeline\r2n", ALL, () => kernel("flash_attention")],
  ["what-if-notes", "ojl", ["80x24"], () => kernel("vecadd")],
  ["mbarrier-why", ":0\r2/x1xi64\rw", ["120x40", "220x60"], () => kernelSession("fixtures/gluon/gluon_wgmma.ttgir")],
  ["dump-2.0-findings", "", ["80x24"], () => dump("2.0.0-vecadd.log")],
  ["dump-2.0", ">2", ["120x40"], () => dump("2.0.0-vecadd.log")],
];

for (const [name, keys, sizes, of = () => session] of SCENES)
  for (const size of sizes)
    test(`${name} at ${size}`, async () => {
      const [columns, rows] = size.split("x").map(Number);
      const state = typed(initialState(of(), { columns: columns!, rows: rows! }, { keys: {}, ascii: false, command: [] }), keys);
      await expect(screenOf(computed(state))).toMatchFileSnapshot(`../../snapshots/tui/${name}-${size}.txt`);
    });
