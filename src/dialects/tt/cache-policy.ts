/**
 * How 3.9 writes what loads and stores ask of caches: one attribute for both words, where neither is the default.
 *
 *     %3 = tt.load %2 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : tensor<16x!tt.ptr<f32>>
 *     %3 = tt.load %2 cacheModifier = cg : tensor<16x!tt.ptr<f32>>      until 3.8
 */
import type { AttrParser, OpParser } from "../../ir/asm.js";
import { type Attribute, defineAttr, type Type } from "../../ir/attribute.js";
import { dictAttr, i32ArrayAttr } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf } from "../../ir/builtin-types.js";
import type { AttrConstraint } from "../../ir/constraints.js";
import type { Context } from "../../ir/context.js";
import type { OlderForm } from "../../ir/spelling.js";
import { defaultsOf } from "./defaults-of.js";
import { CacheModifierAttr, EvictionPolicyAttr } from "./enums.js";
import { getI1SameShape, getPointeeType, PointerType } from "./types.js";

export const CachePolicyAttr = defineAttr<{
  readonly cache: Word<typeof CacheModifierAttr>;
  readonly evict: Word<typeof EvictionPolicyAttr>;
}>("tt.cache_policy", {
  parse(p) {
    p.punct("<");
    p.keyword("cache_modifier");
    p.punct("=");
    const cache = word(p, CacheModifierAttr);
    p.punct(",");
    p.keyword("eviction_policy");
    p.punct("=");
    const evict = word(p, EvictionPolicyAttr);
    p.punct(">");
    return { cache, evict };
  },
  print: ({ cache, evict }) => `<cache_modifier = ${cache}, eviction_policy = ${evict}>`,
});
type Word<C> = C extends AttrConstraint<infer W extends string> ? W : never;
function word<W extends string>(p: AttrParser, { enum: known }: AttrConstraint<W>): W {
  const at = p.pos;
  const given = p.anyKeyword();
  const words = Object.keys(known!.cases) as W[];
  return words.find((one) => one === given) ?? p.fail(`expected one of ${words.join(", ")}`, at);
}

const CACHE = "cache";
const EVICT = "evict";
const POLICY = "cachePolicy";
const SIZES = "operandSegmentSizes";

/** Puts the modifier and the policy in the place of the attribute for both. */
function inTwoWords(ctx: Context, attrs: [string, Attribute][]): boolean {
  const at = attrs.findIndex(([name, value]) => name === POLICY && CachePolicyAttr.is(value));
  if (at < 0) return false;
  const { cache, evict } = CachePolicyAttr.params(attrs[at]![1]);
  attrs.splice(at, 1, [CACHE, CacheModifierAttr.write!(ctx, cache)], [EVICT, EvictionPolicyAttr.write!(ctx, evict)]);
  return true;
}

/** `operands` are the types of all, by that of the pointers; a load has a result. */
function form(least: number, operands: (pointers: Type) => readonly Type[], isLoad: boolean): OlderForm {
  return {
    kind: "syntax",
    tells: true,
    parse(p: OpParser) {
      const at = p.pos;
      const given = p.operands();
      if (given.length < least || given.length > 3)
        p.fail(`expected ${least} to 3 operands, got ${given.length}`, at, "parse.operand-count");
      p.optAttrDict();
      const pointers = p.colonType();
      if (!PointerType.is(elementTypeOrSelf(pointers))) p.fail("expected a pointer or a tensor of pointers", at, "parse.operand-type");
      p.state.operands.push(...p.resolveAll(given, operands(pointers).slice(0, given.length)));
      inTwoWords(p.ctx, p.state.attrs);
      if (!isLoad) return;
      p.setAttr(SIZES, i32ArrayAttr(p.ctx, [1, Number(given.length > 1), Number(given.length > 2)]));
      p.state.types.push(getPointeeType(pointers)!);
    },
    modernize: inTwoWords,
    print(op, p) {
      p.write(` ${p.values(op.operands)}`);
      const cache = CacheModifierAttr.read(op.attr(CACHE)!);
      const evict = EvictionPolicyAttr.read(op.attr(EVICT)!);
      const isDefault = cache === "none" && evict === "evict_normal";
      const policy = isDefault ? [] : [[POLICY, CachePolicyAttr.get(op.ctx, { cache, evict })] as const];
      const { names, values } = op.attrs.params;
      const hidden = [CACHE, EVICT, SIZES, ...defaultsOf(op)];
      const others = names.flatMap((name, i) => (hidden.includes(name) ? [] : [[name, values[i]!] as const]));
      if (policy.length + others.length > 0) p.write(` ${p.attr(dictAttr(op.ctx, [...policy, ...others]))}`);
      p.write(` : ${p.type(op.operand(0).type)}`);
    },
  };
}
const valueOf = (pointers: Type): Type => getPointeeType(pointers)!;
const maskOf = (pointers: Type): Type => getI1SameShape(valueOf(pointers));

export const LOAD_3_9 = form(1, (pointers) => [pointers, maskOf(pointers), valueOf(pointers)], true);
export const STORE_3_9 = form(2, (pointers) => [pointers, valueOf(pointers), maskOf(pointers)], false);
