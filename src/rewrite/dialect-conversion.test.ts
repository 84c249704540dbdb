import { describe, expect, test } from "vitest";
import type { Type } from "../ir/attribute.js";
import { unitAttr } from "../ir/builtin-attrs.js";
import { i32, isFloat, isInteger } from "../ir/builtin-types.js";
import type { Operation } from "../ir/operation.js";
import { type ConversionPattern, conversionPattern, rangeConversionPattern } from "./conversion-pattern.js";
import { ConversionTarget } from "./conversion-target.js";
import { applyAnalysisConversion, applyFullConversion, applyPartialConversion } from "./dialect-conversion.js";
import { functionTypePattern } from "./function-conversion.js";
import { body, CastOp, NewOp, OldOp, OldWrapOp, opsNamed, parse, text } from "./ir.fixture.js";
import { TypeConverter } from "./type-converter.js";

/** i64 becomes i32, and i16 two i32; all else stays, but f64 has no place in the new world. */
const toI32 = (type: Type): Type | readonly Type[] | null => {
  if (isInteger(type, 64)) return i32(type.ctx);
  if (isInteger(type, 16)) return [i32(type.ctx), i32(type.ctx)];
  return isFloat(type, "f64") ? null : type;
};
const plainConverter = () => new TypeConverter().addConversion(toI32);
const converterWithCasts = () => {
  const cast = (
    rw: Parameters<Parameters<TypeConverter["addSourceMaterialization"]>[0]>[0],
    types: readonly Type[],
    [input]: readonly import("../ir/value.js").Value[],
  ) => (input && types.length === 1 ? rw.value(CastOp, { in: input }, { types }) : undefined);
  return plainConverter().addSourceMaterialization(cast).addTargetMaterialization(cast);
};
/** old.op -> new.op, with converted types. */
const replaceOld = (converter?: TypeConverter): ConversionPattern =>
  conversionPattern(
    "old-to-new",
    OldOp,
    ({ op }, { args }, rw) => {
      const types = converter ? converter.convertTypes(op.resultTypes) : op.resultTypes;
      if (!types) return rw.noMatch("a result cannot be converted");
      return rw.replace(op, rw.create(NewOp, { args }, { types, extraAttrs: op.attrs.params.names.map((n) => [n, op.attr(n)!]) }));
    },
    { ...(converter ? { converter } : {}) },
  );
const target = () => new ConversionTarget().addLegalDialect("new", "builtin", "tt", "arith", "cf", "scf").addIllegalDialect("old");
const messages = (module: Operation) => module.ctx.diagnostics.map((d) => d.message);

const CHAIN = `tt.func @f(%a: i32) {
  %0 = "old.op"(%a) : (i32) -> i64
  %1 = "old.op"(%0) : (i64) -> i32
  "old.op"(%1) : (i32) -> ()
  tt.return
}`;

describe("modes", () => {
  test("a partial conversion leaves what is neither legal nor illegal, and says so", () => {
    const module = parse(`tt.func @f() {
      "old.op"() : () -> ()
      "foo.op"() : () -> ()
      tt.return
    }`);
    const result = applyPartialConversion(module, target(), [replaceOld()]);
    expect(result.ok).toBe(true);
    expect([...result.unlegalized].map((op) => op.name)).toEqual(["foo.op"]);
    expect(opsNamed(module, "new.op")).toHaveLength(1);
    expect(opsNamed(module, "foo.op")).toHaveLength(1);
  });

  test("a partial conversion fails when an illegal op cannot be converted, and restores the IR", () => {
    const module = parse(CHAIN);
    const before = body(module);
    const onlyFirst = conversionPattern("only-with-results", OldOp, ({ op, args }, _, rw) =>
      op.numResults > 0 ? rw.replace(op, rw.create(NewOp, { args }, { types: op.resultTypes })) : rw.noMatch("no results"),
    );
    expect(applyPartialConversion(module, target(), [onlyFirst]).ok).toBe(false);
    expect(messages(module)).toEqual(["failed to legalize operation 'old.op' that was explicitly marked illegal"]);
    expect(body(module)).toBe(before);
  });

  test("a full conversion fails when an op is not known to be legal, and restores the IR", () => {
    const module = parse(`tt.func @f() {
      "old.op"() : () -> ()
      "foo.op"() : () -> ()
      tt.return
    }`);
    const before = body(module);
    expect(applyFullConversion(module, target(), [replaceOld()]).ok).toBe(false);
    expect(messages(module)).toEqual(["failed to legalize operation 'foo.op'"]);
    expect(body(module)).toBe(before);
  });

  test("an analysis reports what could be legalized and changes nothing", () => {
    const module = parse(`tt.func @f(%f: f64) {
      "old.op"() : () -> ()
      %0 = "old.op"() : () -> f64
      "foo.op"() : () -> ()
      tt.return
    }`);
    const before = body(module);
    const { version } = module.ctx;
    const result = applyAnalysisConversion(module, target(), [replaceOld(plainConverter())]);
    expect(result.ok).toBe(true);
    const [good, bad] = opsNamed(module, "old.op");
    expect(result.legalizable.has(good!)).toBe(true);
    expect(result.legalizable.has(bad!)).toBe(false);
    expect(body(module)).toBe(before);
    expect(module.ctx.version).toBe(version);
  });
});

describe("legality", () => {
  const nested = `"old.wrap"() ({
    "old.op"() {keep} : () -> ()
    "old.op"() : () -> ()
    "old.end"() : () -> ()
  }) : () -> ()`;
  test("dynamic: asked of each op; the rule given last is asked first", () => {
    const module = parse(nested);
    const rules = target()
      .addLegalOp(OldWrapOp)
      .addDynamicallyLegalOp(() => false, OldOp)
      .addDynamicallyLegalOp((op) => (op.hasAttr("keep") ? true : undefined), OldOp)
      .addDynamicallyLegalDialect(() => true, "old");
    expect(applyPartialConversion(module, rules, [replaceOld()]).ok).toBe(true);
    expect(opsNamed(module, "old.op").map((op) => op.hasAttr("keep"))).toEqual([true]);
    expect(opsNamed(module, "new.op")).toHaveLength(1);
  });

  test("recursive: what is inside a legal op is left alone", () => {
    const module = parse(nested);
    const rules = target().addLegalOp(OldWrapOp).markOpRecursivelyLegal(OldWrapOp);
    expect(applyFullConversion(module, rules, [replaceOld()]).ok).toBe(true);
    expect(opsNamed(module, "old.op")).toHaveLength(2);
  });

  test("recursive only when the rule says so", () => {
    const module = parse(nested);
    const rules = target()
      .addLegalOp(OldWrapOp)
      .markOpRecursivelyLegal(OldWrapOp, () => false);
    expect(applyPartialConversion(module, rules.addLegalOp({ name: "old.end" }), [replaceOld()]).ok).toBe(true);
    expect(opsNamed(module, "old.op")).toHaveLength(0);
  });

  test("unknown ops by predicate", () => {
    const module = parse(`"foo.good"() : () -> ()\n"foo.bad"() : () -> ()`);
    const rules = target().markUnknownOpDynamicallyLegal((op) => op.name !== "foo.bad");
    expect(applyPartialConversion(module, rules, []).ok).toBe(false);
    expect(messages(module)).toEqual(["failed to legalize operation 'foo.bad' that was explicitly marked illegal"]);
  });

  test("an op's own entry counts before its dialect's", () => {
    const module = parse(`"old.op"() : () -> ()`);
    expect(applyFullConversion(module, target().addLegalOp(OldOp), []).ok).toBe(true);
  });
});

describe("types", () => {
  test("converted users take converted values as they are", () => {
    const module = parse(CHAIN);
    const converter = plainConverter();
    expect(applyPartialConversion(module, target(), [replaceOld(converter)]).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) {
        %0 = "new.op"(%arg0) : (i32) -> i32
        %1 = "new.op"(%0) : (i32) -> i32
        "new.op"(%1) : (i32) -> ()
        tt.return
      }`);
  });

  test("source materialization: a user that stays gets the old type back, right after the new value", () => {
    const module = parse(`tt.func @f() {
      %0 = "old.op"() : () -> i64
      "foo.op"() : () -> ()
      "foo.use"(%0) : (i64) -> ()
      "foo.use"(%0) : (i64) -> ()
      tt.return
    }`);
    expect(applyPartialConversion(module, target(), [replaceOld(converterWithCasts())]).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f() {
        %0 = "new.op"() : () -> i32
        %1 = "new.cast"(%0) : (i32) -> i64
        "foo.op"() : () -> ()
        "foo.use"(%1) : (i64) -> ()
        "foo.use"(%1) : (i64) -> ()
        tt.return
      }`);
    const cast = opsNamed(module, "new.cast")[0]!;
    expect(cast.origin).toBe(opsNamed(module, "new.op")[0]!.origin);
  });

  test("target materialization: a converted user of a value that stays gets the new type; it comes from the op that asked", () => {
    const module = parse(`tt.func @f() {
      %0 = "foo.op"() : () -> i64
      "foo.between"() : () -> ()
      "old.op"(%0) : (i64) -> ()
      tt.return
    }`);
    const asked = opsNamed(module, "old.op")[0]!.id;
    expect(applyPartialConversion(module, target(), [replaceOld(converterWithCasts())]).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f() {
        %0 = "foo.op"() : () -> i64
        %1 = "new.cast"(%0) : (i64) -> i32
        "foo.between"() : () -> ()
        "new.op"(%1) : (i32) -> ()
        tt.return
      }`);
    expect(opsNamed(module, "new.cast")[0]!.origin).toBe(asked);
    expect(opsNamed(module, "new.op")[0]!.origin).toBe(asked);
  });

  test("argument materialization: uses of a converted block argument that stay get the old type back", () => {
    const module = parse(`tt.func @f(%a: i64) {
      "foo.use"(%a) : (i64) -> ()
      tt.return
    }`);
    const seen: string[] = [];
    const converter = converterWithCasts().addArgumentMaterialization((rw, types, [input]) => {
      seen.push("argument");
      return rw.value(CastOp, { in: input! }, { types, extraAttrs: [] });
    });
    const rules = target().addDynamicallyLegalOp((op) => op.regions[0]!.firstBlock!.args.every((arg) => converter.isLegalType(arg.type)), {
      name: "tt.func",
    });
    expect(applyPartialConversion(module, rules, [functionTypePattern(converter)]).ok).toBe(true);
    expect(seen).toEqual(["argument"]);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32) {
        %0 = "new.cast"(%arg0) : (i32) -> i64
        "foo.use"(%0) : (i64) -> ()
        tt.return
      }`);
  });

  test("without a materialization the cast cannot go, and the conversion fails", () => {
    const module = parse(`%0 = "old.op"() : () -> i64\n"foo.use"(%0) : (i64) -> ()`);
    expect(applyPartialConversion(module, target(), [replaceOld(plainConverter())]).ok).toBe(false);
    expect(messages(module)).toEqual([
      "failed to legalize unresolved materialization from ('i32') to ('i64') that remained live after conversion",
    ]);
  });

  test("unrealized casts stay when no materializations are wanted", () => {
    const module = parse(`tt.func @f() {
      %0 = "old.op"() : () -> i64
      "foo.use"(%0) : (i64) -> ()
      tt.return
    }`);
    expect(applyPartialConversion(module, target(), [replaceOld(plainConverter())], { buildMaterializations: false }).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f() {
        %0 = "new.op"() : () -> i32
        %1 = builtin.unrealized_conversion_cast %0 : i32 to i64
        "foo.use"(%1) : (i64) -> ()
        tt.return
      }`);
  });

  test("a type without rule, or that a rule rejects, keeps a pattern from applying", () => {
    const module = parse(`%0 = "foo.op"() : () -> f64\n"old.op"(%0) : (f64) -> ()`);
    expect(applyPartialConversion(module, target(), [replaceOld(converterWithCasts())]).ok).toBe(false);
    expect(new TypeConverter().convertType(i32(module.ctx))).toBeUndefined();
  });

  test("the rule added last is asked first, and may leave a type to those before", () => {
    const { ctx } = parse("");
    const converter = plainConverter().addConversion((type) => (isInteger(type, 8) ? i32(ctx) : undefined));
    expect(converter.convertType(i32(ctx))).toBe(i32(ctx));
    expect(converter.convertTypes([i32(ctx)])).toEqual([i32(ctx)]);
  });

  test("one to many: a value becomes two", () => {
    const module = parse(`tt.func @f() {
      %0 = "old.op"() : () -> i16
      "old.op"(%0) : (i16) -> ()
      tt.return
    }`);
    const converter = plainConverter();
    const split = rangeConversionPattern(
      "split",
      OldOp,
      ({ op }, operands, rw, conversion) => {
        const made = op.resultTypes.map(
          (type) => rw.create(NewOp, { args: operands.flat() }, { types: converter.convert(type)! }).op.results,
        );
        if (op.numResults === 0) rw.create(NewOp, { args: operands.flat() }, { types: [] });
        return conversion.replaceWithMultiple(op, made);
      },
      { converter },
    );
    expect(applyPartialConversion(module, target(), [split]).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f() {
        %0:2 = "new.op"() : () -> (i32, i32)
        "new.op"(%0#0, %0#1) : (i32, i32) -> ()
        tt.return
      }`);
  });
});

describe("signatures and blocks", () => {
  test("functions and their blocks take converted arguments; branches hand them over", () => {
    const module = parse(`tt.func @f(%a: i64, %c: i1) -> i64 {
      cf.cond_br %c, ^x(%a : i64), ^y
    ^x(%p: i64):
      %0 = "old.op"(%p) : (i64) -> i64
      cf.br ^z(%0 : i64)
    ^y:
      cf.br ^z(%a : i64)
    ^z(%r: i64):
      tt.return %r : i64
    }`);
    const converter = plainConverter();
    const terminators = ["cf.br", "cf.cond_br", "tt.return"];
    const retarget: ConversionPattern = {
      name: "terminators",
      benefit: 1,
      root: undefined,
      applies: (op) => terminators.includes(op.name),
      converter,
      generatedOps: [],
      boundedRecursion: false,
      rewrite: (op, operands, rw) => rw.modify(op, () => op.setOperands(operands.flat())),
    };
    const rules = target()
      .addDynamicallyLegalOp((op) => op.regions[0]!.firstBlock!.args.every((arg) => converter.isLegalType(arg.type)), { name: "tt.func" })
      .addDynamicallyLegalOp((op) => converter.isLegal(op), ...terminators.map((name) => ({ name })));
    expect(applyFullConversion(module, rules, [functionTypePattern(converter), replaceOld(converter), retarget]).ok).toBe(true);
    expect(body(module)).toBe(text`
      tt.func @f(%arg0: i32, %arg1: i1) -> i32 {
        cf.cond_br %arg1, ^bb1(%arg0 : i32), ^bb2
      ^bb1(%0: i32):  // pred: ^bb0
        %1 = "new.op"(%0) : (i32) -> i32
        cf.br ^bb3(%1 : i32)
      ^bb2:  // pred: ^bb0
        cf.br ^bb3(%arg0 : i32)
      ^bb3(%2: i32):  // 2 preds: ^bb1, ^bb2
        tt.return %2 : i32
      }`);
  });
});

describe("patterns", () => {
  test("higher benefit first; of equal ones the one registered last, unless a pattern for any op is among them", () => {
    const named = (name: string, benefit: number) =>
      conversionPattern(name, OldOp, ({ op }, _, rw) => (tried.push(name), rw.noMatch("no", op)), { benefit });
    const tried: string[] = [];
    const patterns = [named("a", 1), named("b", 2), named("c", 1)];
    applyPartialConversion(parse(`"old.op"() : () -> ()`), target(), patterns);
    expect(tried.splice(0)).toEqual(["b", "c", "a"]);
    const any: ConversionPattern = { ...named("any", 1), root: undefined };
    applyPartialConversion(parse(`"old.op"() : () -> ()`), target(), [...patterns, any]);
    expect(tried).toEqual(["b", "a", "c", "any"]);
  });

  test("the way with fewer steps first; patterns that lead to no legal op are not tried", () => {
    const tried: string[] = [];
    const leadsTo = (name: string, generatedOps: readonly { readonly name: string }[]) =>
      conversionPattern(name, OldOp, ({ op }, _, rw) => (tried.push(name), rw.noMatch("no", op)), { generatedOps });
    const viaWrap = leadsTo("two-steps", [OldWrapOp]);
    const wrap = conversionPattern("wrap", OldWrapOp, ({ op }, _, rw) => rw.noMatch("no", op), { generatedOps: [NewOp] });
    const nowhere = leadsTo("nowhere", [{ name: "foo.illegal" }]);
    applyPartialConversion(parse(`"old.op"() : () -> ()`), target(), [viaWrap, nowhere, leadsTo("direct", [NewOp]), wrap]);
    expect(tried).toEqual(["direct", "two-steps"]);
  });

  test("what a pattern makes is legalized too; when that fails, the pattern is taken back and the next one tried", () => {
    const module = parse(`"old.wrap"() ({ "old.end"() : () -> () }) : () -> ()`);
    const viaOld = conversionPattern(
      "via-old",
      OldWrapOp,
      ({ op }, _, rw) => {
        rw.create(OldOp, { args: [] }, { types: [] });
        return rw.erase(op);
      },
      { benefit: 2 },
    );
    const deadEnd = conversionPattern(
      "dead-end",
      OldWrapOp,
      ({ op }, _, rw) => {
        rw.create(OldOp, { args: [] }, { types: [], extraAttrs: [["stuck", unitAttr(op.ctx)]] });
        return rw.erase(op);
      },
      { benefit: 3 },
    );
    const unlessStuck = conversionPattern("unless-stuck", OldOp, ({ op }, _, rw) =>
      op.hasAttr("stuck") ? rw.noMatch("stuck", op) : rw.replace(op, rw.create(NewOp, { args: [] }, { types: [] })),
    );
    expect(applyFullConversion(module, target().addLegalOp({ name: "old.end" }), [deadEnd, viaOld, unlessStuck]).ok).toBe(true);
    expect(body(module)).toBe(`"new.op"() : () -> ()`);
  });

  test("illegal ops are folded before patterns are tried, and the constants made are legal", () => {
    const module = parse(`tt.func @f() -> i32 {
      %c2 = arith.constant 2 : i32
      %0 = arith.addi %c2, %c2 : i32
      tt.return %0 : i32
    }`);
    const rules = target().addIllegalOp({ name: "arith.addi" });
    expect(applyFullConversion(module, rules, []).ok).toBe(true);
    expect(body(module)).toContain("arith.constant 4");
    const unfolded = parse(`tt.func @f(%a: i32) -> i32 {
      %c2 = arith.constant 2 : i32
      %0 = arith.addi %c2, %c2 : i32
      tt.return %0 : i32
    }`);
    expect(applyFullConversion(unfolded, rules, [], { fold: false }).ok).toBe(false);
  });

  test("a failed conversion restores blocks, regions, arguments and attributes", () => {
    const module = parse(`tt.func @f(%a: i64, %c: i1) -> i64 {
      cf.cond_br %c, ^x(%a : i64), ^y(%a : i64)
    ^x(%p: i64):
      "old.wrap"() ({
        "foo.in"(%p) : (i64) -> ()
      }) : () -> ()
      cf.br ^y(%p : i64)
    ^y(%r: i64):
      %0 = "foo.op"() : () -> f64
      "old.op"(%0) : (f64) -> ()
      tt.return %r : i64
    }`);
    const before = body(module);
    const converter = converterWithCasts();
    const unwrap = conversionPattern("unwrap", OldWrapOp, ({ op, body: region }, _, rw) => {
      const rest = rw.splitBlock(op.block!, op);
      rw.inlineRegionBefore(region, op.region!, rest);
      rw.setEnd(op.block!.prev!);
      return rw.erase(op);
    });
    const rules = target().addDynamicallyLegalOp((op) => op.regions[0]!.firstBlock!.args.every((a) => converter.isLegalType(a.type)), {
      name: "tt.func",
    });
    expect(applyPartialConversion(module, rules, [functionTypePattern(converter), unwrap, replaceOld(converter)]).ok).toBe(false);
    expect(body(module)).toBe(before);
  });
});
