import { describe, expect, test } from "vitest";
import { UnknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { eliminateCommonSubexpressions } from "./cse.js";
import { body, opsNamed, parse, text } from "./ir.fixture.js";
import { OperationFolder } from "./operation-folder.js";
import { runRegionDce, simplifyRegions } from "./region-simplify.js";
import { Rewriter } from "./rewriter.js";
import { isUnrealizedCast, reconcileUnrealizedCasts } from "./unrealized-casts.js";

const simplify = (module: Operation, merge = false) => simplifyRegions(new Rewriter(module.ctx), module.regions, merge);

describe("regions", () => {
  test("dead code goes, cycles through block arguments included", () => {
    const module = parse(`tt.func @f(%c: i1, %a: i32) {
      cf.br ^loop(%a, %a : i32, i32)
    ^loop(%x: i32, %y: i32):
      %0 = arith.addi %x, %a : i32
      "foo.use"(%y) : (i32) -> ()
      cf.cond_br %c, ^loop(%0, %y : i32, i32), ^end
    ^end:
      tt.return
    }`);
    expect(runRegionDce(new Rewriter(module.ctx), module.regions)).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i1, %arg1: i32) {
        cf.br ^bb1(%arg1 : i32)
      ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb1
        "foo.use"(%0) : (i32) -> ()
        cf.cond_br %arg0, ^bb1(%0 : i32), ^bb2
      ^bb2:  // pred: ^bb1
        tt.return
      }`);
    expect(runRegionDce(new Rewriter(module.ctx), module.regions)).toBe(false);
  });

  test("identical blocks become one, with arguments for what differs", () => {
    const module = parse(`tt.func @f(%i: i32, %a: i32, %b: i32) -> i32 {
      cf.switch %i : i32, [
        default: ^x,
        1: ^y,
        2: ^z
      ]
    ^x:
      %0 = "foo.op"(%a, %b) : (i32, i32) -> i32
      cf.br ^end(%0 : i32)
    ^y:
      %1 = "foo.op"(%b, %b) : (i32, i32) -> i32
      cf.br ^end(%1 : i32)
    ^z:
      %2 = "foo.other"(%b, %b) : (i32, i32) -> i32
      cf.br ^end(%2 : i32)
    ^end(%r: i32):
      tt.return %r : i32
    }`);
    expect(simplify(module, true)).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32, %arg1: i32, %arg2: i32) -> i32 {
        cf.switch %arg0 : i32, [
          default: ^bb1(%arg1 : i32),
          1: ^bb1(%arg2 : i32),
          2: ^bb2
        ]
      ^bb1(%0: i32):  // 2 preds: ^bb0, ^bb0
        %1 = "foo.op"(%0, %arg2) : (i32, i32) -> i32
        cf.br ^bb3(%1 : i32)
      ^bb2:  // pred: ^bb0
        %2 = "foo.other"(%arg2, %arg2) : (i32, i32) -> i32
        cf.br ^bb3(%2 : i32)
      ^bb3(%3: i32):  // 2 preds: ^bb1, ^bb2
        tt.return %3 : i32
      }`);
  });

  test("an argument that is the same from everywhere goes", () => {
    const module = parse(`tt.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
      cf.cond_br %c, ^x, ^end(%a, %a : i32, i32)
    ^x:
      "foo.op"() : () -> ()
      cf.br ^end(%a, %b : i32, i32)
    ^end(%p: i32, %q: i32):
      %0 = arith.addi %p, %q : i32
      tt.return %0 : i32
    }`);
    expect(simplify(module, true)).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i1, %arg1: i32, %arg2: i32) -> i32 {
        cf.cond_br %arg0, ^bb1, ^bb2(%arg1 : i32)
      ^bb1:  // pred: ^bb0
        "foo.op"() : () -> ()
        cf.br ^bb2(%arg2 : i32)
      ^bb2(%0: i32):  // 2 preds: ^bb0, ^bb1
        %1 = arith.addi %arg1, %0 : i32
        tt.return %1 : i32
      }`);
  });
});

describe("common subexpressions", () => {
  test("an op that is no longer used twice takes a location over when its own is unknown", () => {
    const module = parse(`tt.func @f(%a: i32) -> i32 {
      %0 = arith.addi %a, %a : i32 loc(unknown)
      %1 = arith.addi %a, %a : i32 loc("here")
      %2 = arith.muli %0, %1 : i32
      tt.return %2 : i32
    }`);
    const second = opsNamed(module, "arith.addi")[1]!;
    expect(eliminateCommonSubexpressions(module)).toMatchObject({ numCse: 1, numDce: 0 });
    const [kept] = opsNamed(module, "arith.addi");
    expect(UnknownLoc.is(kept!.loc)).toBe(false);
    expect(kept!.origin).toBe(second.id);
  });
});

describe("the folder", () => {
  test("keeps one copy of each constant at the start, and tells apart types", () => {
    const module = parse(`tt.func @f(%a: i32) -> (i32, i32) {
      "foo.op"() : () -> ()
      %0 = arith.constant 1 : i32
      %1 = arith.constant 1 : i32
      %2 = arith.constant 1 : i64
      %3 = arith.addi %0, %1 : i32
      "foo.use"(%2) : (i64) -> ()
      %4 = arith.addi %3, %a : i32
      %5 = arith.subi %a, %a : i32
      tt.return %4, %5 : i32, i32
    }`);
    const folder = new OperationFolder(module.ctx);
    const constants = opsNamed(module, "arith.constant");
    expect(constants.map((op) => folder.insertKnownConstant(op, op.attr("value")!))).toEqual([true, false, true]);
    const ops = ["arith.addi", "arith.subi"].flatMap((name) => opsNamed(module, name));
    expect(ops.map((op) => folder.tryToFold(op))).toEqual(["replaced", "inPlace", "replaced"]);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) -> (i32, i32) {
        %c0_i32 = arith.constant 0 : i32
        %c2_i32 = arith.constant 2 : i32
        %c1_i64 = arith.constant 1 : i64
        %c1_i32 = arith.constant 1 : i32
        "foo.op"() : () -> ()
        "foo.use"(%c1_i64) : (i64) -> ()
        %0 = arith.addi %arg0, %c2_i32 : i32
        tt.return %0, %c0_i32 : i32, i32
      }`);
  });
});

describe("casts", () => {
  test("cancel when they come back, also through others, and go when unused", () => {
    const module = parse(`tt.func @f(%a: i32) -> (i32, i64) {
      %0 = builtin.unrealized_conversion_cast %a : i32 to i64
      %1 = builtin.unrealized_conversion_cast %0 : i64 to f32
      %2 = builtin.unrealized_conversion_cast %1 : f32 to i32
      %3 = builtin.unrealized_conversion_cast %a : i32 to i16
      %4 = builtin.unrealized_conversion_cast %a : i32 to i64
      tt.return %2, %4 : i32, i64
    }`);
    const casts = opsNamed(module, "builtin.unrealized_conversion_cast");
    expect(casts.every(isUnrealizedCast)).toBe(true);
    expect(reconcileUnrealizedCasts(casts, new Rewriter(module.ctx))).toEqual([casts[4]]);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) -> (i32, i64) {
        %0 = builtin.unrealized_conversion_cast %arg0 : i32 to i64
        tt.return %arg0, %0 : i32, i64
      }`);
  });
});
