/**
 * The values of `-o`. They are in a separate file because every command line loads it, while the formatting code is loaded only when
 * needed.
 */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
