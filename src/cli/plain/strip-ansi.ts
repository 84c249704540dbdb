/** Stands for the package `strip-ansi` in commands' bundles: help has no colours. */
export default (text: string): string => text;
