import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { cases, checkOutputs, folder, made } from "../../testing/kernel-cases.js";
import { elementKind } from "../numbers/element.js";
import { type LaunchArgument, runPtx } from "./run.js";

test.each(cases.map((c) => [c.case, c] as const))("%s computes what numpy does", (name, c) => {
  const text = gunzipSync(readFileSync(`${folder}/${name}.ptx.gz`)).toString("latin1");
  const args = c.args.map(
    (a): LaunchArgument =>
      typeof a === "number"
        ? { kind: "scalar", value: a }
        : { kind: "buffer", spec: { name: a.name, element: elementKind(a.dtype)!, data: made(a) } },
  );
  const run = runPtx(text, { grid: c.grid, args, sharedBytes: c.shared });
  expect(run.diagnostics).toEqual([]);
  expect(run.findings).toEqual([]);
  checkOutputs(c, run.memory);
});
