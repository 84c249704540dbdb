import { expect, test } from "vitest";
import { initialState, reduce } from "../../control/reducer.js";
import { textOf } from "../../draw/style.js";
import { computed, kernelSession } from "../../session.fixture.js";
import { emptySession } from "../../state/begin.js";
import type { Session } from "../../state/state.js";
import { compareItems } from "./compare.js";

const SIZE = { columns: 120, rows: 40 };
const SETTINGS = { keys: {}, ascii: false, command: [] };

test("a what-if opens the compare tab: figures that differ, and the PTX without renumbering", () => {
  const session = kernelSession("fixtures/kernels/vecadd.ttir", 8);
  const state = computed(reduce(initialState(emptySession("vecadd"), SIZE, SETTINGS), { type: "session", session }));
  expect(state.view).toMatchObject({ lower: "codegen", codegen: { tab: "compare" } });
  const rows = compareItems(session, 80).map(({ row }) => textOf(row).trimEnd());
  expect(rows.slice(0, 5)).toEqual([
    "the baseline → here",
    " global loads  ld.global.v4.b32 4 → 2",
    " global stores st.global.v4.b32 2 → 1",
    " the same: shared memory 0 bytes, layout conversions 0",
    "PTX",
  ]);
  const machine = { machine: { registers: 26, spilled: 0 } };
  const assembled = <T extends Pick<Session, "trace">>(side: T): T => ({
    ...side,
    trace: { ...side.trace, artifacts: { ...side.trace.artifacts, ...machine } },
  });
  const both = compareItems({ ...assembled(session), baseline: assembled(session.baseline!) }, 120).map(({ row }) => textOf(row).trimEnd());
  expect(both[3]).toBe(" the same: shared memory 0 bytes, layout conversions 0, registers 26 a thread, spills 0 bytes a thread");
  expect(rows).toContain("- .reqntid 128");
  expect(rows).toContain("+ .reqntid 256");
  expect(compareItems(session, 30).map(({ row }) => textOf(row).trimEnd())).toContain(" → 2");
});

test("without another side it says how to get one", () => {
  const [item] = compareItems(kernelSession("fixtures/kernels/vecadd.ttir"), 80);
  expect(textOf(item!.row)).toContain("nothing to compare with");
});
