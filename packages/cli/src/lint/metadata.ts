import { isJsonObject } from '@outrigger/core';
import { wrongType } from './field-problem.js';

const TEXTS = ['name', 'generateName', 'namespace'];
const MAPS = ['labels', 'annotations'];

/**
 * Describes the fields of `metadata` that have the wrong type, such as the label value 1.0 without quotes. The API server reports only that
 * it cannot decode the object.
 */
export function metadataTypeProblems(metadata: unknown): readonly string[] {
  if (!isJsonObject(metadata)) return [`metadata: ${wrongType(metadata, 'must be of type object')}`];
  return Object.entries(metadata).flatMap(([name, value]) => {
    const path = `metadata.${name}`;
    if (value === null) return [];
    if (TEXTS.includes(name)) return textProblems(path, value);
    if (name === 'finalizers' && !Array.isArray(value)) return [`${path}: ${wrongType(value, 'must be of type array')}`];
    if (!MAPS.includes(name)) return [];
    if (!isJsonObject(value)) return [`${path}: ${wrongType(value, 'must be of type object')}`];
    return Object.entries(value).flatMap(([key, one]) => (one === null ? [] : textProblems(`${path}[${key}]`, one)));
  });
}

function textProblems(path: string, value: unknown): readonly string[] {
  return typeof value === 'string' ? [] : [`${path}: ${wrongType(value, 'must be of type string')}`];
}
