import type { Resource } from '../registry/resource.js';
import type { BuiltinDefinitions } from './builtin-definitions.js';
import { customDefinitions } from './custom-definitions.js';
import { discoveryOperations } from './discovery-operations.js';
import { customDefinitionName } from './names.js';
import { operationsOf, type Naming, type Operation } from './operations.js';
import { referredTo, type Definitions, type SchemaNode } from './schema-node.js';

/** A description of resources from which the OpenAPI documents of both versions are written. */
export interface Description {
  readonly operations: readonly Operation[];
  readonly definitions: Definitions;
}

/** Describes resources. `isSimple` restricts custom kinds to the features of version 2. */
export function describe(resources: readonly Resource[], builtin: BuiltinDefinitions, isSimple = false): Description {
  const operations = resources.flatMap((resource) => operationsOf(resource, namingOf(resource, builtin)));
  const custom = resources.filter(({ isCustom }) => isCustom).map((resource) => customDefinitions(resource, builtin.all, isSimple));
  return withDefinitions([...discoveryOperations(resources), ...operations], Object.assign({}, builtin.all, ...custom) as Definitions);
}

/** Keeps only the definitions that the operations use. */
export function withDefinitions(operations: readonly Operation[], available: Definitions): Description {
  const used = new Map<string, SchemaNode>();
  const visit = (name: string): void => {
    const definition = used.has(name) ? undefined : available[name];
    if (!definition) return;
    used.set(name, definition);
    visitReferences(definition, visit);
  };
  for (const { answer, body } of operations) {
    visit(answer);
    if (body) visit(body.definition);
  }
  return { operations, definitions: Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function visitReferences(node: unknown, visit: (name: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const target = referredTo(node as SchemaNode);
  if (target !== undefined) visit(target);
  for (const part of Object.values(node)) visitReferences(part, visit);
}

function namingOf(resource: Resource, builtin: BuiltinDefinitions): Naming {
  const { group, version, kind, listKind, isCustom } = resource;
  const nameOf = (what: { readonly group: string; readonly version: string; readonly kind: string }): string =>
    builtin.nameOf(what) ?? customDefinitionName(what.group, what.version, what.kind);
  const list = { group, version, kind: listKind };
  return {
    object: nameOf(resource),
    list: isCustom ? nameOf(list) : builtin.nameOf(list),
    // The status subresource returns the whole object, so it has the object's definition.
    of: (subresource) => nameOf(subresource.kind === kind ? resource : subresource),
  };
}
