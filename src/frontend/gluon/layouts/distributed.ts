/** Layouts of tensors in registers. Source: python/triton/experimental/gluon/language/_layouts.py. */
import { AutoEncoding, CoalescedEncoding } from "../../../dialects/gluon/attrs.js";
import { type DistributedParams, isDistributed } from "../../../layout/encoding-params.js";
import { standardOutDimPairs } from "../../../layout/standard-dims.js";
import { check, raise } from "../../language/errors.js";
import { pyStr } from "../../language/python-text.js";
import { isLayout, type Layout, type PyValue } from "../../language/values.js";
import {
  basesList,
  basesOf,
  cgaOf,
  checkRank,
  DISTRIBUTED_LAYOUT,
  defineLayout,
  int,
  ints,
  isEmpty,
  itemsOf,
  joined,
  joinedBases,
  layoutAttribute,
  layoutOf,
  linear,
  list,
  REQUIRED,
} from "./define-layout.js";

const base = DISTRIBUTED_LAYOUT;
const EMPTY = list([]);

export const AUTO = defineLayout(
  "AutoLayout",
  {},
  {
    base,
    rank: () => undefined,
    mangle: () => "AL",
    encoding: () => AutoEncoding,
  },
);
export const COALESCED = defineLayout(
  "CoalescedLayout",
  {},
  {
    base,
    rank: () => undefined,
    mangle: () => "CL",
    encoding: () => CoalescedEncoding,
  },
);
/** Whether a layout is to be chosen by the compiler. */
export const isAuto = (layout: Layout | undefined): boolean => layout?.cls === AUTO;
/** A layout that a pass has still to choose. */
export const isOpen = (layout: Layout | undefined): boolean => isAuto(layout) || layout?.cls === COALESCED;

export const BLOCKED = defineLayout(
  "BlockedLayout",
  { size_per_thread: REQUIRED, threads_per_warp: REQUIRED, warps_per_cta: REQUIRED, order: REQUIRED, cga_layout: EMPTY },
  {
    base,
    check(f) {
      const rank = itemsOf(f.get("size_per_thread")).length;
      for (const name of ["threads_per_warp", "warps_per_cta", "order"]) {
        const { length } = itemsOf(f.get(name));
        check(length === rank, `size_per_thread has ${rank} dimensions, but ${name} has ${length}`);
      }
      return undefined;
    },
    rank: (f) => itemsOf(f.get("order")).length,
    mangle: (f) => {
      const parts = ["size_per_thread", "threads_per_warp", "warps_per_cta", "order"].map((name) => joined(f.get(name)));
      return `B${parts.join("_")}_${joinedBases(f.get("cga_layout"))}B`;
    },
    encoding: (f) => ({
      kind: "blocked",
      sizePerThread: ints(f.get("size_per_thread")),
      threadsPerWarp: ints(f.get("threads_per_warp")),
      warpsPerCTA: ints(f.get("warps_per_cta")),
      order: ints(f.get("order")),
      cga: cgaOf(f.get("cga_layout"), itemsOf(f.get("order")).length),
    }),
  },
);

/** The encoding of a layout that another one is made of. */
function parentParams(parent: PyValue | undefined): DistributedParams {
  const layout = layoutOf(parent);
  const params = layout.encoding();
  return params && isDistributed(params) ? params : raise("RuntimeError", `${layout.text} says nothing of threads`);
}
const cgaLayoutOf = (parent: PyValue | undefined): readonly PyValue[] => {
  const bases = isLayout(parent) ? layoutAttribute(parent, "cga_layout") : undefined;
  return bases === undefined || isEmpty(bases) ? [] : itemsOf(bases);
};

export const SLICE = defineLayout(
  "SliceLayout",
  { dim: REQUIRED, parent: REQUIRED },
  {
    base,
    rank: (f) => {
      const rank = layoutOf(f.get("parent")).rank;
      return rank === undefined ? undefined : rank - 1;
    },
    mangle: (f) => `SL${pyStr(f.get("dim")!)}_${layoutOf(f.get("parent")).mangled}SL`,
    encoding: (f) => ({ kind: "slice", dim: int(f.get("dim")), parent: parentParams(f.get("parent")) }),
    properties: {
      cga_layout: (f) => list(cgaLayoutOf(f.get("parent")).map((basis) => list(itemsOf(basis).filter((_, d) => d !== int(f.get("dim")))))),
    },
  },
);

export const DISTRIBUTED_LINEAR = defineLayout(
  "DistributedLinearLayout",
  { reg_bases: REQUIRED, lane_bases: REQUIRED, warp_bases: REQUIRED, block_bases: REQUIRED, shape: REQUIRED },
  {
    base,
    check(f) {
      const rank = itemsOf(f.get("shape")).length;
      for (const name of LINEAR_FIELDS) checkRank(name, f.get(name), rank);
      return undefined;
    },
    rank: (f) => itemsOf(f.get("shape")).length,
    mangle: (f) => `DLL${[...LINEAR_FIELDS, "shape"].map((name) => pyStr(f.get(name)!)).join("_")}DLL`,
    encoding: (f) => ({
      kind: "linear",
      layout: linear(
        LINEAR_FIELDS.map((name, i) => [["register", "lane", "warp", "block"][i]!, basesOf(f.get(name))] as const),
        standardOutDimPairs(ints(f.get("shape"))),
      ),
    }),
  },
);
const LINEAR_FIELDS = ["reg_bases", "lane_bases", "warp_bases", "block_bases"] as const;

export const DOT_OPERAND = defineLayout(
  "DotOperandLayout",
  { operand_index: REQUIRED, parent: REQUIRED, k_width: REQUIRED },
  {
    base,
    rank: (f) => layoutOf(f.get("parent")).rank,
    mangle: (f) => `DO${pyStr(f.get("operand_index")!)}_${layoutOf(f.get("parent")).mangled}_${pyStr(f.get("k_width")!)}DO`,
    encoding: (f) => ({
      kind: "dot_op",
      opIdx: int(f.get("operand_index")),
      parent: parentParams(f.get("parent")),
      kWidth: int(f.get("k_width")),
    }),
    properties: {
      cga_layout: (f) =>
        basesList(
          cgaLayoutOf(f.get("parent")).map((basis) => {
            const values = ints(basis);
            values[values.length - (int(f.get("operand_index")) === 0 ? 1 : 2)] = 0;
            return values;
          }),
        ),
    },
  },
);

export const NVMMA_DISTRIBUTED = defineLayout(
  "NVMMADistributedLayout",
  { version: REQUIRED, warps_per_cta: REQUIRED, instr_shape: REQUIRED, cga_layout: EMPTY },
  {
    base,
    rank: (f) => itemsOf(f.get("warps_per_cta")).length,
    mangle: (f) =>
      `MMA_${["version", "warps_per_cta", "instr_shape"].map((name) => pyStr(f.get(name)!)).join("_")}_${joinedBases(f.get("cga_layout"))}_MMA`,
    encoding: (f) => {
      const [versionMajor = 0, versionMinor = 0] = ints(f.get("version"));
      const warpsPerCTA = ints(f.get("warps_per_cta"));
      return {
        kind: "nvidia_mma",
        versionMajor,
        versionMinor,
        warpsPerCTA,
        cga: cgaOf(f.get("cga_layout"), warpsPerCTA.length),
        instrShape: ints(f.get("instr_shape")),
      };
    },
  },
);
