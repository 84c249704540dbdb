/** Enums of the LLVM dialect, as attributes and as keywords. Source: mlir/include/mlir/Dialect/LLVMIR/LLVMEnums.td. */
import { type AttrDef, type Attribute, defineAttr } from "../../../ir/attribute.js";
import type { Context } from "../../../ir/context.js";
import { enumAttr } from "./params.js";

export const LINKAGES = {
  private: 8,
  internal: 7,
  available_externally: 1,
  linkonce: 2,
  weak: 4,
  common: 10,
  appending: 6,
  extern_weak: 9,
  linkonce_odr: 3,
  weak_odr: 5,
  external: 0,
} as const;
export const LinkageAttr = enumAttr("llvm.linkage", LINKAGES);

export const CALLING_CONVENTIONS = {
  ccc: 0,
  fastcc: 8,
  coldcc: 9,
  cc_10: 10,
  cc_11: 11,
  anyregcc: 13,
  preserve_mostcc: 14,
  preserve_allcc: 15,
  swiftcc: 16,
  cxx_fast_tlscc: 17,
  tailcc: 18,
  cfguard_checkcc: 19,
  swifttailcc: 20,
  x86_stdcallcc: 64,
  x86_fastcallcc: 65,
  arm_apcscc: 66,
  arm_aapcscc: 67,
  arm_aapcs_vfpcc: 68,
  msp430_intrcc: 69,
  x86_thiscallcc: 70,
  ptx_kernelcc: 71,
  ptx_devicecc: 72,
  spir_funccc: 75,
  spir_kernelcc: 76,
  intel_ocl_bicc: 77,
  x86_64_sysvcc: 78,
  win64cc: 79,
  x86_vectorcallcc: 80,
  hhvmcc: 81,
  hhvm_ccc: 82,
  x86_intrcc: 83,
  avr_intrcc: 84,
  avr_builtincc: 86,
  amdgpu_vscc: 87,
  amdgpu_gscc: 88,
  amdgpu_cscc: 90,
  amdgpu_kernelcc: 91,
  x86_regcallcc: 92,
  amdgpu_hscc: 93,
  msp430_builtincc: 94,
  amdgpu_lscc: 95,
  amdgpu_escc: 96,
  aarch64_vectorcallcc: 97,
  aarch64_sve_vectorcallcc: 98,
  wasm_emscripten_invokecc: 99,
  amdgpu_gfxcc: 100,
  m68k_intrcc: 101,
} as const;
export const CConvAttr = enumAttr("llvm.cconv", CALLING_CONVENTIONS);

export const TAIL_CALL_KINDS = { none: 0, notail: 3, musttail: 2, tail: 1 } as const;
export const TailCallKindAttr = enumAttr("llvm.tailcallkind", TAIL_CALL_KINDS);
export const COMDATS = { any: 0, exactmatch: 1, largest: 2, nodeduplicate: 3, samesize: 4 } as const;
export const ComdatAttr = enumAttr("llvm.comdat", COMDATS, { bare: true });
export const FramePointerKindAttr = enumAttr("llvm.framePointerKind", { none: 0, "non-leaf": 1, all: 2, reserved: 3 });
export const UWTableKindAttr = enumAttr("llvm.uwtableKind", { none: 0, sync: 1, async: 2 });

/** Kept as 64-bit integers, spelt as keywords. */
export const ATOMIC_ORDERINGS = { not_atomic: 0, unordered: 1, monotonic: 2, acquire: 4, release: 5, acq_rel: 6, seq_cst: 7 } as const;
export const ATOMIC_BIN_OPS = {
  xchg: 0,
  add: 1,
  sub: 2,
  _and: 3,
  nand: 4,
  _or: 5,
  _xor: 6,
  max: 7,
  min: 8,
  umax: 9,
  umin: 10,
  fadd: 11,
  fsub: 12,
  fmax: 13,
  fmin: 14,
  uinc_wrap: 15,
  udec_wrap: 16,
  usub_cond: 17,
  usub_sat: 18,
  fmaximum: 19,
  fminimum: 20,
} as const;
export const ICMP_PREDICATES = { eq: 0, ne: 1, slt: 2, sle: 3, sgt: 4, sge: 5, ult: 6, ule: 7, ugt: 8, uge: 9 } as const;
export const FCMP_PREDICATES = {
  _false: 0,
  oeq: 1,
  ogt: 2,
  oge: 3,
  olt: 4,
  ole: 5,
  one: 6,
  ord: 7,
  ueq: 8,
  ugt: 9,
  uge: 10,
  ult: 11,
  ule: 12,
  une: 13,
  uno: 14,
  _true: 15,
} as const;
/** The default of both has no keyword. */
export const UNNAMED_ADDRS = { "": 0, local_unnamed_addr: 1, unnamed_addr: 2 } as const;
export const VISIBILITIES = { "": 0, hidden: 1, protected: 2 } as const;

// --- flags -----------------------------------------------------------------------------------

/** The bits of a set of flags; `names` are in printing order, `all` names them together. */
function flagsAttr(
  name: string,
  names: Readonly<Record<string, number>>,
  all?: readonly [string, number],
): AttrDef<{ readonly bits: number }> {
  return defineAttr<{ readonly bits: number }>(name, {
    parse(p) {
      p.punct("<");
      let bits = 0;
      do {
        const at = p.pos;
        const keyword = p.anyKeyword("flag");
        const bit = keyword === "none" ? 0 : keyword === all?.[0] ? all[1] : names[keyword];
        if (bit === undefined) return p.fail(`unknown flag '${keyword}'`, at, "parse.enum");
        bits |= bit;
      } while (p.optPunct(","));
      p.punct(">");
      return { bits };
    },
    print: ({ bits }) => `<${flagText(bits, names, all)}>`,
  });
}
function flagText(bits: number, names: Readonly<Record<string, number>>, all?: readonly [string, number]): string {
  if (bits === 0) return "none";
  if (bits === all?.[1]) return all[0];
  const set: string[] = [];
  for (const [name, bit] of Object.entries(names)) if (bits & bit) set.push(name);
  return set.join(", ");
}

export const FASTMATH_BITS = { nnan: 1, ninf: 2, nsz: 4, arcp: 8, contract: 16, afn: 32, reassoc: 64 } as const;
export const FastmathFlagsAttr = flagsAttr("llvm.fastmath", FASTMATH_BITS, ["fast", 127]);
export const OVERFLOW_BITS = { nsw: 1, nuw: 2 } as const;
export const IntegerOverflowFlagsAttr = flagsAttr("llvm.overflow", OVERFLOW_BITS);

export const noFastmath = (ctx: Context): Attribute => FastmathFlagsAttr.get(ctx, { bits: 0 });
export const noOverflow = (ctx: Context): Attribute => IntegerOverflowFlagsAttr.get(ctx, { bits: 0 });
