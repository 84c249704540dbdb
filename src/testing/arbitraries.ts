/**
 * Random ops made from the op records: whatever the records allow and the verifiers accept. Deterministic in the seed.
 */
import type { Attribute, Type } from "../ir/attribute.js";
import { buildOperation, inferResultTypes } from "../ir/builder.js";
import {
  arrayAttr,
  boolAttr,
  dictAttr,
  floatAttr,
  i32ArrayAttr,
  i32Attr,
  i64ArrayAttr,
  i64Attr,
  intAttr,
  splatOf,
  stringAttr,
  symbolRef,
  typeAttr,
  unitAttr,
} from "../ir/builtin-attrs.js";
import {
  f16,
  f32,
  floatType,
  functionType,
  i1,
  i8,
  i16,
  i32,
  i64,
  indexType,
  isShaped,
  tensorType,
  VectorType,
} from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import type { NamedAttrSpec, NamedValueSpec, OpDef } from "../ir/define-op.js";
import { unregisteredOp } from "../ir/define-op.js";
import { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { verifyOperation } from "../ir/verify.js";
import { Parser } from "../syntax/parser.js";

/** Types of dialects that operands may ask for, as text. */
const DIALECT_TYPES = [
  "!tt.ptr<f32>",
  "!tt.ptr<i32>",
  "tensor<4x!tt.ptr<f32>>",
  "tensor<4x4x!tt.ptr<f16>>",
  "!tt.ptr<tensor<4x4xf16>>",
  "!tt.tensordesc<tensor<4x4xf32>>",
  "!ttg.async.token",
  "!ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>",
  "!ttg.memdesc<16x16xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>, #ttg.shared_memory, mutable>",
  "tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>>",
  "!llvm.ptr",
  "!llvm.ptr<3>",
  "!llvm.struct<(i32, f32)>",
  "!llvm.array<4 x i32>",
];

/** The types and attributes to choose from. */
export interface Pool {
  readonly types: readonly Type[];
  readonly attrs: readonly Attribute[];
}
export function makePool(ctx: Context): Pool {
  const scalars = [i1(ctx), i8(ctx), i16(ctx), i32(ctx), i64(ctx), f16(ctx), floatType(ctx, "bf16"), f32(ctx), floatType(ctx, "f64")];
  const shaped = scalars.flatMap((t) => [
    tensorType([4], t),
    tensorType([4, 4], t),
    VectorType.get(ctx, { shape: [4], elementType: t, scalable: undefined }),
  ]);
  const parsed = DIALECT_TYPES.map((text) => new Parser(ctx, ctx.addSource("pool", text)).parseWhole((p) => p.type())).filter(
    (t): t is Type => t !== undefined,
  );
  const types = [...scalars, indexType(ctx), ...shaped, ...parsed];
  const attrs: Attribute[] = [
    i32Attr(ctx, 1),
    i64Attr(ctx, 2),
    intAttr(i8(ctx), 3),
    intAttr(i16(ctx), 4),
    intAttr(indexType(ctx), 0),
    boolAttr(ctx, true),
    floatAttr(f32(ctx), 1.5),
    floatAttr(floatType(ctx, "f64"), 0.1),
    stringAttr(ctx, "text"),
    symbolRef(ctx, "symbol"),
    unitAttr(ctx),
    i32ArrayAttr(ctx, [0]),
    i32ArrayAttr(ctx, [1, 0]),
    i64ArrayAttr(ctx, [0, 1]),
    arrayAttr(ctx, []),
    arrayAttr(ctx, [i64Attr(ctx, 1)]),
    typeAttr(i32(ctx)),
    typeAttr(functionType(ctx, [], [])),
    dictAttr(ctx, []),
    splatOf(tensorType([4], i32(ctx)), i32Attr(ctx, 7)),
  ];
  return { types, attrs };
}

type Below = (n: number) => number;
const pick = <T>(items: readonly T[], below: Below): T | undefined => (items.length === 0 ? undefined : items[below(items.length)]);

/** An op of that kind in a block whose other ops define its operands; undefined when none could be made. */
export function randomOp(ctx: Context, def: OpDef, pool: Pool, below: Below, tries = 40): Operation | undefined {
  if (def.regions.length > 0 || def.successors.length > 0) return undefined;
  const reported = ctx.diagnostics.length;
  for (let attempt = 0; attempt < tries; attempt++) {
    // Most ops want equal types: prefer one.
    const favourite = pick(pool.types, below)!;
    const args: Record<string, unknown> = {};
    const sources: Operation[] = [];
    const value = (type: Type): Value => {
      const source = new Operation(
        ctx,
        ctx.memo("test.source", () => unregisteredOp("test.source")),
        { loc: 0, resultTypes: [type] },
      );
      sources.push(source);
      return source.result(0);
    };
    if (!chooseOperands(def, pool, below, favourite, value, args) || !chooseAttrs(ctx, def, pool, below, args)) continue;
    const types = chooseResults(ctx, def, pool, below, favourite, args);
    if (!types) continue;
    const op = buildOperation(ctx, def, args, 0, types);
    const module = new Operation(ctx, ctx.ops.get("builtin.module")!, { loc: 0, numRegions: 1 });
    const block = module.regions[0]!.addBlock();
    for (const source of sources) block.append(source);
    block.append(op);
    const ok = verifyOperation(module);
    ctx.diagnostics.length = reported;
    if (ok) return module;
  }
  return undefined;
}

function candidates(spec: NamedValueSpec, pool: Pool, favourite: Type): readonly Type[] {
  const fits = pool.types.filter((t) => spec.constraint.test(t));
  const same = fits.filter(
    (t) => t === favourite || (isShaped(t) && isShaped(favourite) && t.params.shape.join() === favourite.params.shape.join()),
  );
  return same.length > 0 ? same : fits;
}

function chooseOperands(
  def: OpDef,
  pool: Pool,
  below: Below,
  favourite: Type,
  value: (type: Type) => Value,
  args: Record<string, unknown>,
): boolean {
  // `$a (`,` $b^)? (`,` $c^)?` cannot tell a lone c from a b: as upstream, absent ones come last.
  let absent = false;
  for (const spec of def.operands) {
    const type = spec.constraint.test(favourite) ? favourite : pick(candidates(spec, pool, favourite), below);
    if (spec.arity === "single") {
      if (!type) return false;
      args[spec.name] = value(type);
    } else if (spec.arity === "optional") {
      absent ||= !type || below(2) === 0;
      args[spec.name] = absent ? undefined : value(type!);
    } else args[spec.name] = type ? Array.from({ length: below(3) }, () => value(type)) : [];
  }
  return true;
}

function chooseAttrs(ctx: Context, def: OpDef, pool: Pool, below: Below, args: Record<string, unknown>): boolean {
  for (const spec of def.attrs) {
    if ((spec.optional || spec.default) && below(2)) continue;
    const attr = chooseAttr(ctx, spec, pool, below);
    if (attr) args[spec.name] = attr;
    else if (!spec.optional && !spec.default) return false;
  }
  return true;
}
function chooseAttr(ctx: Context, { constraint }: NamedAttrSpec, pool: Pool, below: Below): Attribute | undefined {
  if (constraint.enum) return constraint.write!(ctx, pick(Object.keys(constraint.enum.cases), below)!);
  return pick(
    pool.attrs.filter((a) => constraint.test(a)),
    below,
  );
}

function chooseResults(
  ctx: Context,
  def: OpDef,
  pool: Pool,
  below: Below,
  favourite: Type,
  args: Record<string, unknown>,
): readonly Type[] | undefined {
  const probe = buildOperation(
    ctx,
    def,
    args,
    0,
    def.results.map(() => favourite),
  );
  const inferred = inferResultTypes(ctx, def, probe.operands, probe.attrs, [], 0);
  probe.dropAllReferences();
  if (inferred) return inferred;
  const types: Type[] = [];
  for (const spec of def.results) {
    if (spec.arity !== "single") continue;
    const type = pick(candidates(spec, pool, favourite), below);
    if (!type) return undefined;
    types.push(type);
  }
  return types;
}
