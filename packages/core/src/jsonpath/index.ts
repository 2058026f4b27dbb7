export { compileJsonPath } from './compile.js';
export type { JsonPath } from './compile.js';
