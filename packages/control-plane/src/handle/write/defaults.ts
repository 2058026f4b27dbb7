import type { Draft } from '../../registry/draft.js';
import type { Resource } from '../../registry/resource.js';

/** Fills in defaults: the schema's, then those it has no words for. */
export function applyDefaults(resource: Resource, draft: Draft): Draft {
  const defaulted = resource.schema().defaulted(draft);
  resource.strategy.setDefaults?.(defaulted);
  return defaulted;
}
