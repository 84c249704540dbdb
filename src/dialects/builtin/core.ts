import * as attrs from "../../ir/builtin-attrs.js";
import * as types from "../../ir/builtin-types.js";
import * as locations from "../../ir/location.js";

/** The attribute and type kinds that `ir` itself defines. */
export const BUILTIN_ATTRS: Readonly<Record<string, unknown>> = { ...attrs, ...locations };
export const BUILTIN_TYPES: Readonly<Record<string, unknown>> = { ...types };
