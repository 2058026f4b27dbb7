import { toYaml } from '@outrigger/core/yaml';
import { customResourceDefinition, KIND_DEFINITIONS } from '@outrigger/api';
import { type GeneratedFile, MARK } from './files.js';

const HEADER = `# ${MARK}\n`;

/** Returns the CRDs without a conversion webhook. If the versions of a kind differ, only the stored version is served. */
export function crdFiles(): GeneratedFile[] {
  return KIND_DEFINITIONS.map((definition) => ({
    path: `deploy/crds/${definition.group}_${definition.plural}.yaml`,
    text: HEADER + toYaml(customResourceDefinition(definition)),
  }));
}
