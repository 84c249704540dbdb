/** The Python texts of the prelude, by the version of Triton and the name of the module. */
import { TRITON_3_6, TRITON_3_7, TRITON_3_8, TRITON_3_9, type TritonVersion } from "../../support/triton-version.js";
import { GLUON_FLOAT2, GLUON_HOPPER_MBARRIER_3_7, GLUON_MBARRIER, GLUON_STANDARD } from "./gluon.js";
import { INDUCTOR_COMPAT, INDUCTOR_HELPERS } from "./inductor.js";
import { RANDOM, RANDOM_3_8 } from "./random.js";
import { STANDARD, STANDARD_3_7, STANDARD_3_8, STANDARD_3_9 } from "./standard.js";

const textsWith = (standard: string, random = RANDOM): ReadonlyMap<string, string> =>
  new Map([
    ["triton.language.standard", standard],
    ["triton.language.random", random],
    ["triton.experimental.gluon.language._standard", GLUON_STANDARD],
    ["triton.experimental.gluon.language.nvidia.blackwell.float2", GLUON_FLOAT2],
    ["torch._inductor.runtime.triton_helpers", INDUCTOR_HELPERS],
    ["torch._inductor.runtime.triton_compat", INDUCTOR_COMPAT],
  ]);

/** Names that end in `.py`: what a native module of that name has besides, written in Python. */
const MBARRIER: readonly [string, string] = ["triton.experimental.gluon.language.nvidia.ampere.mbarrier.py", GLUON_MBARRIER];
const HOPPER_MBARRIER: readonly [string, string] = [
  "triton.experimental.gluon.language.nvidia.hopper.mbarrier.py",
  GLUON_HOPPER_MBARRIER_3_7,
];

export const PRELUDES: ReadonlyMap<TritonVersion, ReadonlyMap<string, string>> = new Map([
  [TRITON_3_6, textsWith(STANDARD)],
  [TRITON_3_7, new Map([...textsWith(STANDARD_3_7), MBARRIER, HOPPER_MBARRIER])],
  [TRITON_3_8, new Map([...textsWith(STANDARD_3_8, RANDOM_3_8), MBARRIER])],
  [TRITON_3_9, new Map([...textsWith(STANDARD_3_9, RANDOM_3_8), MBARRIER])],
]);
