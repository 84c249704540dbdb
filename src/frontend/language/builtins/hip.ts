/** Functions that only AMD's GPUs have. Source: third_party/amd/language/hip/utils.py. */
import { type BuiltinDef, defineBuiltin } from "../define-builtin.js";
import { inlineAsm } from "../semantic/inline-asm.js";
import { INT64 } from "../types.js";

/** Lines as upstream indents them: the text is part of the IR. */
const lines = (...instructions: readonly string[]): string =>
  `\n${instructions.map((line) => `            ${line}\n`).join("")}            `;
const SINCE_GFX11 = lines("s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)", "s_waitcnt lgkmcnt(0)");
const BEFORE_GFX11 = lines("s_memrealtime $0", "s_waitcnt vmcnt(0)");

export const HIP: readonly BuiltinDef[] = [
  defineBuiltin("memrealtime", {}, (s) => {
    const asm = /gfx1[12]/.test(s.options.gpu.archName) ? SINCE_GFX11 : BEFORE_GFX11;
    return inlineAsm(s, { asm, constraints: "=r", isPure: false, pack: 1 }, [], [INT64])[0]!;
  }),
];
