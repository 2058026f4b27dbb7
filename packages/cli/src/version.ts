/** The version of all packages, which are released together. */
export const VERSION = '0.1.0';
