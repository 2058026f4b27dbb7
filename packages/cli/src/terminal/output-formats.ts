/** The values of `-o`. Every command line loads this file; the formatting code is in other files, so that it is loaded only when needed. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
