/** Layouts of buffers in tensor memory. Source: python/triton/experimental/gluon/language/nvidia/blackwell. */
import { check } from "../../language/errors.js";
import { pyTruth } from "../../language/python-text.js";
import type { PyValue } from "../../language/values.js";
import { defineLayout, int, ints, itemsOf, REQUIRED } from "./define-layout.js";

const module = "triton.experimental.gluon.language.nvidia.blackwell";

const splitOf = (value: PyValue | undefined): number[] => (value === null || value === undefined ? [1, 1] : ints(value));
const splitText = (value: PyValue | undefined): string => (value === null || value === undefined ? "" : `CS${ints(value).join("x")}`);
const checkSplit = (value: PyValue | undefined): void =>
  check(value === null || itemsOf(value).length === 2, "cta_split_num must be two numbers");

export const TENSOR_MEMORY = defineLayout(
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

export const TENSOR_MEMORY_SCALES = defineLayout(
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
