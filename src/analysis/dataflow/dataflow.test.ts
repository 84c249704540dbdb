import { describe, expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { IntegerAttr } from "../../ir/builtin-attrs.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { parseModule } from "../../syntax/parse.js";
import { constantAnalyses } from "./constant-propagation.js";
import { DenseBackwardAnalysis, DenseForwardAnalysis, type DenseSpec } from "./dense.js";
import { DataFlowSolver } from "./solver.js";
import { SparseBackwardAnalysis } from "./sparse-backward.js";
import { SparseForwardAnalysis } from "./sparse-forward.js";

function parse(text: string): Operation {
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const parsed = parseModule(ctx, "test.mlir", text);
  if (!parsed) throw new Error(ctx.diagnostics.map((d) => d.message).join("\n"));
  return parsed.module;
}
/** The op with that `tag`. */
function tagged(root: Operation, tag: string): Operation {
  let found: Operation | undefined;
  root.walk((op) => {
    if (op.hasAttr(tag)) found = op;
  });
  return found!;
}

const CALLS = `tt.func private @callee(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %0 = arith.addi %x, %c3 {sum} : i32
  tt.return %0 : i32
}
tt.func public @caller(%u: i32) -> (i32, i32) {
  %c4 = arith.constant 4 : i32
  %0 = tt.call @callee(%c4) {call} : (i32) -> i32
  %1 = tt.call @unknown(%c4) {outside} : (i32) -> i32
  tt.return %0, %1 : i32, i32
}
tt.func private @unknown(i32) -> i32`;

describe("constants", () => {
  const solve = (text: string, interprocedural = true) => {
    const module = parse(text);
    const { version } = module.ctx;
    const { code, constants } = constantAnalyses();
    new DataFlowSolver({ interprocedural }).run(module, [code, constants]);
    expect(module.ctx.version, "an analysis changes nothing").toBe(version);
    const of = (value: Value): string => {
      const known = constants.get(value);
      if (known === undefined || known === "unknown") return known ?? "unvisited";
      return IntegerAttr.is(known.value) ? String(known.value.params.value) : known.value.def.name;
    };
    return { module, code, of, tag: (name: string) => of(tagged(module, name).result(0)) };
  };

  test("go through calls, unless told not to", () => {
    expect(solve(CALLS).tag("sum")).toBe("7");
    expect(solve(CALLS).tag("call")).toBe("7");
    expect(solve(CALLS).tag("outside")).toBe("unknown");
    expect(solve(CALLS, false).tag("sum")).toBe("unknown");
    expect(solve(CALLS, false).tag("call")).toBe("unknown");
  });

  test("only the branch taken is live", () => {
    const { module, code } = solve(`tt.func @f(%a: i32) {
      %false = arith.constant false
      cf.cond_br %false, ^a, ^b
    ^a:
      "foo.op"() {dead} : () -> ()
      cf.br ^b
    ^b:
      "foo.op"() {live} : () -> ()
      tt.return
    }`);
    expect(code.isLive(tagged(module, "dead").block!)).toBe(false);
    expect(code.isLive(tagged(module, "live").block!)).toBe(true);
  });

  test("a loop's values are constants when every round gives the same", () => {
    const { tag } = solve(`tt.func @f(%n: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
        %same = arith.muli %a, %c1 {same} : i32
        %more = arith.addi %b, %c1 {more} : i32
        %iv = arith.addi %i, %c0 {iv} : i32
        scf.yield %same, %more : i32, i32
      } {loop}
      tt.return
    }`);
    expect([tag("same"), tag("more"), tag("iv"), tag("loop")]).toEqual(["0", "unknown", "unknown", "0"]);
  });

  test("an op that folds in place is left as it was", () => {
    const { module, tag } = solve(`tt.func @f(%a: i32) -> i1 {
      %c1 = arith.constant 1 : i32
      %0 = arith.cmpi slt, %c1, %a {swapped} : i32
      tt.return %0 : i1
    }`);
    expect(tag("swapped")).toBe("unknown");
    const cmp = tagged(module, "swapped");
    expect(cmp.operand(0).definingOp?.name).toBe("arith.constant");
  });
});

describe("sparse", () => {
  test("forward: a custom lattice, with a say on induction variables", () => {
    // Which arguments of the function a value depends on.
    const module = parse(`tt.func @f(%a: i32, %b: i32, %n: i32) -> i32 {
      %r = scf.for %i = %a to %n step %n iter_args(%x = %b) -> (i32) : i32 {
        %y = arith.addi %x, %i {sum} : i32
        scf.yield %y : i32
      }
      tt.return {end} %r : i32
    }`);
    const { code, constants } = constantAnalyses();
    const none = "";
    const union = (a: string, b: string) => [...new Set([...a, ...b])].sort().join("");
    const uses = new SparseForwardAnalysis<string>(
      {
        name: "uses",
        entry: (value) => (value.argOwner?.parentOp?.name === "tt.func" ? "abn"[value.index]! : "?"),
        join: (a, b) => (union(a, b) === a ? a : union(a, b)),
        visitOperation: (op, operands, self) => {
          if (operands.some((o) => o === undefined)) return;
          for (const result of op.results)
            self.join(
              result,
              operands.reduce<string>((all, o) => union(all, o ?? none), none),
            );
        },
        visitOtherArguments: (op, values, first, count, self) =>
          values.forEach((value, i) => {
            if (i < first || i >= first + count) self.join(value, self.get(op.operand(0)));
          }),
      },
      code,
    );
    new DataFlowSolver().run(module, [code, constants, uses]);
    expect(uses.get(tagged(module, "sum").result(0))).toBe("ab");
    expect(uses.get(tagged(module, "end").operand(0))).toBe("ab");
  });

  test("backward: what is needed, through regions, branches and calls", () => {
    const module = parse(`tt.func private @g(%x: i32, %y: i32) -> i32 {
      tt.return %x : i32
    }
    tt.func public @f(%a: i32, %b: i32, %c: i1, %n: i32) {
      %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b) -> (i32, i32) : i32 {
        %z = arith.addi %x, %x {needed} : i32
        %w = arith.muli %y, %y {unneeded} : i32
        scf.yield %z, %w : i32, i32
      }
      cf.cond_br %c, ^x(%r#0 : i32), ^y
    ^x(%v: i32):
      %u = arith.muli %a, %b {passed} : i32
      %d = arith.subi %a, %b {dropped} : i32
      %k = tt.call @g(%u, %d) : (i32, i32) -> i32
      %s = arith.addi %v, %k : i32
      "foo.use"(%s) : (i32) -> ()
      cf.br ^y
    ^y:
      tt.return
    }`);
    const { code, constants } = constantAnalyses();
    const live = new SparseBackwardAnalysis<boolean>(
      {
        name: "live",
        initial: false,
        exit: () => true,
        meet: (a, b) => a || b,
        visitOperation: (op, results, self) => {
          if (op.results.length === 0 || results.includes(true)) for (const operand of op.operands) self.meet(operand, true);
        },
        visitBranchOperand: (operand, self) => self.meet(operand.value, true),
      },
      code,
    );
    new DataFlowSolver().run(module, [code, constants, live]);
    const isLive = (tag: string) => live.get(tagged(module, tag).result(0));
    expect(["needed", "unneeded", "passed", "dropped"].map(isLive)).toEqual([true, false, true, false]);
  });
});

describe("dense", () => {
  const text = `tt.func private @g() {
      "foo.in_g"() {inside} : () -> ()
      tt.return
    }
    tt.func public @f(%c: i1, %n: i32) {
      "foo.a"() {a} : () -> ()
      scf.if %c {
        "foo.b"() {b} : () -> ()
        scf.yield
      } else {
        scf.yield
      }
      "foo.c"() {c} : () -> ()
      tt.call @g() : () -> ()
      scf.for %i = %n to %n step %n : i32 {
        "foo.d"() {d} : () -> ()
        scf.yield
      }
      "foo.e"() {e} : () -> ()
      tt.return
    }`;
  // The foo ops that may have run before, or will run after.
  const spec: DenseSpec<string> = {
    name: "seen",
    initial: "",
    boundary: () => ".",
    join: (a, b) => (b.split("").every((c) => a.includes(c)) ? a : [...new Set([...a, ...b])].sort().join("")),
    transfer: (op, state) => (op.name.startsWith("foo.") ? [...new Set([...state, op.name[4]!])].sort().join("") : state),
  };

  test("forward", () => {
    const module = parse(text);
    const { code, constants } = constantAnalyses();
    const seen = new DenseForwardAnalysis(spec, code);
    new DataFlowSolver().run(module, [code, constants, seen]);
    const before = (tag: string) => seen.before(tagged(module, tag));
    expect(["a", "b", "c", "inside", "d", "e"].map(before)).toEqual([".", ".a", ".ab", ".abc", ".abcdi", ".abcdi"]);
  });

  test("backward", () => {
    const module = parse(text);
    const { code, constants } = constantAnalyses();
    const coming = new DenseBackwardAnalysis(spec, code);
    new DataFlowSolver().run(module, [code, constants, coming]);
    const after = (tag: string) => coming.after(tagged(module, tag));
    expect(["a", "b", "c", "inside", "d", "e"].map(after)).toEqual([".bcdei", ".cdei", ".dei", ".de", ".de", "."]);
  });

  test("calls out of sight lead to the boundary, unless the analysis knows better", () => {
    const outside = `tt.func private @out()
    tt.func public @f() {
      "foo.a"() : () -> ()
      tt.call @out() {call} : () -> ()
      tt.return
    }`;
    const run = (own: Partial<DenseSpec<string>>) => {
      const module = parse(outside);
      const { code, constants } = constantAnalyses();
      const seen = new DenseForwardAnalysis({ ...spec, ...own }, code);
      new DataFlowSolver().run(module, [code, constants, seen]);
      return seen.after(tagged(module, "call"));
    };
    expect(run({})).toBe(".");
    expect(run({ transferCall: (_, action, state) => (action === "external" ? `${state}!` : state) })).toBe("!.a");
  });
});
