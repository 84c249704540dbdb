/** An op whose kind, place in the source and role persist keeps its id: through every pass, for every kernel and target. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultOptions } from "../backend/targets.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { UnknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { parseModule } from "../syntax/parse.js";
import { compile } from "./compile.js";

const KERNELS = readdirSync("fixtures/kernels").filter((name) => name.endsWith(".ttir") && !name.includes("triton20"));
const TARGETS = [...[75, 80, 90, 100, 120].map((capability) => `cuda:${capability}`), "hip:gfx942", "hip:gfx1250"];

/** Ops by kind, place and what they are in; those that share all of it are left out. */
function byRole(module: Operation): Map<string, number> {
  const found = new Map<string, number[]>();
  const roles = new Map<Operation, string>();
  module.walk((op) => {
    const { loc } = op;
    const role = `${op.block ? roles.get(op.block.parentOp!) : ""}/${op.name}@${loc.id}`;
    if (op.regions.length > 0) roles.set(op, role);
    if (UnknownLoc.is(loc)) return;
    const list = found.get(role);
    if (list) list.push(op.id);
    else found.set(role, [op.id]);
  });
  return new Map([...found].flatMap(([role, ids]) => (ids.length === 1 ? [[role, ids[0]!] as const] : [])));
}

test.each(KERNELS.flatMap((name) => TARGETS.map((target) => ({ name, target }))))("$name on $target", ({ name, target }) => {
  const { module } = parseModule(new Context(ALL_DIALECTS), name, readFileSync(`fixtures/kernels/${name}`, "latin1"))!;
  let before = byRole(module);
  let { version } = module.ctx;
  const kept: { readonly pass: string; readonly role: string; readonly was: number; readonly is: number }[] = [];
  const { idOf, ok } = compile(name, module, {
    target,
    options: defaultOptions(target),
    clock: () => 0,
    verifyEach: false,
    remarks: false,
    watch: () => ({
      after: ({ root, step, depth }) => {
        if (depth > 0 || root.ctx.version === version) return;
        ({ version } = root.ctx);
        const after = byRole(root);
        for (const [role, was] of before) {
          const is = after.get(role);
          if (is !== undefined && is !== was) kept.push({ pass: step.pass.flag, role, was, is });
        }
        before = after;
      },
    }),
  });
  expect(ok).toBe(true);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.filter(({ was, is }) => idOf(was) !== idOf(is))).toEqual([]);
});
