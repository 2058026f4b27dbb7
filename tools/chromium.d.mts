/** The path of the browser; undefined if there is none. */
export function findChromium(): string | undefined;
