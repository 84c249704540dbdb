/** Layouts of buffers in tensor memory. Source: python/triton/experimental/gluon/language/nvidia/blackwell. */

import { getCTASplitNum } from "../../../layout/encodings/cga.js";
import type { TritonVersion } from "../../../support/triton-version.js";
import { check } from "../../language/errors.js";
import { pyTruth } from "../../language/python-text.js";
import type { PyValue } from "../../language/values.js";
import {
  cgaOf,
  checkRank,
  defineLayout,
  type Fields,
  int,
  ints,
  isEmpty,
  itemsOf,
  joinedBases,
  type LayoutClass,
  list,
  REQUIRED,
} from "./define-layout.js";

const module = "triton.experimental.gluon.language.nvidia.blackwell";

const splitOf = (value: PyValue | undefined): number[] => (value === null || value === undefined ? [1, 1] : ints(value));
const splitText = (value: PyValue | undefined): string => (value === null || value === undefined ? "" : `CS${ints(value).join("x")}`);
const checkSplit = (value: PyValue | undefined): void =>
  check(value === null || itemsOf(value).length === 2, "cta_split_num must be two numbers");

const SPLIT = defineLayout(
  "TensorMemoryLayout",
  { block: REQUIRED, col_stride: REQUIRED, cta_split_num: null, two_ctas: false },
  {
    base: undefined,
    module,
    check(f) {
      check(itemsOf(f.get("block")).length === 2, "block must be the rows and columns of a block");
      checkSplit(f.get("cta_split_num"));
      check(Number.isInteger(Math.log2(int(f.get("col_stride")))), "tensor memory col_stride must be a power of two");
      return undefined;
    },
    rank: () => undefined,
    mangle: (f) =>
      `TL${ints(f.get("block")).join("x")}C${int(f.get("col_stride"))}${splitText(f.get("cta_split_num"))}${pyTruth(f.get("two_ctas")!) ? "2CT" : ""}TL`,
    encoding(f) {
      const [blockM = 0, blockN = 0] = ints(f.get("block"));
      const [CTASplitM = 1, CTASplitN = 1] = splitOf(f.get("cta_split_num"));
      const [colStride, twoCTAs] = [int(f.get("col_stride")), pyTruth(f.get("two_ctas")!)];
      return { kind: "tensor_memory_encoding", blockM, blockN, colStride, CTASplitM, CTASplitN, twoCTAs };
    },
  },
);

const SPLIT_SCALES = defineLayout(
  "TensorMemoryScalesLayout",
  { cta_split_num: null },
  {
    base: undefined,
    module,
    check(f) {
      checkSplit(f.get("cta_split_num"));
      return undefined;
    },
    rank: () => undefined,
    mangle: (f) => `TLS${splitText(f.get("cta_split_num"))}TLS`,
    encoding(f) {
      const [CTASplitM = 1, CTASplitN = 1] = splitOf(f.get("cta_split_num"));
      return { kind: "tensor_memory_scales_encoding", CTASplitM, CTASplitN };
    },
  },
);

// Since 3.8 the layouts say which CTA has which part.

const EMPTY = list([]);
function checkBases(f: Fields): undefined {
  checkRank("cga_layout", f.get("cga_layout"), 2);
}
function sharingOf(f: Fields) {
  if (isEmpty(f.get("cga_layout"))) return { CTASplitM: 1, CTASplitN: 1 };
  const cga = cgaOf(f.get("cga_layout"), 2);
  const [CTASplitM = 1, CTASplitN = 1] = getCTASplitNum(cga);
  return { CTASplitM, CTASplitN, cga };
}
const BASES = defineLayout(
  "TensorMemoryLayout",
  { block: REQUIRED, col_stride: REQUIRED, cga_layout: EMPTY, two_ctas: false, fp4_padded: false },
  {
    base: undefined,
    module,
    check(f) {
      check(itemsOf(f.get("block")).length === 2, "block must be the rows and columns of a block");
      check(Number.isInteger(Math.log2(int(f.get("col_stride")))), "tensor memory col_stride must be a power of two");
      return checkBases(f);
    },
    rank: () => undefined,
    mangle(f) {
      const flags = `${pyTruth(f.get("two_ctas")!) ? "2CT" : ""}${pyTruth(f.get("fp4_padded")!) ? "FP4P" : ""}`;
      return `TL${ints(f.get("block")).join("x")}C${int(f.get("col_stride"))}${joinedBases(f.get("cga_layout"))}${flags}TL`;
    },
    encoding(f) {
      const [blockM = 0, blockN = 0] = ints(f.get("block"));
      const [colStride, twoCTAs] = [int(f.get("col_stride")), pyTruth(f.get("two_ctas")!)];
      const fp4Padded = pyTruth(f.get("fp4_padded")!);
      return { kind: "tensor_memory_encoding", blockM, blockN, colStride, ...sharingOf(f), twoCTAs, ...(fp4Padded ? { fp4Padded } : {}) };
    },
  },
);
const BASES_SCALES = defineLayout(
  "TensorMemoryScalesLayout",
  { cga_layout: EMPTY },
  {
    base: undefined,
    module,
    check: checkBases,
    rank: () => undefined,
    mangle: (f) => `TLS${joinedBases(f.get("cga_layout"))}TLS`,
    encoding: (f) => ({ kind: "tensor_memory_scales_encoding", ...sharingOf(f) }),
  },
);

interface TensorMemoryLayouts {
  readonly data: LayoutClass;
  readonly scales: LayoutClass;
}
export const tensorMemoryLayouts = ({ blocksInTmem }: TritonVersion): TensorMemoryLayouts =>
  blocksInTmem ? { data: BASES, scales: BASES_SCALES } : { data: SPLIT, scales: SPLIT_SCALES };
