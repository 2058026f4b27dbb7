import { dirname, isAbsolute, join } from 'node:path';
import { isJsonObject, type JsonObject } from '@outrigger/core';
import { ConfigError, type PemSource } from './connection.js';
import type { Entry } from './kubeconfig.js';

/** Reads the fields of one entry. Every error names the file, the entry and the field. */
export interface FieldReader {
  fail(problem: string): never;
  text(field: string): string | undefined;
  flag(field: string): boolean;
  texts(field: string): readonly string[];
  object(field: string): JsonObject | undefined;
  /** The path of a file, resolved against the kubeconfig. */
  path(field: string): string | undefined;
  /** The value of `<field>-data` if it is set, otherwise the file that `<field>` names, as in kubectl. */
  pem(field: string): PemSource | undefined;
}

export function readFields({ file, at, fields }: Entry): FieldReader {
  const fail = (problem: string): never => {
    throw new ConfigError(`${file}: ${at}: ${problem}`);
  };
  const text = (field: string): string | undefined => {
    const value = fields[field] ?? '';
    if (typeof value !== 'string') return fail(`${field} is not a text: put it in quotes`);
    return value === '' ? undefined : value;
  };
  const path = (field: string): string | undefined => {
    const value = text(field);
    return value === undefined ? undefined : relativeTo(file, value);
  };
  return {
    fail,
    text,
    path,
    flag(field) {
      const value = fields[field] ?? false;
      return typeof value === 'boolean' ? value : fail(`${field} is neither true nor false`);
    },
    texts(field) {
      const value = fields[field] ?? [];
      const isTexts = Array.isArray(value) && value.every((it): it is string => typeof it === 'string');
      return isTexts ? value : fail(`${field} is not a list of texts`);
    },
    object(field) {
      const value = fields[field] ?? undefined;
      return value === undefined || isJsonObject(value) ? value : fail(`${field} is not an object`);
    },
    pem(field) {
      const data = text(`${field}-data`);
      if (data !== undefined) return { data: decode(data, (problem) => fail(`${field}-data ${problem}`)) };
      const named = path(field);
      return named === undefined ? undefined : { file: named };
    },
  };
}

export function relativeTo(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

function decode(base64: string, fail: (problem: string) => never): string {
  const compact = base64.replace(/\s/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact))
    return fail('is not valid base64: it must be the file encoded with base64');
  const text = Buffer.from(compact, 'base64').toString('utf8');
  return text.includes('-----BEGIN ') ? text : fail('holds no PEM: it must be a PEM file encoded with base64');
}
