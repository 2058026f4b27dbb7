import type { Resource } from '../registry/resource.js';
import { capital, groupWord } from './names.js';
import { BUILTIN_TYPES, type Operation } from './operations.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/**
 * Returns the discovery operations of an OpenAPI document: one for each group version of the built-in resources. As on a real server,
 * custom resources have no discovery operations.
 */
export function discoveryOperations(resources: readonly Resource[]): Operation[] {
  const versions = new Map<string, Operation>();
  for (const { group, version } of resources.filter(({ isCustom }) => !isCustom)) {
    const path = `${group === '' ? '/api' : `/apis/${group}`}/${version}/`;
    const id = `get${capital(groupWord(group))}${capital(version)}APIResources`;
    const about = {
      path,
      id,
      tag: `${groupWord(group)}_${version}`,
      description: 'get available resources',
      answer: `${META}APIResourceList`,
    };
    versions.set(path, reading(about));
  }
  return [...versions.values()];
}

export const CORE_VERSIONS: Operation = reading({
  path: '/api/',
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'get available API versions',
  answer: `${META}APIVersions`,
});

export const GROUPS: Operation = reading({
  path: '/apis/',
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'get available API versions',
  answer: `${META}APIGroupList`,
});

export const SERVER_VERSION: Operation = {
  ...reading({
    path: '/version/',
    id: 'getCodeVersion',
    tag: 'version',
    description: 'get the version information for this server',
    answer: 'io.k8s.apimachinery.pkg.version.Info',
  }),
  consumes: ['application/json'],
  produces: ['application/json'],
};

export function groupOperation(group: string): Operation {
  const id = `get${capital(groupWord(group))}APIGroup`;
  const description = 'get information of a group';
  return reading({ path: `/apis/${group}/`, id, tag: groupWord(group), description, answer: `${META}APIGroup` });
}

function reading(about: Pick<Operation, 'path' | 'id' | 'tag' | 'description' | 'answer'>): Operation {
  return { ...about, method: 'get', consumes: BUILTIN_TYPES, produces: BUILTIN_TYPES, parameters: [], pathParameters: [], codes: [200] };
}
