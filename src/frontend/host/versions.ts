/** `packaging.version` and `importlib.metadata`: what files ask to choose code by Triton's version. Source: PEP 440. */
import { raise } from "../language/errors.js";
import { pyStr } from "../language/python-text.js";
import { type PyInstance, type PyValue, pythonTuple } from "../language/values.js";
import { native, pythonType } from "./objects.js";
import { unknownOf } from "./operators.js";

const VERSION_TEXT =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?(?:[-_.]?dev[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$/;
const PRE: Readonly<Record<string, string>> = { alpha: "a", beta: "b", c: "rc", pre: "rc", preview: "rc" };

const VERSION = pythonType("Version", ([text = null]) => unknownOf(text) ?? parseVersion(pyStr(text)), "packaging.version");
const parse = native("parse", ([text = null]) => unknownOf(text) ?? parseVersion(pyStr(text)));

/** `_key` is what versions are compared by, as in the package `packaging`. */
function parseVersion(text: string): PyInstance {
  const match = VERSION_TEXT.exec(text.trim().toLowerCase());
  if (!match) return raise("ValueError", `Invalid version: '${text}'`);
  const [, epoch = "0", release = "", letter, number, dashed, posted, dev, local] = match;
  const post = dashed ?? posted;
  const parts = release.split(".").map(BigInt);
  const significant = parts.slice(0, parts.findLastIndex((part) => part !== 0n) + 1);
  const pre = letter === undefined ? undefined : pythonTuple([PRE[letter] ?? letter, BigInt(number!)]);
  // Without a pre-release it is after those; a development version of the release is before them.
  const preKey = pre ? [0n, pre] : [dev !== undefined && post === undefined ? -1n : 1n];
  const localKey = (local?.split(/[-_.]/) ?? []).map((part) => pythonTuple(/^\d+$/.test(part) ? [1n, BigInt(part)] : [0n, part]));
  const key = pythonTuple([
    BigInt(epoch),
    pythonTuple(significant),
    pythonTuple(preKey),
    post === undefined ? -1n : BigInt(post),
    dev === undefined ? Infinity : BigInt(dev),
    pythonTuple(localKey),
  ]);
  const isPre = pre !== undefined || dev !== undefined;
  const [major, minor, micro] = [0, 1, 2].map((i) => parts[i] ?? 0n) as [bigint, bigint, bigint];
  const attrs: Readonly<Record<string, PyValue>> = {
    _key: key,
    release: pythonTuple(parts),
    major,
    minor,
    micro,
    pre: pre ?? null,
    base_version: `${epoch === "0" ? "" : `${epoch}!`}${parts.join(".")}`,
    local: local?.replaceAll(/[-_]/g, ".") ?? null,
    is_prerelease: isPre,
    is_devrelease: dev !== undefined,
    is_postrelease: post !== undefined,
  };
  return { kind: "instance", cls: VERSION, attrs: new Map(Object.entries(attrs)) };
}

/** `packaging.version`. */
export const PACKAGING_VERSION = { Version: VERSION, parse };

/** `importlib.metadata`: of the packages that may be installed only Triton is known. */
export const METADATA = {
  version: native("version", ([name = null], _named, host): PyValue => {
    const text = pyStr(name);
    if (text === "triton") return host.triton.release;
    return { kind: "opaque", what: `version('${text}')`, why: `the version of '${text}' is not known to tt-step` };
  }),
};
