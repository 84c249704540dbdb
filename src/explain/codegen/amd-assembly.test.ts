import { expect, test } from "vitest";
import { importFolder } from "../../trace/import/folder.js";
import { importTexts } from "../../trace/import/import-dump.js";
import { codegenFacts, codegenStep } from "../codegen-facts.js";
import { readAmdAssembly } from "./amd-assembly.js";

test.each([
  ["\tbuffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen sc0 nt", "buffer_load_dwordx4 sc0 nt", "load", "global", 16],
  ["\tglobal_store_dword v0, v1, s[2:3]", "global_store_dword", "store", "global", 4],
  ["\tds_read2st64_b32 v[0:1], v2 offset1:2", "ds_read2st64_b32", "load", "shared", 8],
  ["\tds_load_b128 v[0:3], v4", "ds_load_b128", "load", "shared", 16],
  ["\tds_add_rtn_u32 v0, v1, v2", "ds_add_rtn_u32", "atomic", "shared", 4],
  ["\tds_pk_add_f16 v0, v1", "ds_pk_add_f16", "atomic", "shared", 4],
  ["\tds_read_b64_tr_b16 v[0:1], v2", "ds_read_b64_tr_b16", "matrix-load", "shared", 8],
  ["\tds_store_2addr_b32 v0, v1, v2 offset1:1", "ds_store_2addr_b32", "store", "shared", 8],
  ["\tds_read_u8 v0, v1", "ds_read_u8", "load", "shared", 1],
  ["\tglobal_atomic_pk_add_f16 v0, v1, s[2:3]", "global_atomic_pk_add_f16", "atomic", "global", 4],
  ["\tv_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]", "v_mfma_f32_32x32x8_f16", "mma", undefined, 0],
  ["\tv_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf", "v_add_f32_dpp", "shuffle", undefined, 0],
  ["\ts_waitcnt vmcnt(0) lgkmcnt(1)", "s_waitcnt vmcnt(0) lgkmcnt(1)", "wait", undefined, 0],
  ["\ts_barrier", "s_barrier", "barrier", undefined, 0],
])("%s", (line, instruction, kind, space, bytesPerThread) => {
  expect(readAmdAssembly(line)).toMatchObject({ instruction, kind, space, bytesPerThread });
});
test.each(["k:", "\t.loc\t1 6 0", "\tv_add_u32_e32 v0, v1, v2", "; %bb.0:", ""])("%j is none", (line) => {
  expect(readAmdAssembly(line)).toBe(undefined);
});

test("a cache folder of an AMD kernel has its target, its assembly by source lines, and its registers", () => {
  const texts: Readonly<Record<string, string>> = {
    "k.ttgir": 'module attributes {"ttg.num-warps" = 4 : i32} {\n  tt.func public @k() {\n    tt.return\n  }\n}\n',
    "k.llir": "define amdgpu_kernel void @k() {\n  ret void\n}\n",
    "k.amdgcn": `k:
\t.file\t1 "/src" "k.py"
\t.loc\t1 7 3 prologue_end ; k.py:7:3
\tbuffer_load_dwordx2 v[0:1], v0, s[0:3], 0 offen
\ts_endpgm
amdhsa.kernels:
  - .agpr_count:     4
    .sgpr_count:     20
    .vgpr_count:     36
    .vgpr_spill_count: 2
`,
    "k.json": '{"target": {"backend": "hip", "arch": "gfx942", "warp_size": 64}, "shared": 0}',
  };
  const trace = importFolder(
    "k",
    Object.entries(texts).map(([path, text]) => ({ path, read: () => text })),
  );
  if ("error" in trace) throw new Error(trace.error);
  expect(trace.target).toBe("hip:gfx942");
  expect(trace.artifacts.machine).toMatchObject({ registers: 36, spilled: 8, wave: { accumulators: 4, scalars: 20 } });
  expect(codegenStep(trace)?.flag).toBe("amdgcn");
  const [load, ...others] = codegenFacts(trace);
  expect(others).toEqual([]);
  expect(load).toMatchObject({ instruction: "buffer_load_dwordx2", bytesPerThread: 8, source: { file: "/src/k.py", line: 7 } });
});

test("a log's target is that of its modules: AMD's instructions, not NVIDIA's", () => {
  const text = `module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  llvm.func @k(%arg0: !llvm.ptr<1>) {
    %0 = llvm.load %arg0 : !llvm.ptr<1> -> vector<4xi32>
    llvm.return
  }
}
`;
  const trace = importTexts("k.log", "dump log", [{ pass: "P", flag: "p", stage: undefined, text }]);
  expect(trace.target).toBe("hip:gfx942");
  expect(codegenFacts(trace).map(({ instruction }) => instruction)).toEqual(["global_load.b128"]);
});
