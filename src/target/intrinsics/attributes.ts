/**
 * LLVM's declared attributes of intrinsics: those of the function, of its result and of its parameters.
 * Source: llvm/include/llvm/IR/Intrinsics.td, IntrinsicsNVVM.td, IntrinsicsAMDGPU.td.
 */

export interface IntrinsicAttributes {
  /** Attributes of the function: `convergent nocallback nounwind`. */
  readonly function: string;
  /** Before the result type: `noundef range(i32 0, 1024)`. */
  readonly result?: string;
  /** After the type of a parameter, by index. */
  readonly params?: Readonly<Record<number, string>>;
}

const PURE = "nocallback nofree nosync nounwind speculatable willreturn memory(none)";
/** May not be executed where it would not have been, though it reads and writes nothing. */
const NO_SPECULATION = "nocallback nofree nosync nounwind willreturn memory(none)";
const WARP = "convergent nocallback nounwind memory(inaccessiblemem: readwrite)";
const BARRIER = "convergent nocallback nounwind";
const CONVERGENT = "convergent nounwind";

type Rule = readonly [RegExp, IntrinsicAttributes | ((name: string) => IntrinsicAttributes)];
const READS = captured("readonly ", 0);
/** By lanes of a wave together. */
const WAVE = "convergent nocallback nofree nounwind willreturn memory(none)";
const AMDGPU: readonly Rule[] = [
  [/^llvm\.amdgcn\.workitem\.id\./, { function: PURE, result: "noundef range(i32 0, 1024)" }],
  [/^llvm\.amdgcn\.(cluster\.)?(workgroup\.)?id\./, { function: PURE, result: "noundef" }],
  [/^llvm\.amdgcn\.make\.buffer\.rsrc\./, { function: PURE, params: { 0: "readnone" } }],
  [
    /^llvm\.amdgcn\.raw\.ptr\.buffer\.load\.lds$/,
    {
      function: "nocallback nofree nounwind willreturn memory(argmem: readwrite)",
      params: { ...captured("readonly ", 0), ...captured("writeonly ", 1), ...immediates(2, 5, 6) },
    },
  ],
  [
    /^llvm\.amdgcn\.raw\.ptr\.buffer\.load\./,
    { function: "nocallback nofree nosync nounwind willreturn memory(argmem: read)", params: { ...READS, ...immediates(3) } },
  ],
  [
    /^llvm\.amdgcn\.raw\.ptr\.buffer\.store\./,
    {
      function: "nocallback nofree nosync nounwind willreturn memory(argmem: write)",
      params: { ...captured("writeonly ", 1), ...immediates(4) },
    },
  ],
  [/^llvm\.amdgcn\.raw\.ptr\.buffer\.atomic\.cmpswap\./, bufferAtomic(2)],
  [/^llvm\.amdgcn\.raw\.ptr\.buffer\.atomic\./, bufferAtomic(1)],
  [
    /^llvm\.amdgcn\.global\.load\.lds$/,
    { function: "nocallback nofree nounwind willreturn", params: { ...captured("", 0, 1), ...immediates(2, 3, 4) } },
  ],
  [
    /^llvm\.amdgcn\.global\.load\.async\.to\.lds\./,
    {
      function: "nocallback nofree nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)",
      params: { ...READS, ...captured("writeonly ", 1), ...immediates(2, 3) },
    },
  ],
  [
    /^llvm\.amdgcn\.ds\.(read|load)\.tr/,
    { function: "convergent nocallback nofree nounwind willreturn memory(argmem: read)", params: captured("", 0) },
  ],
  [
    /^llvm\.amdgcn\.mfma\.scale\./,
    { function: "convergent nocallback nofree nosync nounwind willreturn memory(none)", params: immediates(3, 4, 5, 7) },
  ],
  [
    /^llvm\.amdgcn\.mfma\./,
    { function: "convergent nocallback nofree nosync nounwind willreturn memory(none)", params: immediates(3, 4, 5) },
  ],
  [/^llvm\.amdgcn\.update\.dpp\./, { function: WAVE, params: immediates(2, 3, 4, 5) }],
  [/^llvm\.amdgcn\.ds\.swizzle$/, { function: WAVE, params: immediates(1) }],
  [/^llvm\.amdgcn\.permlanex16\./, { function: WAVE, params: immediates(4, 5) }],
  [/^llvm\.amdgcn\.permlane(16|32)\.swap$/, { function: WAVE, params: immediates(2, 3) }],
  [/^llvm\.amdgcn\.(readlane|readfirstlane|ballot)\.|^llvm\.amdgcn\.ds\.bpermute$/, { function: WAVE }],
  [/^llvm\.amdgcn\.mbcnt\./, { function: NO_SPECULATION }],
  [/^llvm\.amdgcn\.cvt\.pk\.f32\./, { function: NO_SPECULATION, params: immediates(1) }],
  [/^llvm\.amdgcn\.cvt\.pk\.(fp8|bf8)\.f32$/, { function: NO_SPECULATION, params: immediates(3) }],
  [/^llvm\.amdgcn\.cvt\.scalef32\.pk\.[bf]+\d+\.fp4$/, { function: NO_SPECULATION, params: immediates(2) }],
  [/^llvm\.amdgcn\.cvt\.scalef32\.pk\.(fp8|bf8)\.f32$/, { function: NO_SPECULATION, params: immediates(4) }],
  [/^llvm\.amdgcn\.cvt\.scalef32\.pk\.(fp8|bf8)\./, { function: PURE, params: immediates(3) }],
  [/^llvm\.amdgcn\.cvt\.scalef32\.pk\./, { function: PURE, params: immediates(2) }],
  [/^llvm\.amdgcn\.(fdot2|sdot4)/, { function: PURE, params: immediates(3) }],
  [/^llvm\.amdgcn\.perm$/, { function: "nocallback nofree nounwind speculatable willreturn memory(none)" }],
  [/^llvm\.amdgcn\.(s\.barrier|wave\.barrier)$/, { function: "convergent nocallback nofree nounwind willreturn" }],
  [/^llvm\.amdgcn\.(sched\.|iglp\.opt$)/, { function: "convergent nocallback nofree nounwind willreturn", params: immediates(0, 1, 2) }],
  [/^llvm\.amdgcn\.s\.waitcnt$/, { function: "nocallback nofree nounwind willreturn", params: immediates(0) }],
  [
    /^llvm\.amdgcn\.s\.wait\./,
    { function: "nocallback nofree nounwind willreturn memory(inaccessiblemem: readwrite)", params: immediates(0) },
  ],
  [/^llvm\.amdgcn\.s\.(setprio|sleep|setreg)$/, { function: "nocallback nofree nosync nounwind willreturn", params: immediates(0) }],
  // A library's function has the attributes of its definition.
  [/^__/, { function: "" }],
];

const RULES: readonly Rule[] = [
  [/^llvm\.nvvm\.read\.ptx\.sreg\./, specialRegister],
  [/^llvm\.nvvm\.(bar\.warp\.sync|barrier\.cta\.|barrier0|barrier\.n|barrier\.sync|barrier$)/, { function: BARRIER }],
  [/^llvm\.nvvm\.barrier\.cluster\./, { function: "convergent nocallback nounwind" }],
  [/^llvm\.nvvm\.(shfl|vote|match|redux|activemask)/, { function: WARP }],
  [/^llvm\.nvvm\.elect\.sync/, { function: "convergent nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)" }],
  [/^llvm\.nvvm\.ldmatrix\./, { function: "nocallback nounwind memory(argmem: read)", params: { 0: "readonly captures(none)" } }],
  [/^llvm\.nvvm\.stmatrix\./, { function: "nocallback nounwind memory(argmem: write)", params: { 0: "writeonly captures(none)" } }],
  [/^llvm\.nvvm\.cp\.async\.(bulk\.)?wait\.group/, { function: "nounwind", params: { 0: "immarg" } }],
  [/^llvm\.nvvm\.cp\.async\.(bulk\.)?commit\.group/, { function: "nounwind" }],
  [/^llvm\.nvvm\.cp\.async\.(wait\.all|mbarrier)/, { function: "nounwind" }],
  [/^llvm\.nvvm\.wgmma\.wait_group/, { function: CONVERGENT, params: { 0: "immarg" } }],
  [/^llvm\.nvvm\.wgmma\./, { function: CONVERGENT }],
  [/^llvm\.nvvm\.tcgen05\.wait\./, { function: "convergent nounwind memory(inaccessiblemem: readwrite)" }],
  [/^llvm\.nvvm\.tcgen05\.fence\./, { function: "nounwind" }],
  [
    /^llvm\.nvvm\.setmaxnreg\./,
    { function: "convergent nocallback nofree nosync nounwind willreturn", params: { 0: "immarg range(i32 24, 257)" } },
  ],
  [/^llvm\.nvvm\.(fence|membar|griddepcontrol|nanosleep|exit|mbarrier|pm\.event)/, { function: "nounwind" }],
  // Divisions, roots and transcendental functions.
  [/^llvm\.nvvm\.(div|rcp|sqrt|rsqrt|ex2|lg2|sin|cos|tanh)\./, { function: NO_SPECULATION }],
  [/^llvm\.nvvm\./, { function: PURE }],
  ...AMDGPU,
  [/^llvm\.assume$/, { function: "nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)", params: { 0: "noundef" } }],
  [/^llvm\.(abs|ctlz|cttz)\./, { function: PURE, params: { 1: "immarg" } }],
  [/^llvm\.is\.fpclass\./, { function: PURE, params: { 1: "immarg" } }],
  [
    /^llvm\.mem(cpy|move)\./,
    {
      function: "nocallback nofree nounwind willreturn memory(argmem: readwrite)",
      params: { 0: "noalias writeonly captures(none)", 1: "noalias readonly captures(none)", 3: "immarg" },
    },
  ],
  [
    /^llvm\.memset\./,
    { function: "nocallback nofree nounwind willreturn memory(argmem: write)", params: { 0: "writeonly captures(none)", 3: "immarg" } },
  ],
  [/^llvm\.trap$/, { function: "cold noreturn nounwind memory(inaccessiblemem: write)" }],
  [/^llvm\.debugtrap$/, { function: "nounwind" }],
  [/^llvm\.lifetime\./, { function: "nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)" }],
  [/^llvm\./, { function: PURE }],
];

/** Parameters that are immediates. */
function immediates(...indices: readonly number[]): Readonly<Record<number, string>> {
  return Object.fromEntries(indices.map((index) => [index, "immarg"]));
}
/** Parameters that are pointers, which the intrinsic does not keep. */
function captured(access: string, ...indices: readonly number[]): Readonly<Record<number, string>> {
  return Object.fromEntries(indices.map((index) => [index, `${access}captures(none)`]));
}
/** By the index of the buffer among the parameters. */
function bufferAtomic(buffer: number): IntrinsicAttributes {
  return {
    function: "nocallback nofree nounwind willreturn memory(argmem: readwrite)",
    params: { ...captured("", buffer), ...immediates(buffer + 3) },
  };
}

/** The declared attributes of the intrinsic with that name. */
export function intrinsicAttributes(name: string): IntrinsicAttributes {
  for (const [pattern, attributes] of RULES)
    if (pattern.test(name)) return typeof attributes === "function" ? attributes(name) : attributes;
  return { function: "nounwind" };
}

/** Largest sizes of a CTA and of a grid in x, y, z. */
const CTA = { x: 1024, y: 1024, z: 64 } as const;
const GRID = { x: 0x7fffffff, y: 0xffff, z: 0xffff } as const;

function specialRegister(name: string): IntrinsicAttributes {
  const register = name.slice("llvm.nvvm.read.ptx.sreg.".length);
  if (/^(clock|clock64|globaltimer)/.test(register))
    return { function: "nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite)", result: "noundef" };
  const range = registerRange(register);
  return { function: PURE, result: `noundef${range ? ` range(i32 ${range[0]}, ${range[1] | 0})` : ""}` };
}
/** From the first value, inclusive, to the last, exclusive. */
function registerRange(register: string): readonly [number, number] | undefined {
  const dim = register.slice(-1) as "x" | "y" | "z";
  const base = register.slice(0, -2);
  if (dim === "x" || dim === "y" || dim === "z") {
    if (base === "tid") return [0, CTA[dim]];
    if (base === "ntid") return [1, CTA[dim] + 1];
    if (base === "ctaid" || base === "clusterid") return [0, GRID[dim]];
    if (base === "nctaid" || base === "nclusterid") return [1, GRID[dim] + 1];
    return undefined;
  }
  if (register === "laneid") return [0, 32];
  return register === "warpsize" ? [32, 33] : undefined;
}
