import type { Description } from './description.js';
import { REASONS, type Operation } from './operations.js';
import type { Parameter } from './parameters.js';
import { reference } from './schema-node.js';

/** Returns a document of OpenAPI version 3. */
export function documentV3({ operations, definitions }: Description, version: string): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {});
    item[operation.method] = operationV3(operation);
    if (operation.pathParameters.length > 0) item['parameters'] = operation.pathParameters.map(parameterV3);
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version }, paths, components: { schemas: definitions } };
}

function operationV3(operation: Operation): object {
  const { tag, description, id, parameters, body, consumes, action, kind } = operation;
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterV3) } : {}),
    ...(body ? { requestBody: { content: contentOf(consumes, body.definition), ...(body.required ? { required: true } : {}) } } : {}),
    responses: responsesV3(operation),
    ...(action === undefined ? {} : { 'x-kubernetes-action': action }),
    ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}),
  };
}

function responsesV3({ codes, answer, produces }: Operation): object {
  const successful = codes.map((code) => [code, { description: REASONS[code], content: contentOf(produces, answer) }]);
  return { ...(Object.fromEntries(successful) as object), 401: { description: 'Unauthorized' } };
}

function contentOf(types: readonly string[], definition: string): object {
  const schema = reference(definition);
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function parameterV3({ name, in: place, type, description }: Parameter): object {
  return { name, in: place, description, ...(place === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}
