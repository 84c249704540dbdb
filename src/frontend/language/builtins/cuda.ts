/** Functions that only NVIDIA GPUs have. Source: third_party/nvidia/language/cuda. */
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { convertCustomFloat8 } from "../semantic/cast.js";
import type { AsmText } from "../semantic/emit.js";
import { inlineAsm } from "../semantic/inline-asm.js";
import { type Dtype, INT32, INT64 } from "../types.js";
import { constexpr } from "../values.js";
import { scalarTypeArgument, self } from "./arguments.js";

const register = (name: string, text: AsmText, type: Dtype) => defineBuiltin(name, {}, (s) => inlineAsm(s, text, [], [type])[0]!);
/** An instruction without a result: it is given one, as the op must have one. */
const instruction = (name: string, asm: string) =>
  defineBuiltin(name, {}, (s) => {
    inlineAsm(s, { asm, constraints: "=r", isPure: false, pack: 1 }, [], [INT32]);
    return null;
  });
const convert = (name: string) =>
  defineBuiltin(name, { arg: REQUIRED, dst_ty: REQUIRED, fp_downcast_rounding: null }, (s, a) =>
    convertCustomFloat8(s, self(a.arg), scalarTypeArgument(a.dst_ty)),
  );

export const CUDA: readonly BuiltinDef[] = [
  register("globaltimer", { asm: "mov.u64 $0, %globaltimer;", constraints: "=l", isPure: false, pack: 1 }, INT64),
  register("smid", { asm: "mov.u32 $0, %smid;", constraints: "=r", isPure: true, pack: 1 }, INT32),
  defineBuiltin("num_threads", {}, (s) => constexpr(BigInt(s.options.numWarps * 32))),
  defineBuiltin("num_warps", {}, (s) => constexpr(BigInt(s.options.numWarps))),
  convert("convert_custom_float8_sm70"),
  convert("convert_custom_float8_sm80"),
  instruction("gdc_wait", "griddepcontrol.wait; // dummy $0"),
  instruction("gdc_launch_dependents", "griddepcontrol.launch_dependents; // dummy $0"),
];
