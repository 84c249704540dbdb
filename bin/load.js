// Loads a command: its bundle in dist/, with the code that V8 compiled of it when it was built (`scripts/code-cache.cjs`). Start-up is most of
// what a short command takes, and compiling its text would double that.
const { existsSync, readFileSync } = require("node:fs");
const { wrap } = require("node:module");
const { dirname, join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

/** Functions are optimized later than V8 would: a compilation is over before most of that is worth its time. */
setFlagsFromString("--interrupt-budget=2000000");

exports.load = (name) => {
  const filename = join(__dirname, "../dist", `${name}.cjs`);
  const cachedData = compiledCode(`${filename}.cache`);
  const script = new Script(wrap(readFileSync(filename, "latin1")), { filename, cachedData });
  const module = { exports: {}, importBundle: (other) => import(`../dist/${other}`) };
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
  return { script, run: module.exports.run };
};

/** The code, after which its checksum is: V8 runs what it is given, and damaged code would end the process. Another node compiles the text. */
function compiledCode(path) {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const code = bytes.subarray(0, -4);
  return code.length > 0 && crc32(code) === bytes.readUInt32LE(code.length) ? code : undefined;
}
