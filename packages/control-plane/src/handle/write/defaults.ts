import type { Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';

/** Fills in defaults: those of the schema, then those of the kind's strategy. */
export function applyDefaults(resource: Resource, draft: Draft): Draft {
  const defaulted = resource.schema().defaulted(draft);
  resource.strategy.setDefaults?.(defaulted);
  return defaulted;
}
