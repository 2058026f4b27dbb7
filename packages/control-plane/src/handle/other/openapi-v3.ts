import type { StructuralSchema } from '@outrigger/core/schema';
import { apiVersionOf } from '@outrigger/core';
import type { Resource } from '../../registry/resource.js';
import type { Discovery } from './discovery.js';

const PREFIX = '#/components/schemas/';

/** `/openapi/v3`: where the document of each group version is. The hash lets clients cache it. */
export function openApiIndex({ groups }: Discovery, generation: number): object {
  const paths = groups.flatMap(({ name, versions }) =>
    versions.map(({ version }) => {
      const path = name === '' ? `api/${version}` : `apis/${name}/${version}`;
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${generation}` }];
    }),
  );
  return { paths: Object.fromEntries(paths) as object };
}

/** One group version: the schema of each kind, and its paths with the parameters clients look for before they use them. */
export function openApiDocument(resources: readonly Resource[], group: string, version: string): object {
  const stored = resources.filter(({ isVirtual }) => !isVirtual);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: apiVersionOf({ group, version }) },
    paths: Object.assign({}, ...stored.map(pathsOf)) as object,
    components: { schemas: Object.fromEntries(resources.map((resource) => [schemaName(resource), documentSchema(resource)])) },
  };
}

/** `com.example.v1.Widget`: the group backwards, as a real server names its schemas. */
function schemaName({ group, version, kind }: Resource): string {
  const reversed = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}

function documentSchema(resource: Resource): object {
  const { group, version, kind } = resource;
  const schema = publicSchema(resource.structural());
  const own = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object', ...OBJECT_META } };
  return { ...schema, properties: { ...own, ...schema.properties }, 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
}

const TEXT = { type: 'string' };
const TEXTS = { type: 'object', additionalProperties: TEXT };
const OBJECT_META = {
  properties: { name: TEXT, namespace: TEXT, labels: TEXTS, annotations: TEXTS, finalizers: { type: 'array', items: TEXT } },
};

/** Integers or strings are told in the words every OpenAPI client knows. */
function publicSchema(schema: StructuralSchema): StructuralSchema {
  const { properties, items, additionalProperties, 'x-kubernetes-int-or-string': either, ...rest } = schema;
  return {
    ...rest,
    ...(rest.format === 'base64' ? { format: 'byte' } : {}),
    ...(either ? { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true } : {}),
    ...(properties ? { properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, publicSchema(part)])) } : {}),
    ...(items ? { items: publicSchema(items) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: publicSchema(additionalProperties) } : {}),
  };
}

function pathsOf(resource: Resource): Record<string, object> {
  const { group, version, kind, plural, namespaced } = resource;
  const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}`;
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const action = (name: string, parameters: readonly object[]): object => ({
    parameters,
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: { $ref: `${PREFIX}${schemaName(resource)}` } } } } },
    'x-kubernetes-action': name,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return {
    [collection]: { get: action('list', []), post: action('post', WRITE_PARAMETERS), parameters: pathParameters(namespaced, false) },
    [`${collection}/{name}`]: {
      get: action('get', []),
      put: action('put', WRITE_PARAMETERS),
      patch: action('patch', [...WRITE_PARAMETERS, parameter('force', 'boolean')]),
      delete: action('delete', [parameter('dryRun', 'string')]),
      parameters: pathParameters(namespaced, true),
    },
  };
}

function parameter(name: string, type: string): object {
  return { name, in: 'query', schema: { type, uniqueItems: true } };
}

const WRITE_PARAMETERS: readonly object[] = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => parameter(name, 'string'));

function pathParameters(namespaced: boolean, named: boolean): object[] {
  const names = [...(named ? ['name'] : []), ...(namespaced ? ['namespace'] : [])];
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }));
}
