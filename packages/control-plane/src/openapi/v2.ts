import type { Description } from './description.js';
import { REASONS, type Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import { mapChildren, referredTo, type SchemaNode } from './schema-node.js';

const PREFIX = '#/definitions/';
const BEARER = { BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' } };

/** Returns a document of OpenAPI version 2. Its definitions are those of version 3, reduced to what version 2 can express. */
export function documentV2({ operations, definitions }: Description, version: string): object {
  const paths: Record<string, Record<string, unknown>> = {};
  const shared = new Map<string, object>();
  const parameterV2 = (parameter: Parameter): object => {
    // The parameter `name` differs per kind; every other parameter is defined once and referenced.
    if (parameter.name === 'name') return inline(parameter);
    shared.set(parameter.name, inline(parameter));
    return { $ref: `#/parameters/${parameter.name}` };
  };
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method] = operationV2(operation, operation.parameters.map(parameterV2));
    if (operation.pathParameters.length > 0) item['parameters'] = operation.pathParameters.map(parameterV2);
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: sorted(paths),
    definitions: Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, schemaV2(schema)])),
    parameters: sorted(Object.fromEntries(shared)),
    securityDefinitions: BEARER,
    security: [{ BearerToken: [] }],
  };
}

function operationV2(operation: Operation, parameters: readonly object[]): object {
  const { description, consumes, produces, tag, id, body, codes, answer, action, kind } = operation;
  const schema = (definition: string): object => ({ $ref: `${PREFIX}${definition}` });
  const sent = body && { name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: schema(body.definition) };
  const all = sent ? [sent, ...parameters] : parameters;
  const successful = codes.map((code) => [code, { description: REASONS[code], schema: schema(answer) }]);
  return {
    description,
    consumes,
    produces,
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: { ...(Object.fromEntries(successful) as object), 401: { description: 'Unauthorized' } },
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}

function inline({ name, in: place, type, description }: Parameter): object {
  return { uniqueItems: true, type, description, name, in: place, ...(place === 'path' ? { required: true } : {}) };
}

/**
 * Reduces a schema to version 2, which has no `oneOf`. These documents also omit defaults, and keep only the description beside a
 * reference.
 */
function schemaV2(schema: SchemaNode): SchemaNode {
  const { default: _, oneOf, allOf, ...rest } = mapChildren(schema, schemaV2);
  const target = referredTo(rest) ?? referredTo((allOf as readonly SchemaNode[] | undefined)?.[0] ?? {});
  return {
    ...rest,
    // The field is an int-or-string, for which a string is always accepted.
    ...(oneOf ? { type: 'string' } : {}),
    ...(target === undefined ? {} : { $ref: `${PREFIX}${target}` }),
  };
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
