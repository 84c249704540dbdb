/** Loads and stores. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { toTensor } from "../semantic/constants.js";
import { load, store } from "../semantic/memory.js";
import { EMPTY_TUPLE, unwrap } from "../values.js";
import { optionalTensor, self, truth } from "./arguments.js";

export const MEMORY = [
  defineBuiltin(
    "load",
    {
      pointer: REQUIRED,
      mask: null,
      other: null,
      boundary_check: EMPTY_TUPLE,
      padding_option: "",
      cache_modifier: "",
      eviction_policy: "",
      volatile: false,
    },
    (s, a) => {
      const mask = optionalTensor(s, a.mask);
      const other = optionalTensor(s, a.other);
      return load(s, self(a.pointer), mask, other, {
        boundaryCheck: a.boundary_check,
        paddingOption: unwrap(a.padding_option),
        cacheModifier: unwrap(a.cache_modifier),
        evictionPolicy: unwrap(a.eviction_policy),
        volatile: truth(a.volatile),
      });
    },
  ),
  defineBuiltin(
    "store",
    { pointer: REQUIRED, value: REQUIRED, mask: null, boundary_check: EMPTY_TUPLE, cache_modifier: "", eviction_policy: "" },
    (s, a) => {
      const value = toTensor(s, a.value);
      const mask = optionalTensor(s, a.mask);
      store(s, self(a.pointer), value, mask, {
        boundaryCheck: a.boundary_check,
        cacheModifier: unwrap(a.cache_modifier),
        evictionPolicy: unwrap(a.eviction_policy),
      });
      return null;
    },
  ),
];
