import { expect, test } from "vitest";
import { checkOptions, defaultOptions, TARGETS } from "../../backend/targets.js";
import type { WhatIf } from "../state/state.js";
import { whatIfRows } from "./what-if.js";

test("a target's own options are offered, and go with it", () => {
  const draft = (target: string): WhatIf => ({
    target,
    options: defaultOptions(target),
    disabled: [],
    inserted: [],
    divisibility: [],
    always: {},
  });
  const names = (of: WhatIf) => whatIfRows(of, undefined).map(({ name }) => name);
  expect(names(draft("cuda:90"))).toEqual(["target", "num_warps", "num_stages", "num_ctas", "enable_fp_fusion"]);
  const amd = draft("hip:gfx942");
  expect(names(amd).slice(5)).toEqual([
    "waves_per_eu",
    "matrix_instr_nonkdim",
    "kpack",
    "use_async_copy",
    "use_block_pingpong",
    "use_in_thread_transpose",
    "use_buffer_ops",
  ]);
  const row = (of: WhatIf, name: string) => whatIfRows(of, undefined).find((r) => r.name === name)!;
  const changed = row(row(amd, "kpack").change(1), "use_block_pingpong").change(1);
  expect(changed.options).toMatchObject({ kpack: 2, useBlockPingpong: false });
  expect([row(amd, "use_block_pingpong").value, row(changed, "use_block_pingpong").value]).toEqual(["default", "false"]);

  const first = { ...changed, target: TARGETS.find((target) => target.startsWith("hip:"))! };
  const cuda = row(first, "target").change(-1);
  expect(cuda.target).toMatch(/^cuda:/);
  expect(checkOptions(cuda.options, cuda.target)).toBeUndefined();
});
