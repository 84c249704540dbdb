import { describe, expect, test } from "vitest";
import { AddIOp, ConstantOp } from "../dialects/arith/ops/index.js";
import { intAttr } from "../ir/builtin-attrs.js";
import { i32 } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { applyOpPatternsGreedily, applyPatternsGreedily } from "./greedy.js";
import { body, NewOp, OldOp, opsNamed, parse, text } from "./ir.fixture.js";
import { anyOpPattern, type Pattern, pattern } from "./pattern.js";
import { PatternSet } from "./pattern-set.js";
import type { RewriteListener } from "./rewriter.js";

const FUNCTION = `tt.func @f(%a: i32) {
  %0 = "old.op"(%a) : (i32) -> i32
  %1 = "old.op"(%0) : (i32) -> i32
  "old.op"(%1) : (i32) -> ()
  tt.return
}`;
const never = (name: string, seen: string[], benefit = 1): Pattern =>
  pattern(name, OldOp, ({ op }, rw) => (seen.push(`${name}:${op.numOperands}${op.numResults}`), rw.noMatch("never", op)), { benefit });
const toNew = pattern("to-new", OldOp, ({ op, args }, rw) => rw.replace(op, rw.create(NewOp, { args }, { types: op.resultTypes })));

test("patterns that undo each other end at a limit", () => {
  const toOld = pattern("to-old", NewOp, ({ op, args }, rw) => rw.replace(op, rw.create(OldOp, { args }, { types: op.resultTypes })));
  expect(() => applyPatternsGreedily(parse(FUNCTION), [toNew, toOld])).toThrow(/^limit: more than 100 rewrites for each op/);
});

describe("order", () => {
  test("from the bottom by default, from the top when asked", () => {
    const order = (topDown: boolean): number[] => {
      const module = parse(FUNCTION);
      const first = opsNamed(module, "old.op")[0]!.id;
      const ids: number[] = [];
      const note = pattern("note", OldOp, ({ op }, rw) => (ids.push(op.id - first), rw.noMatch("noted")));
      applyPatternsGreedily(module, [note], { topDown });
      return ids;
    };
    const up = order(false);
    expect(order(true)).toEqual([...up].reverse());
    expect(up[0]).toBeGreaterThan(up[2]!);
  });

  test("patterns by benefit, then as registered; one for all ops after those for the kind", () => {
    const module = parse(`"old.op"() : () -> ()`);
    const seen: string[] = [];
    const any = anyOpPattern("any", undefined, (op, rw) => (op.def === OldOp && seen.push("any"), rw.noMatch("never")));
    const better = anyOpPattern("better", undefined, (op, rw) => (op.def === OldOp && seen.push("better"), rw.noMatch("never")), {
      benefit: 2,
    });
    const trait = anyOpPattern(
      "trait",
      (op) => op.def === OldOp,
      (_, rw) => (seen.push("trait"), rw.noMatch("never")),
    );
    applyPatternsGreedily(module, [any, trait, never("one", seen), better, never("two", seen, 2), never("last", seen)]);
    expect(seen.map((s) => s.split(":")[0])).toEqual(["two", "better", "trait", "one", "last", "any"]);
  });

  test("after a change, users and what may have become dead are visited again", () => {
    const module = parse(`tt.func @f(%a: i32) -> i32 {
      %dead = arith.muli %a, %a : i32
      %0 = "old.op"(%dead) : (i32) -> i32
      tt.return %0 : i32
    }`);
    const drop = pattern("drop", OldOp, ({ op }, rw) =>
      rw.replace(op, module.regions[0]!.firstBlock!.firstOp!.regions[0]!.firstBlock!.args),
    );
    expect(applyPatternsGreedily(module, [drop])).toEqual({ converged: true, changed: true });
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) -> i32 {
        tt.return %arg0 : i32
      }`);
  });
});

describe("limits", () => {
  const forever = pattern("forever", OldOp, ({ op }, rw) =>
    rw.replace(op, rw.create(OldOp, { args: op.operands }, { types: op.resultTypes })),
  );
  test("rounds and rewrites", () => {
    expect(applyPatternsGreedily(parse(FUNCTION), [forever], { maxNumRewrites: 5, maxIterations: 2 })).toEqual({
      converged: false,
      changed: true,
    });
  });
  test("nothing to do converges at once and changes nothing", () => {
    const module = parse(FUNCTION);
    const { version } = module.ctx;
    expect(applyPatternsGreedily(module, [never("no", [])])).toEqual({ converged: true, changed: false });
    expect(module.ctx.version).toBe(version);
  });
  test("without folding and without uniting constants", () => {
    const module = parse(`tt.func @f() -> i32 {
      %0 = arith.constant 1 : i32
      %1 = arith.constant 1 : i32
      %2 = arith.addi %0, %1 : i32
      tt.return %2 : i32
    }`);
    const before = body(module);
    applyPatternsGreedily(module, [], { fold: false, cseConstants: false });
    expect(body(module)).toBe(before);
  });
});

describe("lists of ops", () => {
  const names = (module: Operation) =>
    opsNamed(module, "tt.func")[0]!
      .regions[0]!.firstBlock!.opsWithoutTerminator()
      .map((op) => op.name);
  test("only those given", () => {
    const module = parse(FUNCTION);
    const result = applyOpPatternsGreedily([opsNamed(module, "old.op")[1]!], [toNew], { strictness: "existing" });
    expect(result).toEqual({ converged: true, changed: true, allErased: true });
    expect(names(module)).toEqual(["old.op", "new.op", "old.op"]);
  });
  test("those given and new ones", () => {
    const module = parse(FUNCTION);
    const back = pattern("back", NewOp, ({ op, args }, rw) =>
      op.hasAttr("done") ? rw.noMatch("done") : rw.modify(op, () => op.setAttr("done", args[0] ? op.attrs : op.attrs)),
    );
    applyOpPatternsGreedily([opsNamed(module, "old.op")[1]!], [toNew, back], { strictness: "existing-and-new" });
    expect(names(module)).toEqual(["old.op", "new.op", "old.op"]);
    expect(opsNamed(module, "new.op")[0]!.hasAttr("done")).toBe(true);
  });
  test("any that the rewrites touch", () => {
    const module = parse(FUNCTION);
    expect(applyOpPatternsGreedily([opsNamed(module, "old.op")[1]!], [toNew]).allErased).toBe(true);
    expect(names(module)).toEqual(["new.op", "new.op", "new.op"]);
  });
});

describe("origins", () => {
  test("what a pattern makes comes from its root; what replaces an op comes from that too", () => {
    const module = parse(`tt.func @f(%a: i32) -> i32 {
      %0 = "new.op"(%a) : (i32) -> i32
      %1 = "old.op"(%0) : (i32) -> i32
      %2 = "old.op"(%1) : (i32) -> i32
      "foo.use"(%1) : (i32) -> ()
      tt.return %2 : i32
    }`);
    const kept = opsNamed(module, "new.op")[0]!;
    const [first, second] = opsNamed(module, "old.op").map((op) => op.id);
    const forward = pattern("forward", OldOp, ({ op, args }, rw) => rw.replace(op, args[0]!));
    applyPatternsGreedily(module, [forward], { topDown: true });
    expect([kept.origin].flat()).toEqual([first, second]);

    const again = parse(FUNCTION);
    const ids = opsNamed(again, "old.op").map((op) => op.id);
    applyPatternsGreedily(again, [toNew], { topDown: true });
    expect(opsNamed(again, "new.op").map((op) => op.origin)).toEqual(ids);
  });

  test("a constant made by a fold comes from the folded op, and stands for those united with it", () => {
    const module = parse(`tt.func @f() -> (i32, i32) {
      %c1 = arith.constant 1 : i32
      %0 = arith.addi %c1, %c1 : i32
      %1 = arith.addi %c1, %c1 : i32
      tt.return %0, %1 : i32, i32
    }`);
    const [add] = opsNamed(module, "arith.addi").map((op) => op.id);
    const made: Operation[] = [];
    applyPatternsGreedily(module, [], { topDown: true, listener: { inserted: (op) => made.push(op) } });
    const [two] = opsNamed(module, "arith.constant");
    expect(two!.result(0).numUses()).toBe(2);
    // The other add's constant was made on its own, and united with this one in the next round.
    const other = made.find((op) => op !== two)!;
    expect(two!.origin).toEqual([add, other.id]);
  });
});

describe("listeners", () => {
  test("hear of rewrites, folds and dead code, in order", () => {
    const module = parse(`tt.func @f(%a: i32) -> i32 {
      %c0 = arith.constant 0 : i32
      %0 = arith.addi %a, %c0 : i32
      %1 = "old.op"(%0) : (i32) -> i32
      tt.return %1 : i32
    }`);
    const heard: string[] = [];
    const listener: RewriteListener = {
      inserted: (op) => heard.push(`+${op.name}`),
      erased: (op) => heard.push(`-${op.name}`),
      replaced: (op) => heard.push(`=${op.name}`),
      modified: (op) => heard.push(`~${op.name}`),
      rewriteBegin: (name) => heard.push(`(${name}`),
      rewriteEnd: (name, applied) => heard.push(`${applied ? "yes" : "no"} ${name})`),
      noMatch: (_, reason) => heard.push(reason),
    };
    applyPatternsGreedily(module, [toNew], { listener, topDown: true });
    expect(heard).toEqual([
      ...["((fold)", "=arith.addi", "~old.op", "-arith.addi", "yes (fold))"],
      ...["((dead)", "-arith.constant", "yes (dead))"],
      ...["(to-new", "+new.op", "=old.op", "~tt.return", "-old.op", "yes to-new)"],
    ]);
  });
});

describe("the rewriter", () => {
  test("createOrFold gives what the op folds to and leaves no op behind", () => {
    const module = parse(FUNCTION);
    const fold = pattern("fold", OldOp, ({ op, args }, rw) => {
      if (op.numOperands === 0 || op.numResults === 0) return rw.noMatch("done");
      const type = i32(op.ctx);
      const zero = rw.value(ConstantOp, { value: intAttr(type, 0) }, { types: [type] });
      return rw.replace(op, rw.createOrFold(AddIOp, { lhs: args[0]!, rhs: zero }));
    });
    applyPatternsGreedily(module, new PatternSet([fold]));
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) {
        "old.op"(%arg0) : (i32) -> ()
        tt.return
      }`);
  });

  test("erasing an op reports nested ones first, last first", () => {
    const module = parse(`"old.wrap"() ({
      %0 = "foo.a"() : () -> i32
      "foo.b"(%0) ({ "foo.c"() : () -> () }) : (i32) -> ()
    }) : () -> ()`);
    const heard: string[] = [];
    const drop = anyOpPattern(
      "drop",
      (op) => op.name === "old.wrap",
      (op, rw) => rw.erase(op),
    );
    applyPatternsGreedily(module, [drop], { listener: { erased: (op) => heard.push(op.name) } });
    expect(heard).toEqual(["foo.c", "foo.b", "foo.a", "old.wrap"]);
  });
});
