/**
 * Putting a buffer in place of another one, or of a loaded tensor.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, replaceUsesAndPropagateType, replaceUsesWithLocalLoad.
 */
import { encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { LocalAllocOp, LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import { inferMemDescReshape, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp } from "../../dialects/ttg/ops/memdesc-views.js";
import { partitionRegionsOf, WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { MemDescViewTrait } from "../../dialects/ttg/ttg-op.js";
import { type MemDesc, memDescType } from "../../dialects/ttg/types.js";
import { WarpGroupDotWaitOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { inferResultTypes } from "../../ir/builder.js";
import { Mapping } from "../../ir/clone.js";
import type { Operation } from "../../ir/operation.js";
import type { OpOperand, Value } from "../../ir/value.js";
import { areLayoutsEquivalent } from "../../layout/encoding-queries.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/**
 * The uses of a buffer become uses of another; views of it are made anew, and can be written to if the other one can. `remade` hears of
 * each view before the old one goes.
 */
export function replaceUsesAndPropagateType(
  rw: Rewriter,
  from: Value,
  to: Value,
  remade: (old: Operation, view: Operation) => void = () => {},
): void {
  const views: Operation[] = [];
  const others: OpOperand[] = [];
  for (const use of from.uses()) {
    const user = use.owner;
    if (WarpSpecializeOp.is(user)) for (const region of partitionRegionsOf(user)) region.firstBlock!.args[use.index]!.setType(to.type);
    if (!user.def.traits.has(MemDescViewTrait)) others.push(use);
    else views.push(user);
  }
  rw.preserving(() => {
    for (const user of views) {
      const view = rw.setBefore(user).clone(user, new Mapping().map(from, to));
      view.setResultType(0, typeOfView(view, to.type as MemDesc));
      replaceUsesAndPropagateType(rw, user.result(0), view.result(0), remade);
      remade(user, view);
    }
    for (const { owner, index } of others) {
      const wait = WarpGroupDotWaitOp.match(owner);
      if (!wait) rw.setOperand(owner, index, to);
      else rw.setAfter(owner).replaceWith(owner, WarpGroupDotWaitOp, { inputs: wait.inputs.with(index, to), pendings: wait.pendings });
    }
  });
  for (const user of views) rw.erase(user);
}

/** The type of a view of a buffer of type `src`. */
function typeOfView(view: Operation, src: MemDesc): Type {
  const { shape, elementType, encoding, memorySpace, allocShape } = (view.result(0).type as MemDesc).params;
  if (MemDescTransOp.is(view)) return inferResultTypes(view.ctx, view.def, view.operands, view.attrs, [], view.locRef)![0]!;
  const inferred = MemDescReshapeOp.is(view) ? inferMemDescReshape(src, shape) : undefined;
  if (inferred && typeof inferred !== "string") return inferred;
  return memDescType(
    shape,
    elementType,
    encoding,
    memorySpace,
    src.params.mutableMemory,
    MemDescSubsliceOp.is(view) ? allocShape : undefined,
  );
}

/**
 * Makes the users of a loaded tensor read it from `buffer`: buffers of the same layout (since 3.8 an equivalent one) that it was put into are replaced by this one,
 * and for other users it is loaded at the insertion point. Returns that load.
 */
export function replaceUsesWithLocalLoad(rw: Rewriter, loaded: Value, buffer: Value, token?: Value): Operation | undefined {
  const { shape, encoding } = (buffer.type as MemDesc).params;
  const isEquivalent = (other: Attribute): boolean => {
    if (other === encoding || !other.ctx.triton.groupsEquivalentLayouts) return other === encoding;
    const [a, b] = [encodingParams(encoding), encodingParams(other)];
    return a !== undefined && b !== undefined && areLayoutsEquivalent(shape, a, b);
  };
  const allocs = loaded
    .users()
    .flatMap((user) => LocalAllocOp.match(user) ?? [])
    .filter(({ result }) => isEquivalent((result.type as MemDesc).params.encoding));
  for (const { result } of allocs) replaceUsesAndPropagateType(rw, result, buffer);
  let load: Operation | undefined;
  if (loaded.numUses() > allocs.length) {
    const options = { loc: loaded.definingOp!.locRef, types: [loaded.type] };
    load = rw.create(LocalLoadOp, { src: buffer, token }, options).op;
    rw.replaceUsesWhere(loaded, load.result(0), () => true);
  }
  for (const { op } of allocs) rw.erase(op);
  return load;
}
