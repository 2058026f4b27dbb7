import { isJsonObject, type JsonMap, objectOrEmpty } from '../json.js';
import { fieldError } from './field-error.js';
import { validateDns1123Label, validateDns1123Subdomain, validateLabelValue, validateQualifiedName } from '../names.js';
import { parseTime } from '../time.js';
import type { FieldError } from './types.js';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const encoder = new TextEncoder();

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Returns the reasons why a name is invalid. By default, names must be DNS subdomains. */
  readonly nameProblems?: (name: string) => readonly string[];
}

/** Validates the `metadata` of an object that is about to be created, with the API server's order and messages. */
export function validateObjectMeta(metadata: JsonMap, rules: ObjectMetaRules, path = 'metadata'): readonly FieldError[] {
  const { nameProblems = validateDns1123Subdomain } = rules;
  const errors: FieldError[] = [];
  const name = text(metadata['name']);
  const generateName = text(metadata['generateName']);
  // A prefix may end in a dash, because a suffix follows it.
  for (const problem of generateName === '' ? [] : nameProblems(asPrefix(generateName)))
    errors.push(fieldError.invalid(`${path}.generateName`, generateName, problem));
  if (name === '') errors.push(fieldError.required(`${path}.name`, 'name or generateName is required'));
  for (const problem of name === '' ? [] : nameProblems(name)) errors.push(fieldError.invalid(`${path}.name`, name, problem));
  return [...errors, ...namespaceErrors(metadata, rules.namespaced, path), ...commonErrors(metadata, path)];
}

/** Validates the `metadata` of an embedded object, whose name and namespace may be omitted. */
export function objectMetaErrors(metadata: unknown, path: string): readonly FieldError[] {
  const malformed = malformedMeta(metadata);
  if (malformed !== undefined) return [fieldError.invalid(path, metadata, malformed)];
  const map = objectOrEmpty(metadata);
  const named = text(map['name']) === '' ? { ...map, name: 'fakename' } : map;
  return validateObjectMeta(named, { namespaced: text(map['namespace']) !== '', nameProblems: pathSegmentProblems }, path);
}

/** Turns a prefix into a name to validate. As in the API server, the dash and the character before it are replaced with a letter. */
function asPrefix(generateName: string): string {
  return generateName.length > 1 && generateName.endsWith('-') ? `${generateName.slice(0, -2)}a` : generateName;
}

/** Validates names that only need to be valid in a URL path. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function namespaceErrors(metadata: JsonMap, namespaced: boolean, path: string): FieldError[] {
  const namespace = text(metadata['namespace']);
  const field = `${path}.namespace`;
  if (!namespaced) return namespace === '' ? [] : [fieldError.forbidden(field, 'not allowed on this type')];
  if (namespace === '') return [fieldError.required(field)];
  return validateDns1123Label(namespace).map((problem) => fieldError.invalid(field, namespace, problem));
}

function commonErrors(metadata: JsonMap, path: string): FieldError[] {
  const generation = metadata['generation'];
  const negative = typeof generation === 'number' && generation < 0;
  return [
    ...(negative ? [fieldError.invalid(`${path}.generation`, generation, 'must be greater than or equal to 0')] : []),
    ...labelErrors(metadata['labels'], `${path}.labels`),
    ...annotationErrors(metadata['annotations'], `${path}.annotations`),
    ...ownerErrors(metadata['ownerReferences'], `${path}.ownerReferences`),
    ...finalizerErrors(metadata['finalizers'], `${path}.finalizers`),
  ];
}

export function labelErrors(labels: unknown, field: string): FieldError[] {
  return Object.entries(objectOrEmpty(labels)).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((problem) => fieldError.invalid(field, key, problem)),
    ...validateLabelValue(text(value)).map((problem) => fieldError.invalid(field, value, problem)),
  ]);
}

function annotationErrors(annotations: unknown, field: string): FieldError[] {
  const entries = Object.entries(objectOrEmpty(annotations));
  const errors = entries.flatMap(([key]) =>
    validateQualifiedName(key.toLowerCase()).map((problem) => fieldError.invalid(field, key, problem)),
  );
  const sizeBy = (lengthOf: (part: string) => number): number =>
    entries.reduce((sum, [key, value]) => sum + lengthOf(key) + lengthOf(text(value)), 0);
  // A UTF-16 code unit takes at most three bytes in UTF-8. Most annotations are shorter than a third of the limit and need not be encoded.
  const isTooLong =
    sizeBy(({ length }) => 3 * length) > MAX_ANNOTATIONS_BYTES && sizeBy((part) => encoder.encode(part).length) > MAX_ANNOTATIONS_BYTES;
  return isTooLong ? [...errors, fieldError.tooLong(field, MAX_ANNOTATIONS_BYTES)] : errors;
}

function ownerErrors(owners: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of Array.isArray(owners) ? owners.filter(isJsonObject) : []) {
    const apiVersion = text(owner['apiVersion']);
    if (!hasVersion(apiVersion)) errors.push(fieldError.invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
    for (const name of ['kind', 'name', 'uid'] as const)
      if (text(owner[name]) === '') errors.push(fieldError.invalid(`${field}.${name}`, '', 'must not be empty'));
    if (owner['apiVersion'] === 'v1' && owner['kind'] === 'Event')
      errors.push(fieldError.invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (owner['controller'] !== true) continue;
    const named = `${text(owner['kind'])}/${text(owner['name'])}`;
    if (controller === undefined) controller = named;
    else errors.push(fieldError.invalid(field, owners, twoControllers(controller, named)));
  }
  return errors;
}

/** Whether `apiVersion` is a version, or a group and a version. */
function hasVersion(apiVersion: string): boolean {
  const parts = apiVersion.split('/');
  return parts.length <= 2 && parts.at(-1) !== '';
}

function twoControllers(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}

function finalizerErrors(finalizers: unknown, field: string): FieldError[] {
  const names = Array.isArray(finalizers) ? finalizers.map(text) : [];
  const errors = names.flatMap((name) => validateQualifiedName(name).map((problem) => fieldError.invalid(field, name, problem)));
  if (!names.includes('orphan') || !names.includes('foregroundDeletion')) return errors;
  return [...errors, fieldError.invalid(field, names, 'finalizer orphan and foregroundDeletion cannot be both set')];
}

type FieldType = 'string' | 'bool' | 'time' | 'int64' | 'strings' | 'stringMap' | 'objects';

/** The fields of ObjectMeta. Any other field of `metadata` is unknown. */
const META_FIELDS: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['name', 'string'],
  ['generateName', 'string'],
  ['namespace', 'string'],
  ['selfLink', 'string'],
  ['uid', 'string'],
  ['resourceVersion', 'string'],
  ['generation', 'int64'],
  ['creationTimestamp', 'time'],
  ['deletionTimestamp', 'time'],
  ['deletionGracePeriodSeconds', 'int64'],
  ['labels', 'stringMap'],
  ['annotations', 'stringMap'],
  ['ownerReferences', 'objects'],
  ['finalizers', 'strings'],
  ['managedFields', 'objects'],
]);

/** The types of the members of `ownerReferences` and `managedFields`. Every JSON value is valid as `fieldsV1`. */
const ENTRIES: ReadonlyMap<string, { readonly type: string; readonly fields: ReadonlyMap<string, FieldType> }> = new Map([
  [
    'ownerReferences',
    {
      type: 'OwnerReference',
      fields: new Map<string, FieldType>([
        ['apiVersion', 'string'],
        ['kind', 'string'],
        ['name', 'string'],
        ['uid', 'string'],
        ['controller', 'bool'],
        ['blockOwnerDeletion', 'bool'],
      ]),
    },
  ],
  [
    'managedFields',
    {
      type: 'ManagedFieldsEntry',
      fields: new Map<string, FieldType>([
        ['manager', 'string'],
        ['operation', 'string'],
        ['apiVersion', 'string'],
        ['time', 'time'],
        ['fieldsType', 'string'],
        ['subresource', 'string'],
      ]),
    },
  ],
]);

/** The format of times, as Go writes it. */
const TIME_FORMAT = '"2006-01-02T15:04:05Z07:00"';

const GO_TYPES: Readonly<Record<FieldType, string>> = {
  string: 'string',
  bool: 'bool',
  time: 'string',
  int64: 'int64',
  strings: '[]string',
  stringMap: 'map[string]string',
  objects: '[]v1.OwnerReference',
};

/**
 * Returns the reason why `metadata` cannot be decoded as ObjectMeta (with the message of Go's JSON decoder), or undefined if it can be
 * decoded.
 */
export function malformedMeta(metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) return metadata === null ? undefined : unreadable(metadata, '', 'v1.ObjectMeta', 'value');
  return wrongMembers(metadata, META_FIELDS, 'ObjectMeta.');
}

/** Returns the reason why a member of an object has the wrong type. `place` is the prefix of its path in the message. */
function wrongMembers(object: JsonMap, fields: ReadonlyMap<string, FieldType>, place: string): string | undefined {
  for (const [name, value] of Object.entries(object)) {
    const type = fields.get(name);
    const problem = type === undefined || value === null || value === undefined ? undefined : wrongMember(name, type, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function wrongMember(name: string, type: FieldType, value: unknown, prefix: string): string | undefined {
  const place = `Go struct field ${prefix}${name}`;
  const wrong = (found: unknown, wanted: string): string => unreadable(found, place, wanted);
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : wrong(value, name === 'uid' ? 'types.UID' : 'string');
    case 'bool':
      return typeof value === 'boolean' ? undefined : wrong(value, 'bool');
    case 'time':
      if (typeof value !== 'string') return wrong(value, GO_TYPES[type]);
      return parseTime(value) === undefined || /[tz]/.test(value) ? `parsing time ${JSON.stringify(value)} as ${TIME_FORMAT}` : undefined;
    case 'int64':
      return Number.isInteger(value) ? undefined : wrong(value, 'int64');
    case 'strings': {
      if (!Array.isArray(value)) return wrong(value, GO_TYPES[type]);
      const odd = (value as readonly unknown[]).find((item) => typeof item !== 'string' && item !== null);
      return odd === undefined ? undefined : wrong(odd, 'string');
    }
    case 'stringMap': {
      if (!isJsonObject(value)) return wrong(value, GO_TYPES[type]);
      const odd = Object.values(value).find((item) => typeof item !== 'string' && item !== null);
      return odd === undefined ? undefined : wrong(odd, 'string');
    }
    case 'objects': {
      if (!Array.isArray(value)) return wrong(value, GO_TYPES[type]);
      return wrongEntry(name, value, wrong);
    }
  }
}

function wrongEntry(list: string, entries: readonly unknown[], wrong: (found: unknown, wanted: string) => string): string | undefined {
  const entry = ENTRIES.get(list);
  if (entry === undefined) return undefined;
  for (const one of entries) {
    if (one === null || one === undefined) continue;
    const problem = isJsonObject(one) ? wrongMembers(one, entry.fields, `${entry.type}.${list}.`) : wrong(one, `v1.${entry.type}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unreadable(value: unknown, place: string, type: string, prefix = ''): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into ${place === '' ? `Go ${prefix || 'value'}` : place} of type ${type}`;
}

/** The fields of an owner reference that are written even if they are empty. */
const OWNER_FIELDS: readonly string[] = ['apiVersion', 'kind', 'name', 'uid'];
const OPTIONAL_OWNER_FIELDS: readonly string[] = ['controller', 'blockOwnerDeletion'];

/**
 * Returns metadata as the API server stores it: without unknown fields, nulls and empty values. Null is treated as empty metadata. Returns
 * the same object if no field is dropped. `onUnknown` is called with the path of each unknown field.
 */
export function knownMeta(metadata: unknown, onUnknown: (name: string) => void): unknown {
  if (!isJsonObject(metadata)) return metadata === null ? {} : metadata;
  let isSame = true;
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(metadata)) {
    if (!META_FIELDS.has(name)) onUnknown(name);
    const kept = META_FIELDS.has(name) && !isEmpty(value) ? knownMember(name, value, onUnknown) : undefined;
    if (kept !== undefined) entries.push([name, kept]);
    isSame &&= kept === value;
  }
  return isSame ? metadata : Object.fromEntries(entries);
}

/** Whether a value is dropped as empty. `managedFields: []` is kept, because it requests a reset. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0) return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function knownMember(name: string, value: unknown, onUnknown: (name: string) => void): unknown {
  if (name === 'finalizers') return Array.isArray(value) ? knownFinalizers(value) : value;
  if (name === 'labels' || name === 'annotations') return withTexts(value);
  // Go decodes a null entry as one without anything.
  if (name === 'managedFields' && Array.isArray(value) && value.includes(null)) return value.map((entry: unknown) => entry ?? {});
  if (name !== 'ownerReferences' || !Array.isArray(value)) return value;
  const owners = value.map((owner, i) => knownOwner(owner, (field) => onUnknown(`ownerReferences[${i}].${field}`)));
  if (owners.length === 0) return undefined;
  return owners.every((owner, i) => owner === value[i]) ? value : owners;
}

/** Replaces nulls with empty strings, as Go does when it decodes a list of strings. An empty list is dropped. */
function knownFinalizers(names: readonly unknown[]): unknown {
  if (names.length === 0) return undefined;
  return names.includes(null) ? names.map((name) => name ?? '') : names;
}

/** Replaces nulls with empty strings, as Go does when it decodes a map of strings. */
function withTexts(value: unknown): unknown {
  if (!isJsonObject(value) || Object.values(value).every((member) => member !== null)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, member ?? '']));
}

function knownOwner(given: unknown, onUnknown: (name: string) => void): unknown {
  const owner = given ?? {};
  if (!isJsonObject(owner)) return owner;
  const isKnown = (name: string): boolean => OWNER_FIELDS.includes(name) || OPTIONAL_OWNER_FIELDS.includes(name);
  for (const name of Object.keys(owner)) if (!isKnown(name)) onUnknown(name);
  const isComplete = OWNER_FIELDS.every((name) => typeof owner[name] === 'string');
  if (isComplete && Object.keys(owner).every((name) => isKnown(name) && owner[name] !== null)) return owner;
  const optional = OPTIONAL_OWNER_FIELDS.filter((name) => owner[name] !== undefined && owner[name] !== null);
  return Object.fromEntries([...OWNER_FIELDS.map((name) => [name, owner[name] ?? '']), ...optional.map((name) => [name, owner[name]])]);
}
