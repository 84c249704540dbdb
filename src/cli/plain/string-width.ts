/** Stands for the package `string-width` in commands' bundles: the width of ASCII, which help is. */
export default (text: string): number => text.length;
