/** Loads and stores. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { isBlockPointer, loadBlock, storeBlock } from "../semantic/block-pointers.js";
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
      const options = {
        boundaryCheck: a.boundary_check,
        paddingOption: unwrap(a.padding_option),
        cacheModifier: unwrap(a.cache_modifier),
        evictionPolicy: unwrap(a.eviction_policy),
        volatile: truth(a.volatile),
      };
      if (isBlockPointer(a.pointer)) return loadBlock(s, a.pointer, { ...options, mask: a.mask, other: a.other });
      const mask = optionalTensor(s, a.mask);
      const other = optionalTensor(s, a.other);
      return load(s, self(a.pointer), mask, other, options);
    },
  ),
  defineBuiltin(
    "store",
    { pointer: REQUIRED, value: REQUIRED, mask: null, boundary_check: EMPTY_TUPLE, cache_modifier: "", eviction_policy: "" },
    (s, a) => {
      const options = {
        boundaryCheck: a.boundary_check,
        cacheModifier: unwrap(a.cache_modifier),
        evictionPolicy: unwrap(a.eviction_policy),
      };
      if (isBlockPointer(a.pointer)) storeBlock(s, a.pointer, a.value, { ...options, mask: a.mask });
      else {
        const value = toTensor(s, a.value);
        const mask = optionalTensor(s, a.mask);
        store(s, self(a.pointer), value, mask, options);
      }
      return null;
    },
  ),
];
