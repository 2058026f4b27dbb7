export { compileJsonPath } from './compile.js';
export type { JsonPath, JsonPathOptions } from './compile.js';
