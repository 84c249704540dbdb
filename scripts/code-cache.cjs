// Runs the commands on small inputs, and leaves what V8 compiled of each script beside it: `node scripts/code-cache.cjs FOLDER`.
const { rmSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { crc32 } = require("node:zlib");

const [folder] = process.argv.slice(2);
const drawing = join(folder, "dist/drawing.svg");
const python = [
  "fixtures/kernels/seed003_matmul.py",
  "--signature",
  "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32, 1, i32, 1, 16, 8, 64, 16, 8, 16",
];
const layout = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
const RUNS = [
  ["tt-step", "--help"],
  ["tt-step", "fixtures/kernels/matmul.ttir", "--emit", "ptx"],
  ["tt-step", "fixtures/kernels/matmul.ttir", "--export", drawing],
  ["tt-step", ...python, "--emit", "ttir"],
  ["tt-opt", "fixtures/kernels/vecadd.ttir", "--canonicalize"],
  ["triton-tensor-layout", "-t", "tensor<4x32xf16>", "-l", layout],
  ["cute-layout", "--version"],
];

// V8 drops code that has not run for a while.
setFlagsFromString("--no-flush-bytecode");
const { load, scripts } = require(resolve(folder, "bin/load.js"));
(async () => {
  for (const [command, ...argv] of RUNS) {
    await load(command).run(argv);
    if (process.exitCode) throw new Error(`failed: ${command} ${argv.join(" ")}`);
  }
  rmSync(drawing, { force: true });
  // Compiled code is taken only under the flags that it was compiled under.
  setFlagsFromString("--flush-bytecode");
  for (const [name, script] of scripts) {
    const code = script.createCachedData();
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(code));
    writeFileSync(join(folder, "dist", `${name}.cache`), Buffer.concat([code, checksum]));
  }
})();
