export { YamlError, YamlExpansionError } from './errors.js';
export type { YamlProblem } from './errors.js';
export { parseYaml, parseYamlDocument, parseYamlDocuments, readYamlDocuments } from './parse.js';
export type { ParseYamlOptions, ReadYaml, YamlDocument } from './parse.js';
export { toYaml } from './write.js';
export type { ToYamlOptions } from './write.js';
