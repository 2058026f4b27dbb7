/** Where the console's app is built without a bundle. */
export const APP: string;

/** Builds the app; the compressed sizes in bytes of the script and style that the first page loads, and of all files. */
export function buildConsoleApp(outdir?: string, sourcemap?: boolean): Promise<{ script: number; style: number; all: number }>;
