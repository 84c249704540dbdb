/** Kernels of Hopper and Blackwell that real Triton compiled, beside their sources; and faults planted in how they wait, fence and copy. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { kernelOf } from "../../dialects/builtin/function-op.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { parseModule } from "../../syntax/parse.js";
import { tensorMapForms } from "../host-tensor-maps.js";
import { differenceOfLowered, launchOf, type Reference, referenceOf } from "../lowered.js";
import { planArguments } from "../tensor/arguments.js";
import { type PtxRun, runPtx } from "./run.js";

const folder = "fixtures/simulate/asynchronous";
const shared = JSON.parse(readFileSync(`${folder}/shared.json`, "utf8")) as Readonly<Record<string, number>>;
const textOf = (file: string): string => gunzipSync(readFileSync(`${folder}/${file}.gz`)).toString("latin1");
const moduleOf = (file: string): Operation => parseModule(new Context(ALL_DIALECTS), file, textOf(file))!.module;

const references = new Map<string, Reference>();
function reference(name: string): Reference {
  let known = references.get(name);
  if (known === undefined) {
    const module = moduleOf(`${name}.ttir`);
    const args = planArguments(module, kernelOf(module)!, { scalars: { K: 160 } });
    known = referenceOf(module, { args, programs: [[0, 0, 0]], target: `cuda:${/\d+$/.exec(name)![0]}`, seed: 0 });
    references.set(name, known);
  }
  return known;
}

function execute(name: string, ptx: string): PtxRun {
  const maps = name.startsWith("hostdesc") ? tensorMapForms(moduleOf(`${name}.ttgir`)) : undefined;
  const run = runPtx(ptx, { ...launchOf(reference(name), maps)!, sharedBytes: shared[name]! });
  expect(run.diagnostics).toEqual([]);
  return run;
}
const verdict = (name: string, ptx: string): string => differenceOfLowered(reference(name), execute(name, ptx)) ?? "the same results";

test.each(Object.keys(shared))("%s does what its source does", (name) => {
  expect(verdict(name, textOf(`${name}.ptx`))).toBe("the same results");
});

interface Fault {
  readonly kernels: readonly string[];
  readonly plant: (ptx: string) => string;
  readonly finds: RegExp;
}
const FAULTS: Readonly<Record<string, Fault>> = {
  "mbarriers are asked, and not waited for": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100", "desc_3d-sm90", "gather_scatter-sm100"],
    plant: (ptx) => ptx.replaceAll("@!complete bra.uni waitLoop;", ""),
    finds: /^early-read: .* before the wait for line \d+: .*cp\.async\.bulk/,
  },
  "the parity waited for is the other one": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100", "warp_specialized_dot-sm100"],
    plant: (ptx) => ptx.replace(/(try_wait\.parity\S* complete, \[%r\d+\], )%r\d+;/g, "$11;"),
    finds:
      /^(?:early-read: .* before the wait for|missing-fence: asynchronous hardware (?:reads|writes)|deadlock: no warp can go on: .*warp \d+ waits for phase 1 of the mbarrier at \d+)/,
  },
  "fewer bytes are announced than come": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100"],
    plant: (ptx) => ptx.replace(/(expect_tx\S* _, \[%r\d+\], )\d+;/g, "$164;"),
    finds: /^deadlock: .*0 arrivals and -\d+ bytes to come/,
  },
  "another swizzle in a tensor map": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100", "desc_3d-sm90"],
    plant: (ptx) => ptx.replace(/(swizzle_mode\S* \[ %rd\d+ \+ 0 \], )0x[23]/, "$10x0"),
    finds: /^byte \d+ of 'arg\d|^byte \d+ of '\w+' /,
  },
  "another swizzle, one too narrow for its box": {
    kernels: ["tma_dot-sm90"],
    plant: (ptx) => ptx.replace(/(swizzle_mode\S* \[ %rd\d+ \+ 0 \], )0x[23]/, "$10x1"),
    finds: /^bad-descriptor: the tensor map at 0x\w+: the rows of its box have 64 bytes, more than its swizzle of 32/,
  },
  "no fence between ordinary stores and asynchronous reads": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100", "warp_specialized_dot-sm90", "dot_chain-sm90", "gather_scatter-sm100"],
    plant: (ptx) => ptx.replaceAll("fence.proxy.async.shared::cta;", ""),
    finds:
      /^missing-fence: asynchronous hardware (?:reads|writes) shared byte \d+ for thread \d+, with no fence.proxy.async after line \d+: .*(?:st|tensormap)/,
  },
  "a wait for one group of products too few": {
    kernels: ["tma_dot-sm90", "dot_chain-sm90", "dot_transposed-sm90", "dot_cluster-sm90"],
    plant: (ptx) => ptx.replaceAll("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
    finds: /^early-read: warp \d+ reads a register before the wait for line \d+: wgmma\.mma_async/,
  },
  "no fence before a product": {
    kernels: ["dot_chain-sm90"],
    plant: (ptx) => ptx.replaceAll("wgmma.fence.sync.aligned;", ""),
    finds: /^missing-fence: warp \d+ touched registers of it with no wgmma.fence after that/,
  },
  "a copy out of shared memory is not waited for": {
    kernels: ["tma_dot-sm90", "tma_dot-sm100", "gather_scatter-sm100"],
    plant: (ptx) => ptx.replace(/cp\.async\.bulk\.wait_group\.read \t0;/g, ""),
    finds: /^early-read: thread \d+ ends before the wait for its bulk copy out of shared memory/,
  },
  "loads from tensor memory are not waited for": {
    kernels: ["tma_dot-sm100", "dot_chain-sm100", "scaled_mixed-sm100"],
    plant: (ptx) => ptx.replaceAll("tcgen05.wait::ld.sync.aligned;", ""),
    finds: /^early-read: warp \d+ reads a register before the wait for line \d+: tcgen05\.ld/,
  },
  "stores to tensor memory are not waited for": {
    kernels: ["scaled_mixed-sm100", "tma_dot-sm100"],
    plant: (ptx) => ptx.replaceAll("tcgen05.wait::st.sync.aligned;", ""),
    finds: /^early-read: column \d+ of lanes \d+ to \d+ of tensor memory is used before tcgen05.wait::st after line \d+/,
  },
  "products that nobody says are done": {
    kernels: ["tma_dot-sm100", "dot_chain-sm100"],
    plant: (ptx) => ptx.replace(/@%p\d+ tcgen05\.commit[^;]*;/g, ""),
    finds: /^deadlock: no warp can go on: .*waits for phase 0 of the mbarrier at \d+ \(1 arrivals and 0 bytes to come\)/,
  },
  "tensor memory is not given back": {
    kernels: ["dot_chain-sm100"],
    plant: (ptx) => ptx.replace(/@%p\d+ tcgen05\.dealloc[^;]*;/g, ""),
    finds: /^tensor-memory: tensor memory is not given back before the CTA ends/,
  },
  "a partition waits with fewer threads than come": {
    kernels: ["warp_specialized_dot-sm90"],
    plant: (ptx) => ptx.replace(/(mbarrier\.init\S* \[%r\d+\], )128;/g, "$1129;"),
    finds: /^deadlock: no warp can go on: /,
  },
};

describe.each(Object.entries(FAULTS))("planted: %s", (_, { kernels, plant, finds }) => {
  test.each(kernels)("in %s", (name) => {
    const ptx = textOf(`${name}.ptx`);
    const faulty = plant(ptx);
    expect(faulty).not.toBe(ptx);
    expect(verdict(name, faulty)).toMatch(finds);
  });
});
