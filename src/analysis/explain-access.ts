/** Why an access of global memory is as wide as it is, in a user's words and as numbers. */
import { LoadOp, StoreOp } from "../dialects/tt/ops/memory.js";
import { distributedParams } from "../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getThreadsPerWarp, maybeLookupNumWarps } from "../dialects/ttg/num-warps.js";
import { AsyncCopyGlobalToLocalOp } from "../dialects/ttg/ops/async-copy.js";
import { numElements, RankedTensorType } from "../ir/builtin-types.js";
import { getTotalElemsPerThread } from "../layout/encoding-queries.js";
import type { RemarkField, RemarkRefs } from "../pass/remark.js";
import type { AccessLimit, AccessWidth } from "./access-width.js";
import { type AxisProperty, type AxisShortage, findAxisLoss } from "./axis-loss.js";
import { lossWords } from "./axis-loss-words.js";
import type { ModuleAxisInfo } from "./module-axis-info.js";

export interface AccessExplanation {
  /** A sentence without a full stop: `{0} reads 32 bits at once in each thread, 1 element of 32 bits: argument {1} has ...`. */
  readonly message: string;
  /** Whether the access is as wide as the hardware allows. */
  readonly widest: boolean;
  readonly fields: Readonly<Record<string, RemarkField>>;
  /** For each limit that holds it back, the way from address or mask to what is to blame. */
  readonly losses: readonly (readonly AxisShortage[])[];
}

/** Says which of layout, alignment, contiguity, mask or element size holds an access back, in words and as fields. */
export function explainAccess(width: AccessWidth, axes: ModuleAxisInfo, refs: RemarkRefs): AccessExplanation {
  const { op, elements, elementBits, bits, ptr, mask, dim } = width;
  const holding = holdingBack(width);
  const losses: (readonly AxisShortage[])[] = [];
  const reasons = holding.map((limit) => limitWords(limit, width, axes, refs, losses));
  const info = axes.getOrWorst(ptr);
  const culprit = losses.map((path) => path.at(-1)!.value).map((value) => refs.of(value));
  const { numWords, wordBits } = words(width);
  return {
    message: `${refs.of(op)} ${hasLayout(ptr) ? verb(width) : `has no layout yet; addresses and mask let it ${verb(width).replace(/s$/, "").replace("copie", "copy")}`} ${bits} bits at once in each thread, ${elements} element${elements === 1 ? "" : "s"} of ${elementBits} bits${reasons.length > 0 ? `: ${reasons.join("; and ")}` : ""}`,
    widest: reasons.length === 0,
    losses,
    fields: {
      bits,
      elements,
      elementBits,
      words: numWords,
      wordBits,
      dim,
      contiguity: info.contiguity,
      divisibility: info.divisibility,
      constancy: info.constancy,
      ...(mask ? { maskConstancy: axes.getOrWorst(mask).constancy } : {}),
      limitedBy: holding.map((limit) => limit.by),
      // Positions in `refs`.
      culprits: culprit.map((name) => Number(name.slice(1, -1))),
    },
  };
}

/** The width as the least of its terms, with the numbers: `min(contiguity 1024, divisibility 16 B / 4 B = 4, ...) = 4 elements = 128 bits`. */
export function widthDerivation({ limits, ptr, mask, dim, elements, elementBits, bits }: AccessWidth, axes: ModuleAxisInfo): string {
  const bytes = elementBits / 8;
  const terms = limits.map(({ by, elements: allowed }) => {
    const binds = allowed === elements ? "*" : "";
    switch (by) {
      case "contiguity":
        return `${binds}contiguity ${allowed}`;
      case "divisibility":
        return `${binds}divisibility ${axes.getOrWorst(ptr).divisibility[dim]} B / ${bytes} B = ${allowed}`;
      case "mask":
        return `${binds}equal bits of the mask ${axes.getOrWorst(mask!).constancy[dim] ?? 1}`;
      case "instruction":
        return `${binds}instruction ${Math.max(bytes, allowed * bytes)} B / ${bytes} B = ${allowed}`;
      case "layout":
        return `${binds}elements of a thread ${allowed}`;
      case "buffer":
        return `${binds}elements together in the buffer ${allowed}`;
      case "scalar":
        return `${binds}scalar ${allowed}`;
    }
  });
  const { type } = ptr;
  const encoding = RankedTensorType.is(type) ? distributedParams(type.params.encoding) : undefined;
  const perThread = encoding && RankedTensorType.is(type) ? getTotalElemsPerThread(encoding, type.params.shape) : undefined;
  const instructions =
    perThread === undefined
      ? ""
      : `; a thread has ${perThread} element${perThread === 1 ? "" : "s"}, so ${Math.ceil(perThread / elements)} instruction${perThread > elements ? "s" : ""}`;
  return `min(${terms.join(", ")}) = ${elements} element${elements === 1 ? "" : "s"} = ${bits} bits${instructions} (* binds)`;
}

/** `ld.global.v4.b32`: how an access is cut into words. */
function words({ bits, elementBits }: AccessWidth): { readonly numWords: number; readonly wordBits: number } {
  const wordBits = Math.min(bits, Math.max(32, elementBits));
  return { wordBits, numWords: Math.max(1, bits / wordBits) };
}
const hasLayout = ({ type }: AccessWidth["ptr"]): boolean => !RankedTensorType.is(type) || type.params.encoding !== undefined;
function verb({ op }: AccessWidth): string {
  if (LoadOp.is(op)) return "reads";
  if (StoreOp.is(op)) return "writes";
  return AsyncCopyGlobalToLocalOp.is(op) ? "copies" : "updates";
}

/** The limits that let through no more than is accessed, where that is less than the tensor and the hardware would allow. */
function holdingBack({ limits, elements, ptr, dim, elementBits }: AccessWidth): AccessLimit[] {
  const most = Math.trunc(128 / elementBits);
  if (elements >= most) return [];
  const least = limits.filter((limit) => limit.elements <= elements);
  const width = RankedTensorType.is(ptr.type) ? ptr.type.params.shape[dim]! : 1;
  if (width <= elements) return [{ by: "scalar", elements: width }];
  const by = (kind: AccessLimit["by"]) => least.some((limit) => limit.by === kind);
  // Addresses that are not contiguous each count as the first of a run; a layout follows from the addresses.
  return least.filter(({ by: kind }) => {
    if (kind === "divisibility") return !by("contiguity");
    if (kind === "layout") return !by("contiguity") && !by("divisibility") && !by("mask");
    return true;
  });
}

function limitWords(
  limit: AccessLimit,
  width: AccessWidth,
  axes: ModuleAxisInfo,
  refs: RemarkRefs,
  losses: (readonly AxisShortage[])[],
): string {
  const { op, ptr, mask, dim, elementBits } = width;
  const shape = RankedTensorType.is(ptr.type) ? ptr.type.params.shape : [1];
  const wanted = Math.min(Math.trunc(128 / elementBits), shape[dim]!);
  const lost = (value: typeof ptr, property: AxisProperty, needed: number): string => {
    const path = findAxisLoss(axes, value, property, dim, needed);
    if (path.length === 0) return `${refs.of(value)} allows no more`;
    losses.push(path);
    return lossWords(path.at(-1)!, axes, refs);
  };
  switch (limit.by) {
    case "contiguity":
      return lost(ptr, "contiguity", wanted);
    case "divisibility":
      return lost(ptr, "divisibility", (wanted * elementBits) / 8);
    case "mask":
      return `its mask ${refs.of(mask!)} is the same only for ${limit.elements === 1 ? "single elements" : `runs of ${limit.elements}`}: ${lost(mask!, "constancy", wanted)}`;
    case "buffer":
      return `its buffer in shared memory is swizzled so that only ${limit.elements} elements lie together`;
    case "instruction":
      return elementBits * limit.elements === 32 && elementBits === 16
        ? "an atomic takes two elements of f16 at once at most"
        : "an atomic takes one element at a time";
    case "scalar":
      return RankedTensorType.is(ptr.type)
        ? `the tensor has only ${limit.elements} element${limit.elements === 1 ? "" : "s"} along dimension ${dim}`
        : "it is one scalar";
    case "layout": {
      const threads = (maybeLookupNumWarps(op) ?? 1) * getThreadsPerWarp(enclosingModule(op));
      const total = numElements(shape);
      if (total / threads < wanted) return `the tensor has only ${total} elements for ${threads} threads`;
      return `its layout gives a thread only ${limit.elements} neighbouring element${limit.elements === 1 ? "" : "s"} along dimension ${dim}`;
    }
  }
}
