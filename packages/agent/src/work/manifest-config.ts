import type { ManifestConfig } from '@outrigger/api';
import type { ObjectRef } from '../live/live-objects.js';

/** How one manifest is treated: field by field, the first matching entry that says something. */
export function configFor(configs: readonly ManifestConfig[], ref: ObjectRef): Pick<ManifestConfig, 'feedbackRules' | 'updateStrategy'> {
  const matching = configs.filter(({ resourceIdentifier: id }) => {
    const isKind = (id.group ?? '') === ref.kind.group && id.resource === ref.kind.plural;
    return isKind && wildcard(id.namespace ?? '', ref.namespace) && wildcard(id.name, ref.name);
  });
  const feedbackRules = matching.find((config) => (config.feedbackRules ?? []).length > 0)?.feedbackRules;
  const updateStrategy = matching.find((config) => config.updateStrategy !== undefined)?.updateStrategy;
  return { ...(feedbackRules ? { feedbackRules } : {}), ...(updateStrategy ? { updateStrategy } : {}) };
}

/** `*` stands for any run of characters; matched without a regular expression, in linear time for one star and bounded for many. */
function wildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
