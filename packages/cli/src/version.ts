/** The version of all packages; they are released together. */
export const VERSION = '0.1.0';
