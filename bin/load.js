// Loads a command from dist/, with the code that V8 compiled of it when it was built (`scripts/code-cache.cjs`): to compile it again takes as
// long as the rest of a short command.
const { existsSync, readFileSync } = require("node:fs");
const { wrap } = require("node:module");
const { join } = require("node:path");
const { setFlagsFromString } = require("node:v8");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

// Functions are optimized later than V8 would, and the heap grows at once: most commands are over before that is worth its time.
setFlagsFromString("--semi-space-growth-factor=16");
// V8 of later versions has no such flag, and says so on standard error.
if (Number.parseInt(process.versions.node, 10) <= 22) setFlagsFromString("--interrupt-budget=2000000");

const dist = join(__dirname, "../dist");
/** The scripts that were loaded and their modules, by name. */
const scripts = new Map();
const modules = new Map();

function load(name) {
  if (modules.has(name)) return modules.get(name).exports;
  const filename = join(dist, name);
  // esbuild's text is ASCII: V8 needs no decoding.
  const script = new Script(wrap(readFileSync(filename, "latin1")), { filename, cachedData: compiledCode(`${filename}.cache`) });
  const loaded = { exports: {}, load };
  scripts.set(name, script);
  modules.set(name, loaded);
  script.runInThisContext()(
    loaded.exports,
    (path) => (path.startsWith("./") ? load(path.slice(2)) : require(path)),
    loaded,
    filename,
    dist,
  );
  return loaded.exports;
}

/** The code, after which its checksum is: V8 runs what it is given, and damaged code would end the process. Another node compiles the text. */
function compiledCode(path) {
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const code = bytes.subarray(0, -4);
  return code.length > 0 && crc32(code) === bytes.readUInt32LE(code.length) ? code : undefined;
}

exports.scripts = scripts;
exports.load = (command) => load(`${command}.cjs`);
