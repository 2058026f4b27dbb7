import { decodeText, deepEqual, type KubeObject, encodeText } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { ensureFields, fieldsOf, isFields, type Draft, type Fields } from '../draft.js';
import type { Strategy } from '../resource.js';
import { immutable } from './pod-validation.js';

const MAX_BYTES = 1024 * 1024;
const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_PROBLEM =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Keys that a typed secret must have. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

const BASIC_AUTH = 'kubernetes.io/basic-auth';
/** A secret of type basic-auth needs at least one of these keys. */
const BASIC_AUTH_KEYS = ['username', 'password'];
const ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export const configMapStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  validate: (draft) => [
    ...validateKeys(draft, 'data'),
    ...validateDistinct(draft),
    ...validateKeys(draft, 'binaryData'),
    ...validateSize(draft, 'data', 'binaryData'),
  ],
  validateUpdate: (draft, old) => validateFrozen(draft, old, ['data', 'binaryData']),
};

export const secretStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  setDefaults(draft) {
    draft['type'] ??= 'Opaque';
    const plain = draft['stringData'];
    delete draft['stringData'];
    if (!isFields(plain)) return;
    const data = ensureFields(draft, 'data');
    for (const [key, value] of Object.entries(plain)) data[key] = encodeText(String(value));
  },
  validate: (draft) => [
    ...validateKeys(draft, 'data'),
    ...validateRequired(draft),
    ...validateDocument(draft),
    ...validateSize(draft, '', 'data'),
  ],
  validateUpdate(draft, old) {
    const before = old as unknown as Fields;
    const type = draft['type'] === before['type'] ? [] : [immutable('type', draft['type'])];
    return [...type, ...validateFrozen(draft, old, ['data'])];
  },
};

function validateKeys(draft: Draft, field: string): FieldError[] {
  return Object.keys(fieldsOf(draft, field)).flatMap((key) =>
    keyProblems(key).map((problem) => fieldError.invalid(`${field}[${key}]`, key, problem)),
  );
}

/** Returns why a key cannot be the name of a file. The kubelet uses names with two leading dots itself. */
function keyProblems(key: string): string[] {
  return [
    ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(KEY.test(key) ? [] : [KEY_PROBLEM]),
    ...(key === '.' || key === '..' ? [`must not be '${key}'`] : key.startsWith('..') ? ["must not start with '..'"] : []),
  ];
}

function validateDistinct(draft: Draft): FieldError[] {
  const binary = fieldsOf(draft, 'binaryData');
  return Object.keys(fieldsOf(draft, 'data'))
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) => fieldError.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
}

function validateRequired(draft: Draft): FieldError[] {
  const type = String(draft['type']);
  const data = fieldsOf(draft, 'data');
  const missing = (keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => fieldError.required(`data[${key}]`));
  if (type === BASIC_AUTH) return BASIC_AUTH_KEYS.some((key) => data[key] !== undefined) ? [] : missing(BASIC_AUTH_KEYS);
  if (type === ACCOUNT_TOKEN && !draft.metadata.annotations?.[ACCOUNT_NAME])
    return [fieldError.required(`metadata.annotations[${ACCOUNT_NAME}]`)];
  return missing(REQUIRED_KEYS[type] ?? []);
}

/** The key of a secret for a registry, whose value must be a JSON object. */
const DOCUMENT_KEYS: Readonly<Record<string, string>> = {
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
  'kubernetes.io/dockercfg': '.dockercfg',
};

function validateDocument(draft: Draft): FieldError[] {
  const key = DOCUMENT_KEYS[String(draft['type'])] ?? '';
  const value = fieldsOf(draft, 'data')[key];
  if (typeof value !== 'string') return [];
  try {
    const document: unknown = JSON.parse(decodeText(value));
    if (isFields(document) || document === null) return [];
  } catch {
    // The value is not JSON.
  }
  return [fieldError.invalid(`data[${key}]`, '<secret contents redacted>', 'must be a JSON object')];
}

/**
 * Validates the total size. `plain` contains strings; `encoded` contains base64, which is a third longer than the bytes that it encodes.
 */
function validateSize(draft: Draft, plain: string, encoded: string): FieldError[] {
  const lengthOf = (field: string): number =>
    Object.values(fieldsOf(draft, field)).reduce<number>((sum, value) => sum + bytesOf(String(value)), 0);
  const total = lengthOf(plain) + Math.floor(lengthOf(encoded) * 0.75);
  return total > MAX_BYTES ? [fieldError.tooLong('', MAX_BYTES)] : [];
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function validateFrozen(draft: Draft, old: KubeObject, fields: readonly string[]): FieldError[] {
  const before = old as unknown as Fields;
  if (before['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const thawed = draft['immutable'] === true ? [] : [fieldError.forbidden('immutable', detail)];
  return [
    ...thawed,
    ...fields.filter((field) => !deepEqual(draft[field], before[field])).map((field) => fieldError.forbidden(field, detail)),
  ];
}
