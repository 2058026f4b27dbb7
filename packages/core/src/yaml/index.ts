export { YamlError, YamlExpansionError } from './errors.js';
export { parseYaml, parseYamlDocument, parseYamlDocuments, readYamlDocuments } from './parse.js';
export type { YamlDocument } from './parse.js';
export { toYaml } from './write.js';
