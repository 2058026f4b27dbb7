import type { Resource, Subresource } from '../registry/resource.js';
import { capital, groupWord } from './names.js';
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  NAMESPACE,
  objectName,
  PATCH_PARAMETERS,
  PRETTY,
  READ_PARAMETERS,
  WRITE_PARAMETERS,
  type Parameter,
} from './parameters.js';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** One operation that a client can call, as both versions of OpenAPI describe it. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action?: string;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The parameters that all operations with this path share. */
  readonly pathParameters: readonly Parameter[];
  /** The definition of the request body. */
  readonly body?: { readonly definition: string; readonly required: boolean };
  /** The definition of the response body. */
  readonly answer: string;
  /** The codes of successful responses. */
  readonly codes: readonly (200 | 201 | 202)[];
}

/** The descriptions of successful responses, by code. */
export const REASONS = { 200: 'OK', 201: 'Created', 202: 'Accepted' } as const;

/** The names of the definitions that describe a resource. */
export interface Naming {
  readonly object: string;
  readonly list: string | undefined;
  of(subresource: Subresource): string;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TEXT_TYPES = ['application/json', 'application/yaml'];
export const BUILTIN_TYPES: readonly string[] = [...TEXT_TYPES, PROTOBUF];
const WATCH_TYPES = ['application/json;stream=watch', `${PROTOBUF};stream=watch`];
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json'];
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

type Shape = Pick<Operation, 'method' | 'action' | 'description' | 'parameters' | 'answer' | 'codes'> &
  Partial<Pick<Operation, 'body' | 'consumes' | 'produces'>> & { readonly verb: string; readonly suffix?: string };

/** Returns all operations of a resource, ordered by path. */
export function operationsOf(resource: Resource, naming: Naming): Operation[] {
  const { group, version, plural, namespaced, kind } = resource;
  const root = `${group === '' ? '/api' : `/apis/${group}`}/${version}`;
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const scope = namespaced ? [NAMESPACE, PRETTY] : [PRETTY];
  const named = [objectName(kind), ...scope];
  const subject = `${namespaced ? 'Namespaced' : ''}${kind}`;
  const toOperation =
    (path: string, pathParameters: readonly Parameter[], target: string, ofKind = { group, version, kind }) =>
    (shape: Shape): Operation => ({
      ...typesOf(resource, shape),
      path,
      method: shape.method,
      id: `${shape.verb}${capital(groupWord(group))}${capital(version)}${shape.suffix ?? ''}${target}`,
      tag: `${groupWord(group)}_${version}`,
      description: shape.description,
      ...(shape.action === undefined ? {} : { action: shape.action }),
      kind: ofKind,
      parameters: shape.parameters,
      pathParameters,
      ...(shape.body ? { body: shape.body } : {}),
      answer: shape.answer,
      codes: shape.codes,
    });
  const everywhere = namespaced ? listing(resource, naming).map(toOperation(`${root}/${plural}`, [PRETTY], `${kind}ForAllNamespaces`)) : [];
  return [
    ...everywhere,
    ...[...listing(resource, naming), ...creating(resource, naming), ...clearing(resource)].map(toOperation(collection, scope, subject)),
    ...single(resource, naming.object, '').map(toOperation(`${collection}/{name}`, named, subject)),
    ...[...resource.subresources].flatMap(([name, sub]) => {
      // The documents omit the subresource `log`. A log is text, so its operation would need its own parameters and response.
      if (name === 'log') return [];
      const ofKind = resource.isCustom ? undefined : { group: sub.group, version: sub.version, kind: sub.kind };
      const path = `${collection}/{name}/${name}`;
      return single({ ...resource, verbs: sub.verbs }, naming.of(sub), name).map(
        toOperation(path, named, `${subject}${capital(name)}`, ofKind),
      );
    }),
  ];
}

/** Returns the media types of an operation. Built-in kinds support every format, custom kinds only JSON and YAML. */
function typesOf({ isCustom }: Resource, { consumes, produces }: Shape): Pick<Operation, 'consumes' | 'produces'> {
  const own = isCustom ? TEXT_TYPES : BUILTIN_TYPES;
  return { consumes: consumes ?? (isCustom ? TEXT_TYPES : ['*/*']), produces: produces ?? own };
}

function listing({ verbs, kind, isCustom }: Resource, { list }: Naming): Shape[] {
  if (!verbs.includes('list') || list === undefined) return [];
  const description = isCustom ? `list objects of kind ${kind}` : `list or watch objects of kind ${kind}`;
  const produces = isCustom ? {} : { produces: [...BUILTIN_TYPES, ...WATCH_TYPES] };
  return [
    { method: 'get', verb: 'list', action: 'list', description, parameters: LIST_PARAMETERS, answer: list, codes: [200], ...produces },
  ];
}

function creating({ verbs, kind }: Resource, { object }: Naming): Shape[] {
  return verbs.includes('create') ? [post(`create ${one(kind)}`, object)] : [];
}

function clearing({ verbs, kind, isCustom }: Resource): Shape[] {
  if (!verbs.includes('deletecollection')) return [];
  const body = isCustom ? {} : { body: { definition: `${META}DeleteOptions`, required: false } };
  return [
    {
      method: 'delete',
      verb: 'delete',
      suffix: 'Collection',
      action: 'deletecollection',
      description: `delete collection of ${kind}`,
      parameters: [...LIST_PARAMETERS.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks'), ...DELETE_PARAMETERS],
      answer: `${META}Status`,
      codes: [200],
      ...body,
    },
  ];
}

/** Returns the operations on one object or one subresource. */
function single(resource: Pick<Resource, 'verbs' | 'kind' | 'isCustom' | 'strategy'>, answer: string, part: string): Shape[] {
  const { verbs, kind, isCustom, strategy } = resource;
  const of = part === '' ? `the specified ${kind}` : `${part} of the specified ${kind}`;
  const shapes: Partial<Record<(typeof verbs)[number], Shape>> = {
    get: {
      method: 'get',
      verb: 'read',
      action: 'get',
      description: `read ${of}`,
      parameters: isCustom ? READ_PARAMETERS : [],
      answer,
      codes: [200],
    },
    update: {
      method: 'put',
      verb: 'replace',
      action: 'put',
      description: `replace ${of}`,
      parameters: WRITE_PARAMETERS,
      body: { definition: answer, required: true },
      answer,
      codes: [200, 201],
    },
    patch: {
      method: 'patch',
      verb: 'patch',
      action: 'patch',
      description: `partially update ${of}`,
      parameters: PATCH_PARAMETERS,
      consumes: isCustom ? [...PATCH_TYPES, APPLY] : [...PATCH_TYPES, STRATEGIC, APPLY],
      body: { definition: `${META}Patch`, required: true },
      answer,
      codes: isCustom ? [200] : [200, 201],
    },
    ...(part === ''
      ? {
          delete: {
            method: 'delete',
            verb: 'delete',
            action: 'delete',
            description: `delete ${one(kind)}`,
            parameters: DELETE_PARAMETERS,
            body: { definition: `${META}DeleteOptions`, required: false },
            answer: strategy.returnsDeletedObject ? answer : `${META}Status`,
            codes: [200, 202],
          },
        }
      : { create: post(`create ${part} of ${one(kind)}`, answer) }),
  };
  return (['get', 'update', 'create', 'delete', 'patch'] as const).flatMap((verb) => {
    const shape = verbs.includes(verb) ? shapes[verb] : undefined;
    return shape ? [shape] : [];
  });
}

function post(description: string, definition: string): Shape {
  const body = { definition, required: true };
  return {
    method: 'post',
    verb: 'create',
    action: 'post',
    description,
    parameters: WRITE_PARAMETERS,
    body,
    answer: definition,
    codes: [200, 201, 202],
  };
}

/** Returns a kind with its article: `a Pod`, `an Event`, but `Endpoints`, which is plural. */
function one(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind;
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
