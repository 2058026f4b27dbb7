import type { Draft } from '../../registry/draft.js';
import { dropEmptyValues } from '../../registry/empty-values.js';
import type { Resource } from '../../registry/resource.js';
import type { Tracking } from './managed-fields.js';

/**
 * Fills in the defaults of the schema, then those of the kind's strategy. In a built-in kind, empty values that Go omits get defaults like
 * absent ones. As on a real server, nulls that a custom kind does not allow are dropped, except in a server-side apply, where validation
 * then rejects them.
 */
export function applyDefaults(resource: Resource, draft: Draft, tracking?: Tracking): Draft {
  if (resource.message !== undefined) dropEmptyValues(draft, resource.message);
  const defaulted = resource.schema().defaulted(draft, tracking === 'computed' && resource.isCustom ? 'keep' : undefined);
  resource.strategy.setDefaults?.(defaulted);
  return defaulted;
}
