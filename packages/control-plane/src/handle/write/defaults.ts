import type { Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';
import type { Tracking } from './managed-fields.js';

/**
 * Fills in defaults: those of the schema, then those of the kind's strategy. A real server drops the nulls that a custom kind does not allow,
 * but not those of an apply, which validation then refuses.
 */
export function applyDefaults(resource: Resource, draft: Draft, tracking?: Tracking): Draft {
  const defaulted = resource.schema().defaulted(draft, tracking === 'computed' && resource.isCustom ? 'keep' : undefined);
  resource.strategy.setDefaults?.(defaulted);
  return defaulted;
}
