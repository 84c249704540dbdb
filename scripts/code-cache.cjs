// Runs a command on small inputs, and leaves what V8 compiled of it beside its bundle: `node scripts/code-cache.cjs FOLDER NAME`.
const { rmSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { crc32 } = require("node:zlib");

const [folder, name] = process.argv.slice(2);
const drawing = join(folder, "dist/drawing.svg");
const python = ["fixtures/kernels/seed003_matmul.py", "--signature", "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16"];
const layout = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
const RUNS = {
  "tt-step": [
    ["fixtures/kernels/matmul.ttir", "--emit", "ptx"],
    ["fixtures/kernels/matmul.ttir", "--export", drawing],
    [...python, "--emit", "ttir"],
  ],
  "tt-opt": [["fixtures/kernels/vecadd.ttir", "--canonicalize"]],
  "triton-tensor-layout": [["-t", "tensor<4x32xf16>", "-l", layout]],
  "cute-layout": [["--version"]],
  bench: [["--once", "fixtures/bench/lowered.mlir"]],
};

// V8 drops code that has not run for a while.
setFlagsFromString("--no-flush-bytecode");
const { script, run } = require(resolve(folder, "bin/load.js")).load(name);
(async () => {
  for (const argv of RUNS[name]) {
    await run(argv);
    if (process.exitCode) throw new Error(`failed: ${name} ${argv.join(" ")}`);
  }
  rmSync(drawing, { force: true });
  // Compiled code is taken only under the flags that it was compiled under.
  setFlagsFromString("--flush-bytecode");
  const code = script.createCachedData();
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(code));
  writeFileSync(join(folder, "dist", `${name}.cjs.cache`), Buffer.concat([code, checksum]));
})();
