import type { KubeObject, ManagedFieldsEntry, OwnerReference } from '@outrigger/core';

/**
 * An object before it is stored. It is private to one request, so the steps of the pipeline change it in place. It is frozen when it is
 * stored.
 */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: DraftMeta;
  [field: string]: unknown;
}

export interface DraftMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** The members of an object, or of a part of one, for code that reads fields by name. */
export type Fields = Readonly<Record<string, unknown>>;
export type MutableFields = Record<string, unknown>;

export function isFields(value: unknown): value is MutableFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the member as an object. A missing member becomes an empty object, so that nested reads are safe. */
export function fieldsOf(parent: unknown, name: string): Fields {
  const value = isFields(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return isFields(value) ? value : {};
}

/** Returns the member as a list of objects. Items of other types are skipped. */
export function listOf(parent: unknown, name: string): readonly MutableFields[] {
  const value = isFields(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Returns the member as an object that can be written to, and creates it if it is missing. */
export function ensureFields(parent: MutableFields, name: string): MutableFields {
  const value = parent[name];
  if (isFields(value)) return value;
  const created: MutableFields = {};
  parent[name] = created;
  return created;
}

export function textOf(parent: unknown, name: string): string | undefined {
  const value = isFields(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(parent: unknown, name: string): number | undefined {
  const value = isFields(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

export function asObject(draft: Draft): KubeObject {
  return draft;
}
