import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { isKernel } from "../../../dialects/tt/kernel.js";
import { DescriptorStoreLikeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { CallOp, FuncOp, ReturnOp } from "../../../dialects/tt/ops/function.js";
import { TensorDescType } from "../../../dialects/tt/types.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { ReinterpretTensorDescOp } from "../../../dialects/ttng/ops/tma.js";
import type { Attribute, Type, TypeOf } from "../../../ir/attribute.js";
import { typeAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, FunctionType, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { NvmmaSharedParams } from "../../../layout/encoding-params.js";
import { getCTALayout, getSharedOrder } from "../../../layout/encoding-queries.js";
import { cgaOfRank, defaultCga } from "../../../layout/encodings/cga.js";
import { nvmmaSharedFor } from "../../../layout/encodings/nvmma-shared.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { toLinearLayout } from "../../../layout/to-linear-layout.js";
import { layoutProblem } from "../../../layout/verify-encoding.js";
import { definePass } from "../../../pass/define-pass.js";
import { tiedArgs } from "../../ttg/tied-args.js";
import { updateEncodingForShape } from "./descriptor-layouts.js";

export const optimizeDescriptorEncoding = definePass("triton-nvidia-optimize-descriptor-encoding", {
  name: "TritonNvidiaGPUOptimizeDescriptorEncodingPass",
  summary: "set encodings on tensor descriptor types",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/OptimizeDescriptorEncoding.cpp",
  statistics: { descriptors: "values of descriptors that got a layout" },
  run(root, { count }) {
    for (const op of root.regions[0]!.firstBlock!.ops()) if (FuncOp.is(op)) count("descriptors", assignMemoryLayouts(op));
  },
});

/** The layout and shape that the uses of a descriptor want. */
interface Wish {
  readonly encoding?: Attribute | undefined;
  readonly cga?: LinearLayout | undefined;
  /** For a gather, the shape of the tensor that it loads, not the block of one row. */
  readonly shape?: readonly number[] | undefined;
  /** Somebody outside sees it, or two want different ones. */
  readonly forcedToDefault?: boolean;
}

function assignMemoryLayouts(func: Operation): number {
  const wishes = new Map<Value, Wish>();
  // For a value that is in it twice, the later place counts.
  const worklist: Value[] = [];
  const placeOf = new Map<Value, number>();
  const push = (value: Value): void => {
    placeOf.set(value, worklist.length);
    worklist.push(value);
  };
  const update = (values: readonly Value[], added: Wish): void => {
    let wish = added;
    for (const value of values) {
      const known = wishes.get(value);
      if (known) wish = combine(known, wish, blockOf(value).params.shape.length);
    }
    for (const value of values) {
      const known = wishes.get(value);
      if (known && same(known, wish)) continue;
      wishes.set(value, wish);
      push(value);
    }
  };
  const entry = func.regions[0]!.firstBlock;
  for (const arg of entry?.args ?? []) if (TensorDescType.is(arg.type)) update([arg], { forcedToDefault: !isKernel(func) });
  func.walkPostOrder((op) => {
    const use = wishOf(op);
    if (use) return update([use.desc], use.wish);
    const forcedToDefault = CallOp.is(op) || ReturnOp.is(op) || ReinterpretTensorDescOp.is(op);
    for (const value of [...op.results, ...op.operands]) {
      if (!TensorDescType.is(value.type)) continue;
      if (!wishes.has(value)) wishes.set(value, { forcedToDefault });
      if (forcedToDefault) push(value);
    }
  });
  for (let desc = worklist.pop(); desc; desc = worklist.pop()) {
    if (placeOf.get(desc) !== worklist.length) continue;
    placeOf.delete(desc);
    for (const { owner, index } of desc.uses()) {
      if (ForOp.is(owner)) update(tiedArgs(owner, index - 3), {});
      else if (WhileOp.is(owner)) update(tiedArgs(owner, index), {});
      else if (YieldOp.is(owner)) update(tiedArgs(owner.parentOp!, index), {});
    }
    const def = desc.definingOp;
    const parent = desc.argOwner?.parentOp;
    if (def && (ForOp.is(def) || WhileOp.is(def) || IfOp.is(def))) update(tiedArgs(def, desc.index), {});
    else if (parent && ForOp.is(parent)) update(tiedArgs(parent, desc.index - 1), {});
    else if (parent && WhileOp.is(parent)) update(tiedArgs(parent, desc.index), {});
  }
  func.ctx.version++;
  for (const [desc, wish] of wishes) desc.setType(descriptorType(desc.definingOp ?? func, blockOf(desc), wish));
  updateFunctionType(func);
  return wishes.size;
}
const blockOf = ({ type }: Value): TensorType => (type as TypeOf<typeof TensorDescType>).params.blockType;

/** The layout and shape that a load or store wants for its descriptor. */
function wishOf(op: Operation): { readonly desc: Value; readonly wish: Wish } | undefined {
  const load = DescriptorLoadOp.match(op) ?? DescriptorGatherOp.match(op);
  const store = op.def.interface(DescriptorStoreLikeOpInterface);
  const tensor = load?.result ?? store?.src(op);
  if (!tensor) return undefined;
  const desc = load?.desc ?? store!.desc(op);
  const encoding = load && encodingOfBuffers(load.result);
  const { shape, encoding: own } = (tensor.type as TensorType).params;
  const params = encodingParams(encoding ?? own);
  const outer = new Array<number>(blockOf(desc).params.shape.length - shape.length).fill(1);
  return { desc, wish: { encoding, cga: params && getCTALayout(params), shape: [...outer, ...shape] } };
}
/** The layout of the first buffer of those a loaded tensor is put into whose layout TMA knows. */
function encodingOfBuffers(loaded: Value): Attribute | undefined {
  for (const user of loaded.users()) {
    const buffer = LocalAllocOp.match(user)?.result ?? LocalStoreOp.match(user)?.dst;
    const encoding = buffer && forTMA(buffer.type as MemDesc);
    if (encoding) return encoding;
  }
  return undefined;
}
/** A buffer's layout as TMA knows it: itself, or that of matrix instructions which is the same map. */
function forTMA({ params: { shape, elementType, encoding } }: MemDesc): Attribute | undefined {
  const params = encodingParams(encoding);
  if (params?.kind === "nvmma_shared") return params.transposed ? undefined : encoding;
  if (params?.kind !== "shared_linear") return undefined;
  const bits = bitWidth(elementType)!;
  const cga = getCTALayout(params)!;
  const byShape = FP4_PADDED.map((fp4Padded) => nvmmaSharedFor(shape, getSharedOrder(params, shape.length), cga, bits, fp4Padded));
  const others = FP4_PADDED.flatMap((fp4Padded) =>
    SWIZZLES.map((swizzlingByteWidth): NvmmaSharedParams => {
      return { kind: "nvmma_shared", swizzlingByteWidth, transposed: false, elementBitWidth: Math.max(8, bits), fp4Padded, cga };
    }),
  );
  const same = [...byShape, ...others].find(
    (candidate) => layoutProblem(shape, candidate) === undefined && toLinearLayout(shape, candidate).equals(params.layout),
  );
  return same && encodingAttr(encoding.ctx, same);
}
const FP4_PADDED = [false, true] as const;
const SWIZZLES = [0, 32, 64, 128] as const;

const sameCga = (a: LinearLayout | undefined, b: LinearLayout | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.equals(b));
function same(a: Wish, b: Wish): boolean {
  const sameShape = a.shape?.join() === b.shape?.join();
  return a.encoding === b.encoding && sameCga(a.cga, b.cga) && !a.forcedToDefault === !b.forcedToDefault && sameShape;
}
/** Two that disagree get the layout by default. */
function combine(a: Wish, b: Wish, rank: number): Wish {
  if (a.forcedToDefault || b.forcedToDefault) return { forcedToDefault: true };
  const shape = a.shape && b.shape ? a.shape.map((extent, dim) => Math.min(extent, b.shape![dim]!)) : (a.shape ?? b.shape);
  const clash = a.cga && b.cga && !sameCga(a.cga, b.cga);
  const cga = clash ? defaultCga(rank) : (a.cga ?? b.cga);
  const forcedToDefault = a.encoding !== undefined && b.encoding !== undefined && a.encoding !== b.encoding;
  return { encoding: forcedToDefault ? undefined : (a.encoding ?? b.encoding), cga, shape, forcedToDefault };
}

function descriptorType(op: Operation, block: TensorType, wish: Wish): Type {
  const encoding = wish.encoding ?? fallback(block, wish.forcedToDefault ? {} : wish);
  return TensorDescType.get(block.ctx, { blockType: withEncoding(block, updateEncodingForShape(op, encoding, block.params.shape)) });
}
/** The layout of a block of which nobody wants a special one. */
function fallback({ ctx, params: { shape, elementType } }: TensorType, wish: Wish): Attribute {
  const rank = shape.length;
  const order = shape.map((_, dim) => rank - 1 - dim);
  const cga = wish.cga ? cgaOfRank(wish.cga, rank) : defaultCga(rank);
  return encodingAttr(ctx, nvmmaSharedFor(wish.shape ?? shape, order, cga, bitWidth(elementType)!, false));
}

function updateFunctionType(func: Operation): void {
  const view = FuncOp.match(func)!;
  const { inputs, results } = (view.function_type as TypeOf<typeof FunctionType>).params;
  const entry = func.regions[0]!.firstBlock;
  const type = FunctionType.get(func.ctx, {
    inputs: entry ? entry.args.map((arg) => arg.type) : inputs,
    results: results.map((result) => (TensorDescType.is(result) ? descriptorType(func, result.params.blockType, {}) : result)),
  });
  if (type !== view.function_type) func.setAttr("function_type", typeAttr(type));
}
