import { ApiError, type StatusCause } from '../errors.js';
import { goQuote } from '../schema/go-format.js';
import type { FieldSet } from './field-set.js';
import type { Manager, Managers } from './managers.js';
import { compareText } from '../compare-text.js';
import { pathText } from './path-element.js';

/** Returns the Conflict error (409) for an apply that would take fields from other field managers. */
export function conflictError(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): ApiError {
  const owners = [...conflicts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, fields]) => ({ name: managerText(managers.get(id) as Manager), paths: [...fields.paths()].map(pathText) }));
  const causes = owners.flatMap(({ name, paths }) =>
    paths.map((field): StatusCause => ({ reason: 'FieldManagerConflict', message: `conflict with ${name}`, field })),
  );
  return new ApiError('Conflict', conflictMessage(owners, causes.length), { details: { causes } });
}

function conflictMessage(owners: readonly { name: string; paths: readonly string[] }[], count: number): string {
  if (count === 1) return `Apply failed with 1 conflict: conflict with ${owners[0]?.name}: ${owners[0]?.paths[0]}`;
  const lines = owners.flatMap(({ name, paths }) => [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function managerText(manager: Manager): string {
  const name = `${goQuote(manager.name)}${manager.subresource === '' ? '' : ` with subresource ${goQuote(manager.subresource)}`}`;
  return manager.operation === 'Update' ? `${name} using ${manager.apiVersion}` : name;
}
