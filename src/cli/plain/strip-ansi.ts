/** In the commands' bundles yargs imports this file instead of the package `strip-ansi`. Help has no colours to remove. */
export default (text: string): string => text;
