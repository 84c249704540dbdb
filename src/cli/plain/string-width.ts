/** In the commands' bundles yargs imports this file instead of the package `string-width`. Help is ASCII: each character is one column. */
export default (text: string): number => text.length;
