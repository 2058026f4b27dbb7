import type { KubeObject } from '@outrigger/core';

/**
 * Returns the field manager that last wrote a field, according to managedFields. Undefined if no manager owns the field, or if several
 * managers wrote it in the same second, which makes the order of the writes unknown.
 */
export function fieldManagerOf({ metadata }: KubeObject, ...path: readonly string[]): string | undefined {
  const writers = (metadata.managedFields ?? []).filter(({ subresource = '', fieldsV1 }) => subresource === '' && owns(fieldsV1, path));
  const latest = writers.reduce((time, writer) => (writer.time !== undefined && writer.time > time ? writer.time : time), '');
  const last = new Set(writers.filter(({ time = '' }) => time === latest).map(({ manager }) => manager));
  const [manager] = last;
  return last.size === 1 ? manager : undefined;
}

function owns(fields: unknown, [first, ...rest]: readonly string[]): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  if (first === undefined) return true;
  return owns((fields as Readonly<Record<string, unknown>>)[`f:${first}`], rest);
}
