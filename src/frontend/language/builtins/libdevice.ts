/**
 * Device functions of NVIDIA's and AMD's libraries: the symbol of each function by the dtypes of its arguments.
 * Source: third_party/nvidia/language/cuda/libdevice.py, third_party/amd/language/hip/libdevice.py.
 */
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { raise } from "../errors.js";
import { cast } from "../semantic/cast.js";
import { type ExternVariant, externElementwise } from "../semantic/inline-asm.js";
import type { Semantic } from "../semantic.js";
import { type Dtype, FLOAT32, FLOAT64, INT1, INT32, INT64, UINT32, UINT64 } from "../types.js";
import type { PyValue } from "../values.js";

/** Variants of each function as `argument dtypes:symbol:result`; symbols go with `__nv_` before them. `bool` is an int made one. */
export const LIBDEVICE_VARIANTS: Readonly<Record<string, string>> = {
  clz: "i32:clz:i32 i64:clzll:i32",
  popc: "i32:popc:i32 i64:popcll:i32",
  byte_perm: "i32,i32,i32:byte_perm:i32",
  mulhi: "i32,i32:mulhi:i32 u32,u32:umulhi:u32 i64,i64:mul64hi:i64 u64,u64:umul64hi:u64",
  mul24: "i32,i32:mul24:i32 u32,u32:umul24:u32",
  brev: "i32:brev:i32 i64:brevll:i64",
  sad: "i32,i32,u32:sad:i32 u32,u32,u32:usad:u32",
  abs: "i32:abs:i32 i64:llabs:i64 f32:fabsf:f32 f64:fabs:f64",
  floor: "f32:floorf:f32 f64:floor:f64",
  rcp64h: "f64:rcp64h:f64",
  rsqrt: "f32:rsqrtf:f32 f64:rsqrt:f64",
  ceil: "f64:ceil:f64 f32:ceilf:f32",
  trunc: "f64:trunc:f64 f32:truncf:f32",
  exp2: "f32:exp2f:f32 f64:exp2:f64",
  saturatef: "f32:saturatef:f32",
  fma_rn: "f32,f32,f32:fmaf_rn:f32 f64,f64,f64:fma_rn:f64",
  fma_rz: "f32,f32,f32:fmaf_rz:f32 f64,f64,f64:fma_rz:f64",
  fma_rd: "f32,f32,f32:fmaf_rd:f32 f64,f64,f64:fma_rd:f64",
  fma_ru: "f32,f32,f32:fmaf_ru:f32 f64,f64,f64:fma_ru:f64",
  fast_dividef: "f32,f32:fast_fdividef:f32",
  div_rn: "f32,f32:fdiv_rn:f32 f64,f64:ddiv_rn:f64",
  div_rz: "f32,f32:fdiv_rz:f32 f64,f64:ddiv_rz:f64",
  div_rd: "f32,f32:fdiv_rd:f32 f64,f64:ddiv_rd:f64",
  div_ru: "f32,f32:fdiv_ru:f32 f64,f64:ddiv_ru:f64",
  rcp_rn: "f32:frcp_rn:f32 f64:drcp_rn:f64",
  rcp_rz: "f32:frcp_rz:f32 f64:drcp_rz:f64",
  rcp_rd: "f32:frcp_rd:f32 f64:drcp_rd:f64",
  rcp_ru: "f32:frcp_ru:f32 f64:drcp_ru:f64",
  sqrt_rn: "f32:fsqrt_rn:f32 f64:dsqrt_rn:f64",
  sqrt_rz: "f32:fsqrt_rz:f32 f64:dsqrt_rz:f64",
  sqrt_rd: "f32:fsqrt_rd:f32 f64:dsqrt_rd:f64",
  sqrt_ru: "f32:fsqrt_ru:f32 f64:dsqrt_ru:f64",
  sqrt: "f32:sqrtf:f32 f64:sqrt:f64",
  add_rn: "f64,f64:dadd_rn:f64 f32,f32:fadd_rn:f32",
  add_rz: "f64,f64:dadd_rz:f64 f32,f32:fadd_rz:f32",
  add_rd: "f64,f64:dadd_rd:f64 f32,f32:fadd_rd:f32",
  add_ru: "f64,f64:dadd_ru:f64 f32,f32:fadd_ru:f32",
  mul_rn: "f64,f64:dmul_rn:f64 f32,f32:fmul_rn:f32",
  mul_rz: "f64,f64:dmul_rz:f64 f32,f32:fmul_rz:f32",
  mul_rd: "f64,f64:dmul_rd:f64 f32,f32:fmul_rd:f32",
  mul_ru: "f64,f64:dmul_ru:f64 f32,f32:fmul_ru:f32",
  double2float_rn: "f64:double2float_rn:f32",
  double2float_rz: "f64:double2float_rz:f32",
  double2float_rd: "f64:double2float_rd:f32",
  double2float_ru: "f64:double2float_ru:f32",
  double2int_rn: "f64:double2int_rn:i32",
  double2int_rz: "f64:double2int_rz:i32",
  double2int_rd: "f64:double2int_rd:i32",
  double2int_ru: "f64:double2int_ru:i32",
  double2uint_rn: "f64:double2uint_rn:i32",
  double2uint_rz: "f64:double2uint_rz:i32",
  double2uint_rd: "f64:double2uint_rd:i32",
  double2uint_ru: "f64:double2uint_ru:i32",
  int2double_rn: "i32:int2double_rn:f64",
  uint2double_rn: "u32:uint2double_rn:f64",
  float2int_rn: "f32:float2int_rn:i32",
  float2int_rz: "f32:float2int_rz:i32",
  float2int_rd: "f32:float2int_rd:i32",
  float2int_ru: "f32:float2int_ru:i32",
  float2uint_rn: "f32:float2uint_rn:i32",
  float2uint_rz: "f32:float2uint_rz:i32",
  float2uint_rd: "f32:float2uint_rd:i32",
  float2uint_ru: "f32:float2uint_ru:i32",
  int2float_rn: "i32:int2float_rn:f32",
  int2float_rz: "i32:int2float_rz:f32",
  int2float_rd: "i32:int2float_rd:f32",
  int2float_ru: "i32:int2float_ru:f32",
  uint2float_rn: "u32:uint2float_rn:f32",
  uint2float_rz: "u32:uint2float_rz:f32",
  uint2float_rd: "u32:uint2float_rd:f32",
  uint2float_ru: "u32:uint2float_ru:f32",
  hiloint2double: "i32,i32:hiloint2double:f64",
  double2loint: "f64:double2loint:i32",
  double2hiint: "f64:double2hiint:i32",
  float2ll_rn: "f32:float2ll_rn:i64",
  float2ll_rz: "f32:float2ll_rz:i64",
  float2ll_rd: "f32:float2ll_rd:i64",
  float2ll_ru: "f32:float2ll_ru:i64",
  float2ull_rn: "f32:float2ull_rn:i64",
  float2ull_rz: "f32:float2ull_rz:i64",
  float2ull_rd: "f32:float2ull_rd:i64",
  float2ull_ru: "f32:float2ull_ru:i64",
  double2ll_rn: "f64:double2ll_rn:i64",
  double2ll_rz: "f64:double2ll_rz:i64",
  double2ll_rd: "f64:double2ll_rd:i64",
  double2ll_ru: "f64:double2ll_ru:i64",
  double2ull_rn: "f64:double2ull_rn:i64",
  double2ull_rz: "f64:double2ull_rz:i64",
  double2ull_rd: "f64:double2ull_rd:i64",
  double2ull_ru: "f64:double2ull_ru:i64",
  ll2float_rn: "i64:ll2float_rn:f32",
  ll2float_rz: "i64:ll2float_rz:f32",
  ll2float_rd: "i64:ll2float_rd:f32",
  ll2float_ru: "i64:ll2float_ru:f32",
  ull2float_rn: "u64:ull2float_rn:f32",
  ull2float_rz: "u64:ull2float_rz:f32",
  ull2float_rd: "u64:ull2float_rd:f32",
  ull2float_ru: "u64:ull2float_ru:f32",
  ll2double_rn: "i64:ll2double_rn:f64",
  ll2double_rz: "i64:ll2double_rz:f64",
  ll2double_rd: "i64:ll2double_rd:f64",
  ll2double_ru: "i64:ll2double_ru:f64",
  ull2double_rn: "u64:ull2double_rn:f64",
  ull2double_rz: "u64:ull2double_rz:f64",
  ull2double_rd: "u64:ull2double_rd:f64",
  ull2double_ru: "u64:ull2double_ru:f64",
  int_as_float: "i32:int_as_float:f32",
  float_as_int: "f32:float_as_int:i32",
  uint_as_float: "u32:uint_as_float:f32",
  float_as_uint: "f32:float_as_uint:i32",
  longlong_as_double: "i64:longlong_as_double:f64",
  double_as_longlong: "f64:double_as_longlong:i64",
  fast_sinf: "f32:fast_sinf:f32",
  fast_cosf: "f32:fast_cosf:f32",
  fast_log2f: "f32:fast_log2f:f32",
  fast_logf: "f32:fast_logf:f32",
  fast_expf: "f32:fast_expf:f32",
  fast_tanf: "f32:fast_tanf:f32",
  fast_exp10f: "f32:fast_exp10f:f32",
  fast_log10f: "f32:fast_log10f:f32",
  fast_powf: "f32,f32:fast_powf:f32",
  hadd: "i32,i32:hadd:i32 u32,u32:uhadd:u32",
  rhadd: "i32,i32:rhadd:i32 u32,u32:urhadd:u32",
  sub_rn: "f32,f32:fsub_rn:f32 f64,f64:dsub_rn:f64",
  sub_rz: "f32,f32:fsub_rz:f32 f64,f64:dsub_rz:f64",
  sub_rd: "f32,f32:fsub_rd:f32 f64,f64:dsub_rd:f64",
  sub_ru: "f32,f32:fsub_ru:f32 f64,f64:dsub_ru:f64",
  rsqrt_rn: "f32:frsqrt_rn:f32",
  ffs: "i32:ffs:i32 i64:ffsll:i32",
  rint: "f32:rintf:f32 f64:rint:f64",
  llrint: "f32:llrintf:i64 f64:llrint:i64",
  nearbyint: "f32:nearbyintf:f32 f64:nearbyint:f64",
  isnan: "f32:isnanf:bool f64:isnand:bool",
  signbit: "f32:signbitf:i32 f64:signbitd:i32",
  copysign: "f32,f32:copysignf:f32 f64,f64:copysign:f64",
  finitef: "f32:finitef:bool",
  isinf: "f32:isinff:bool f64:isinfd:bool",
  nextafter: "f32,f32:nextafterf:f32 f64,f64:nextafter:f64",
  sin: "f32:sinf:f32 f64:sin:f64",
  cos: "f32:cosf:f32 f64:cos:f64",
  sinpi: "f32:sinpif:f32 f64:sinpi:f64",
  cospi: "f32:cospif:f32 f64:cospi:f64",
  tan: "f32:tanf:f32 f64:tan:f64",
  log2: "f32:log2f:f32 f64:log2:f64",
  exp: "f32:expf:f32 f64:exp:f64",
  exp10: "f32:exp10f:f32 f64:exp10:f64",
  cosh: "f32:coshf:f32 f64:cosh:f64",
  sinh: "f32:sinhf:f32 f64:sinh:f64",
  tanh: "f32:tanhf:f32 f64:tanh:f64",
  atan2: "f32,f32:atan2f:f32 f64,f64:atan2:f64",
  atan: "f32:atanf:f32 f64:atan:f64",
  asin: "f32:asinf:f32 f64:asin:f64",
  acos: "f32:acosf:f32 f64:acos:f64",
  log: "f32:logf:f32 f64:log:f64",
  log10: "f32:log10f:f32 f64:log10:f64",
  log1p: "f32:log1pf:f32 f64:log1p:f64",
  acosh: "f32:acoshf:f32 f64:acosh:f64",
  asinh: "f32:asinhf:f32 f64:asinh:f64",
  atanh: "f32:atanhf:f32 f64:atanh:f64",
  expm1: "f32:expm1f:f32 f64:expm1:f64",
  hypot: "f32,f32:hypotf:f32 f64,f64:hypot:f64",
  rhypot: "f32,f32:rhypotf:f32 f64,f64:rhypot:f64",
  norm3d: "f32,f32,f32:norm3df:f32 f64,f64,f64:norm3d:f64",
  rnorm3d: "f32,f32,f32:rnorm3df:f32 f64,f64,f64:rnorm3d:f64",
  norm4d: "f32,f32,f32,f32:norm4df:f32 f64,f64,f64,f64:norm4d:f64",
  rnorm4d: "f32,f32,f32,f32:rnorm4df:f32 f64,f64,f64,f64:rnorm4d:f64",
  cbrt: "f32:cbrtf:f32 f64:cbrt:f64",
  rcbrt: "f32:rcbrtf:f32 f64:rcbrt:f64",
  j0: "f32:j0f:f32 f64:j0:f64",
  j1: "f32:j1f:f32 f64:j1:f64",
  y0: "f32:y0f:f32 f64:y0:f64",
  y1: "f32:y1f:f32 f64:y1:f64",
  yn: "i32,f32:ynf:f32 i32,f64:yn:f64",
  jn: "i32,f32:jnf:f32 i32,f64:jn:f64",
  cyl_bessel_i0: "f32:cyl_bessel_i0f:f32 f64:cyl_bessel_i0:f64",
  cyl_bessel_i1: "f32:cyl_bessel_i1f:f32 f64:cyl_bessel_i1:f64",
  erf: "f32:erff:f32 f64:erf:f64",
  erfinv: "f32:erfinvf:f32 f64:erfinv:f64",
  erfc: "f32:erfcf:f32 f64:erfc:f64",
  erfcx: "f32:erfcxf:f32 f64:erfcx:f64",
  erfcinv: "f32:erfcinvf:f32 f64:erfcinv:f64",
  normcdfinv: "f32:normcdfinvf:f32 f64:normcdfinv:f64",
  normcdf: "f32:normcdff:f32 f64:normcdf:f64",
  lgamma: "f32:lgammaf:f32 f64:lgamma:f64",
  ldexp: "f32,i32:ldexpf:f32 f64,i32:ldexp:f64",
  scalbn: "f32,i32:scalbnf:f32 f64,i32:scalbn:f64",
  fmod: "f32,f32:fmodf:f32 f64,f64:fmod:f64",
  remainder: "f32,f32:remainderf:f32 f64,f64:remainder:f64",
  fma: "f32,f32,f32:fmaf:f32 f64,f64,f64:fma:f64",
  pow: "f32,i32:powif:f32 f64,i32:powi:f64 f32,f32:powf:f32 f64,f64:pow:f64",
  tgamma: "f32:tgammaf:f32 f64:tgamma:f64",
  round: "f32:roundf:f32 f64:round:f64",
  llround: "f32:llroundf:i64 f64:llround:i64",
  fdim: "f32,f32:fdimf:f32 f64,f64:fdim:f64",
  ilogb: "f32:ilogbf:i32 f64:ilogb:i32",
  logb: "f32:logbf:f32 f64:logb:f64",
  isfinited: "f64:isfinited:bool",
};

const DTYPES_BY_LETTER: Readonly<Record<string, Dtype>> = {
  i32: INT32,
  i64: INT64,
  u32: UINT32,
  u64: UINT64,
  f32: FLOAT32,
  f64: FLOAT64,
  bool: INT32,
};
function variantOf(prefix: string, text: string): ExternVariant {
  const [args, symbol, result] = text.split(":") as [string, string, string];
  return {
    args: args.split(",").map((letter) => DTYPES_BY_LETTER[letter]!),
    symbol: `${prefix}${symbol}`,
    result: DTYPES_BY_LETTER[result]!,
  };
}

/** Parameters by their number. */
const PARAMS = [1, 2, 3, 4].map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`arg${i}`, REQUIRED] as const)));

/** The functions of ROCm's library that take f32 or f64 and return the same, by their number of arguments. */
const OCML_FUNCTIONS: readonly (readonly string[])[] = [
  `floor rsqrt ceil trunc exp2 exp sqrt nearbyint sin cos tan log2 cosh sinh tanh atan asin acos log log10 log1p acosh asinh atanh
   expm1 j0 j1 y0 y1 erf erfinv erfc erfcx lgamma round`.split(/\s+/),
  "copysign nextafter atan2 hypot fmod".split(" "),
  ["fma"],
];
const ocml = (symbol: string, args: readonly string[], result?: string): string =>
  ["f32", "f64"]
    .map((type) => `${args.map((arg) => (arg === "f" ? type : arg)).join()}:__ocml_${symbol}_${type}:${result ?? type}`)
    .join(" ");
/** As `LIBDEVICE_VARIANTS`, of AMD's library; symbols are whole. */
const HIP_VARIANTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    OCML_FUNCTIONS.flatMap((names, i) =>
      names.map((name) => [
        name,
        ocml(
          name,
          Array.from({ length: i + 1 }, () => "f"),
        ),
      ]),
    ),
  ),
  abs: "i32:__triton_hip_iabs:i32 i64:__triton_hip_iabs:i64 f32:__triton_hip_fabs:f32 f64:__triton_hip_fabs:f64",
  fast_expf: "f32:__triton_hip_fast_expf:f32",
  fast_tanhf: "f32:__triton_hip_fast_tanhf:f32",
  fast_dividef: "f32,f32:__triton_hip_fast_fdividef:f32",
  llrint: "f32:__triton_hip_llrint:i64 f64:__triton_hip_llrint:i64",
  isnan: ocml("isnan", ["f"], "bool"),
  signbit: ocml("signbit", ["f"], "bool"),
  isinf: ocml("isinf", ["f"], "bool"),
  cyl_bessel_i0: ocml("i0", ["f"]),
  cyl_bessel_i1: ocml("i1", ["f"]),
  ldexp: ocml("ldexp", ["f", "i32"]),
  pow: `${ocml("pown", ["f", "i32"])} ${ocml("pow", ["f", "f"])}`,
  ilogb: ocml("ilogb", ["f"], "i32"),
};

/** A function of one of the libraries by its variants. */
function callVariant(s: Semantic, args: readonly PyValue[], prefix: string, text: string): PyValue {
  const variants = text.split(" ").map((variant) => variantOf(prefix, variant));
  const result = externElementwise(s, { name: "", path: "", isPure: true }, args, variants);
  return text.endsWith(":bool") ? cast(s, result, INT1) : result;
}
function libraryOf(table: Readonly<Record<string, string>>, call: (s: Semantic, args: readonly PyValue[], name: string) => PyValue) {
  return Object.entries(table).map(([name, text]): BuiltinDef => {
    const numArgs = text.slice(0, text.indexOf(":")).split(",").length;
    return defineBuiltin(name, PARAMS[numArgs - 1]!, (s, a) => call(s, Object.values(a) as PyValue[], name));
  });
}
const callCuda = (s: Semantic, args: readonly PyValue[], name: string) => callVariant(s, args, "__nv_", LIBDEVICE_VARIANTS[name]!);
const callHip = (s: Semantic, args: readonly PyValue[], name: string) => callVariant(s, args, "", HIP_VARIANTS[name]!);

/** `triton.language.extra.cuda.libdevice` */
export const CUDA_LIBDEVICE: readonly BuiltinDef[] = libraryOf(LIBDEVICE_VARIANTS, callCuda);
/** `triton.language.extra.hip.libdevice` */
export const HIP_LIBDEVICE: readonly BuiltinDef[] = libraryOf(HIP_VARIANTS, callHip);
/** `triton.language.extra.libdevice`: that of the target. */
export const LIBDEVICE: readonly BuiltinDef[] = libraryOf(LIBDEVICE_VARIANTS, (s, args, name) => {
  if (s.options.gpu.backend === "cuda") return callCuda(s, args, name);
  if (name in HIP_VARIANTS) return callHip(s, args, name);
  return raise("AttributeError", `module 'triton.language.extra.hip.libdevice' has no attribute '${name}'`);
});
