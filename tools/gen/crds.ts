import { toYaml } from '@outrigger/core/yaml';
import { customResourceDefinition, KIND_DEFINITIONS } from '@outrigger/api';
import { type GeneratedFile, MARK } from './files.js';

const HEADER = `# ${MARK}\n`;

/** The plain definitions: nobody converts, so only the stored version of kinds whose versions differ is served. */
export function crdFiles(): GeneratedFile[] {
  return KIND_DEFINITIONS.map((definition) => ({
    path: `deploy/crds/${definition.group}_${definition.plural}.yaml`,
    text: HEADER + toYaml(customResourceDefinition(definition)),
  }));
}
