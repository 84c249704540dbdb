/**
 * Rows of a tensor gathered and scattered by the tensor memory accelerator, four at once: each warp sends messages for the rows whose
 * indices all its lanes hold, one for each stretch of columns that is as wide as the swizzle.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp, iterateGatherScatterIndices and its users.
 */
import { ptrType } from "../../../dialects/llvm/types/types.js";
import { CpAsyncBulkCommitGroupOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { sharedParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { AsyncTMAGatherOp, AsyncTMAScatterOp } from "../../../dialects/ttng/ops/tma.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { getTMABlockShape, nvmmaSharedToLinearLayout } from "../../../layout/encodings/nvmma-shared.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { memDescOf, sharedMemoryObject, shmemAffineBase } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { applyLinearLayout } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { groupMask, leaderAddress, leads, sharingBitsOf } from "./cta-groups.js";
import { electPredicate, uniformWarpId } from "./elect.js";
import { plainAsm, remoteBits } from "./mbarrier.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { ctaGroupOfBarrier, messageOffsets, numbered } from "./tma-copy.js";

/** One message: which threads send it, where its rows lie in shared memory, their first column, and the four row numbers. */
interface RowsMessage {
  readonly predicate: Value;
  readonly shared: Value;
  readonly column: Value;
  readonly rows: readonly Value[];
}
interface RowsCopy {
  readonly rows: Value;
  readonly column: Value;
  readonly buffer: Value;
  readonly pred: Value;
}

function forRowsMessages(lo: Lowering, op: Operation, copy: RowsCopy, send: (message: RowsMessage) => void): false | void {
  const { b, ctx } = lo;
  const { shape: rowsShape, encoding } = (copy.rows.type as TensorType).params;
  const rowsLayout = toLinearLayout(rowsShape, encoding!);
  if (rowsLayout.getInDimSize("register") < 4) return lo.fail(op, "must have at least 4 x offsets per warp");
  if ([0, 1].some((i) => rowsLayout.getInDimBases("register")[i]![0] !== 1 << i))
    return lo.fail(op, "x offsets are not grouped by 4 contiguous elements");
  const type = memDescOf(copy.buffer);
  const alloc = type.allocShape.slice(-2);
  if (alloc.length < 2 || type.shape.length !== 2 || type.shape.some((extent, d) => extent !== alloc[d]))
    return lo.fail(op, "memdesc shape must match alloc shape");
  const params = sharedParams(type.encoding);
  if (params?.kind !== "nvmma_shared") return lo.fail(op, "requires dst encoding NVMMASharedEncodingAttr");
  const masks = rowsLayout.getFreeVariableMasks();
  const given = lo.value(copy.column);
  const column = lo.ctx.triton.doublesFp4Late && params.fp4Padded ? b.mul(given, b.i32(2)) : given;
  const element = convertType(type.elementType);
  const base = shmemAffineBase(lo, sharedMemoryObject(lo, copy.buffer), type);

  // Each stretch of columns is a message.
  const shape = getShapePerCTAOf(params, type.shape);
  const columns = shape.at(-1)!;
  const stretches = Math.ceil(columns / getTMABlockShape(shape, params, true).at(-1)!);
  const width = columns / stretches;
  const messages = rowsLayout.multiply(LinearLayout.strided1D(stretches, width, "msg", "dim1"));
  // Where four rows are less than a tile of the swizzle, only the place of the first is asked for, so the swizzle does not matter.
  const toShared = messages.invertAndCompose(nvmmaSharedToLinearLayout(type.shape, params, true));
  if (masks.get("lane") !== rowsLayout.getInDimSize("lane") - 1) return lo.fail(op, "x offsets must be broadcasted across each warp");

  const warp = uniformWarpId(lo);
  const block = lo.code.clusterCTAId(lo);
  // Since 3.8 each CTA has the columns that its part of the buffer has.
  const ownColumn = () =>
    applyLinearLayout(lo, messageOffsets(type, params, false, true), [
      ["msg", 0],
      ["block", block],
    ]).at(-1)!;
  const firstColumn = lo.forms.partsByCTA ? b.add(column, ownColumn()) : column;
  let predicate = b.and(copy.pred, b.icmp("eq", b.i32(0), b.and(warp, b.i32(masks.get("warp") ?? 0))));
  predicate = b.and(predicate, electPredicate(lo));
  const rows = lo.elements(copy.rows);
  for (let register = 0; register < rows.length; register += 4) {
    if (((masks.get("register") ?? 0) & register) !== 0) continue;
    for (let msg = 0; msg < stretches; msg++) {
      const [offset] = applyLinearLayout(lo, toShared, [
        ["register", register],
        ["lane", 0],
        ["warp", warp],
        ["block", block],
        ["msg", msg],
      ]);
      const shared = b.gep(ptrType(ctx, 3), element, base, [offset!]);
      send({ predicate, shared, column: b.add(firstColumn, b.i32(msg * width)), rows: rows.slice(register, register + 4) });
    }
  }
}

export const TMA_GATHERS: readonly LoweringRule[] = [
  rule(AsyncTMAGatherOp, ({ op, desc, x_offsets, y_offset, barrier, result, pred, multicast: asked }, lo) => {
    const { base } = sharedMemoryObject(lo, barrier);
    // 3.7 has the attribute, and no instruction for it.
    const multicast = asked && lo.forms.partsByCTA;
    const group = multicast ? sharingBitsOf(result) : 0;
    const ctas = multicast ? groupMask(lo, group) : undefined;
    const leading = multicast ? lo.b.and(lo.value(pred), leads(lo, group)) : lo.value(pred);
    const remote = remoteBits(lo, barrier);
    const signal = leaderAddress(lo, base, remote);
    const space = remote !== 0 || multicast ? "shared::cluster" : "shared::cta";
    const text =
      `@$0 cp.async.bulk.tensor.2d.tile::gather4.${ctaGroupOfBarrier(lo, barrier)}${space}.global.mbarrier::complete_tx::bytes` +
      `${multicast ? ".multicast::cluster" : ""} [$1], [$2, {${numbered(3, 5)}}], [$8]${multicast ? ", $9" : ""};`;
    const copy = { rows: x_offsets, column: y_offset, buffer: result, pred: leading };
    return forRowsMessages(lo, op, copy, ({ predicate, shared, column, rows }) =>
      plainAsm(lo, text, [
        ["b", predicate],
        ["r", shared],
        ["l", lo.value(desc)],
        ["r", column],
        ...rows.map((row) => ["r", row] as const),
        ["r", signal],
        ...(ctas ? [["h", ctas] as const] : []),
      ]),
    );
  }),
  rule(AsyncTMAScatterOp, ({ op, desc, x_offsets, y_offset, src }, lo) => {
    const text = `@$0 cp.async.bulk.tensor.2d.tile::scatter4.global.shared::cta.bulk_group [$1, {${numbered(2, 5)}}], [$7];`;
    // The CTA that leads those with the same buffer writes it.
    const leaders = lo.forms.partsByCTA ? sharingBitsOf(src) : 0;
    const pred = leaders === 0 ? lo.b.i1(true) : leads(lo, leaders);
    const copy = { rows: x_offsets, column: y_offset, buffer: src, pred };
    const sent = forRowsMessages(lo, op, copy, ({ predicate, shared, column, rows }) =>
      plainAsm(lo, text, [
        ["b", predicate],
        ["l", lo.value(desc)],
        ["r", column],
        ...rows.map((row) => ["r", row] as const),
        ["r", shared],
      ]),
    );
    return sent === false ? false : void lo.b.create(CpAsyncBulkCommitGroupOp, {});
  }),
];
