/** The layout of a value in a Gluon kernel as its author wrote it: its Python source, and the names that hold it. */
import { AutoEncoding, CoalescedEncoding } from "../dialects/gluon/attrs.js";
import { encodingParams } from "../dialects/ttg/encodings/define-encoding.js";
import { layoutOfEncoding } from "../frontend/gluon/layouts/from-encoding.js";
import { gluonSource } from "../frontend/gluon/layouts/source.js";
import { layoutKey } from "../frontend/language/values.js";
import type { Attribute } from "../ir/attribute.js";
import type { EncodingParams } from "../layout/encoding-params.js";
import { tritonOrDefault } from "../support/triton-version.js";
import { isLibraryFile } from "../trace/op-locations.js";
import type { Trace } from "../trace/trace.js";

/** Names that are listed of one layout. */
const MOST_NAMES = 3;

/** Lines about an encoding; none where the kernel is not Gluon's. */
export function gluonLayoutLines(trace: Trace, encoding: Attribute): readonly string[] {
  if (trace.language !== "gluon") return [];
  if (AutoEncoding.is(encoding)) return ["gluon-resolve-auto-encodings will give it the layout of those that it meets"];
  if (CoalescedEncoding.is(encoding)) return ["gluon-infer-coalesced-encodings will give it a layout for wide accesses"];
  const params = encodingParams(encoding);
  const source = params && gluonSource(params);
  return source === undefined ? [] : [`in Gluon: ${source}`, ...deciders(trace, params!, "decided by")];
}

/** The names of the layout, else of the one that it is made of. */
function deciders(trace: Trace, params: EncodingParams, verb: string): readonly string[] {
  const layout = layoutOfEncoding(params, tritonOrDefault(trace.triton));
  const names = ((layout && trace.layoutNames?.get(layoutKey(layout))) ?? []).filter(({ file }) => !isLibraryFile(file));
  if (names.length > 0) {
    const shown = names.slice(0, MOST_NAMES).map(({ name, file, line }) => `'${name}' (${file.slice(file.lastIndexOf("/") + 1)}:${line})`);
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
    return [`${verb} ${shown.join(", ")}${more}`];
  }
  return params.kind === "slice" || params.kind === "dot_op" ? deciders(trace, params.parent, "its parent is decided by") : [];
}
