import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { YieldOp } from "../dialects/scf/ops/yield.js";
import { Block } from "./block.js";
import { Context } from "./context.js";
import { Operation } from "./operation.js";

/** The middle takes more ops than there are numbers between its neighbours; the start and the end have no neighbour. */
test("ops know their order wherever they are put in", () => {
  const ctx = new Context(ALL_DIALECTS);
  const block = new Block(ctx);
  const make = (): Operation => new Operation(ctx, YieldOp, { loc: 0 });
  for (let i = 0; i < 4; i++) block.append(make());
  const middle = block.firstOp!.next!.next!;
  for (let i = 0; i < 50; i++) {
    block.insert(make(), middle);
    block.insert(make(), middle.next);
    block.insert(make(), block.firstOp);
    block.append(make());
    const ops = [...block.ops()];
    for (let k = 1; k < ops.length; k++) {
      expect(ops[k - 1]!.isBeforeInBlock(ops[k]!)).toBe(true);
      expect(ops[k]!.isBeforeInBlock(ops[k - 1]!)).toBe(false);
    }
  }
});
