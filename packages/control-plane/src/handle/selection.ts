import {
  ApiError,
  errorMessage,
  parseFieldSelector,
  parseLabelSelector,
  type FieldSelector,
  type KubeObject,
  type Selector,
} from '@outrigger/core';
import type { Resource } from '../registry/resource.js';
import type { Query } from '../request/query.js';
import { memberText } from './member-text.js';

/** The selectors of a list or watch, which determine the objects to include. */
export interface Selection {
  readonly isEmpty: boolean;
  /** The only name that the selector allows, if there is exactly one. In that case, only the object with this name is read. */
  readonly name: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
  /** Like `matches`, but decides from the JSON of the store. Returns undefined if the object must be parsed to decide. */
  readonly matchesText: (text: string) => boolean | undefined;
}

/** Reads the selectors of a request. `named` is the name in the path of a watch, which selects one object. */
export function selectionOf(resource: Resource, query: Query, named = ''): Selection {
  const labels = parse(() => parseLabelSelector(query.text('labelSelector') ?? ''));
  const fields = parse(() => parseFieldSelector(query.text('fieldSelector') ?? nameSelector(named)));
  if (named !== '' && fields.exactMatch('metadata.name') !== named) {
    throw new ApiError('BadRequest', "fieldSelector metadata.name doesn't match requested name");
  }
  assertSelectable(resource, fields);
  return {
    isEmpty: labels.isEmpty && fields.isEmpty,
    name: fields.exactMatch('metadata.name'),
    matches: matcher(resource, labels, fields),
    matchesText: textMatcher(labels, fields),
  };
}

function nameSelector(name: string): string {
  return name === '' ? '' : `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
}

function matcher(resource: Resource, labels: Selector, fields: FieldSelector): Selection['matches'] {
  if (labels.isEmpty && fields.isEmpty) return () => true;
  return (object) => labels.matches(object.metadata.labels) && fields.matches((path) => fieldOf(resource, object, path));
}

function textMatcher(labels: Selector, fields: FieldSelector): Selection['matchesText'] {
  if (!fields.isEmpty) return () => undefined;
  if (labels.isEmpty) return () => true;
  return (text) => {
    const found = memberText(text, ['metadata', 'labels']);
    return found === undefined ? undefined : labels.matches(JSON.parse(found) as Readonly<Record<string, string>>);
  };
}

function fieldOf(resource: Resource, object: KubeObject, path: string): string | undefined {
  if (path === 'metadata.name') return object.metadata.name;
  if (path === 'metadata.namespace') return object.metadata.namespace;
  return resource.selectableFields.get(path)?.(object);
}

function assertSelectable({ selectableFields, namespaced, isCustom }: Resource, fields: FieldSelector): void {
  const known = [
    'metadata.name',
    ...(namespaced || isCustom || selectableFields.size === 0 ? ['metadata.namespace'] : []),
    ...selectableFields.keys(),
  ];
  const unknown = fields.requirements.find(({ field }) => !known.includes(field));
  if (!unknown) return;
  // A real server words the error differently for kinds with their own selectable fields.
  const isPlain = !isCustom && selectableFields.size === 0;
  const list = known.map((field) => JSON.stringify(field)).join(', ');
  const message = isPlain
    ? `"${unknown.field}" is not a known field selector: only ${list}`
    : `field label not supported: ${unknown.field}`;
  throw new ApiError('BadRequest', message);
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ApiError('BadRequest', errorMessage(cause), { cause });
  }
}
