/** A query or path parameter, as both versions describe it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'boolean' | 'integer';
  readonly description: string;
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description });

const DRY_RUN = query('dryRun', 'string', 'What to do without keeping the result. The only value is All: everything but that.');
const RESOURCE_VERSION = query('resourceVersion', 'string', 'The version to read, or to watch from. Unset means the newest.');

export const READ_PARAMETERS: readonly Parameter[] = [RESOURCE_VERSION];

export const LIST_PARAMETERS: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Whether a watch tells now and then up to which version it is complete.'),
  query('continue', 'string', 'The token of the page before, to get the next one of the same list.'),
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
  query('limit', 'integer', 'How many objects to answer at most; the rest is had with continue.'),
  RESOURCE_VERSION,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with what is there, ended by a bookmark.'),
  query('timeoutSeconds', 'integer', 'When to end the list or watch, however much is left of it.'),
  query('watch', 'boolean', 'Answer with changes as they happen instead of a list.'),
];

export const WRITE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query('fieldManager', 'string', 'Who makes the change, for managedFields. Required when applying.'),
  query('fieldValidation', 'string', 'What to do about unknown and repeated fields: Ignore, Warn or Strict.'),
];

export const PATCH_PARAMETERS: readonly Parameter[] = [
  ...WRITE_PARAMETERS,
  query('force', 'boolean', 'Whether applying takes fields that others own. For apply patches only.'),
];

export const DELETE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'How long the object may take to stop; 0 means at once.'),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. Whether what the object owns stays.'),
  query('propagationPolicy', 'string', 'What happens to what the object owns: Orphan, Background or Foreground.'),
];

export const NAMESPACE: Parameter = { name: 'namespace', in: 'path', type: 'string', description: 'The namespace of the object.' };
export const PRETTY: Parameter = query('pretty', 'string', 'Whether the answer is indented for people.');

export function objectName(kind: string): Parameter {
  return { name: 'name', in: 'path', type: 'string', description: `name of the ${kind}` };
}
