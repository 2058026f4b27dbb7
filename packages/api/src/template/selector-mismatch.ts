import {
  type JsonObject,
  type LabelSelector,
  type Labels,
  compileLabelSelector,
  isJsonObject,
  validateLabelSelector,
} from '@outrigger/core';

/** The kinds of the group `apps` whose selector must select their own pods. */
const KINDS: ReadonlySet<string> = new Set(['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet']);

/** Returns one message for each workload whose selector does not select its own pods, because an API server refuses to create it. */
export function selectorMismatches(manifests: readonly unknown[], path: string): readonly string[] {
  return manifests.flatMap((manifest, index) => (isJsonObject(manifest) ? mismatch(manifest, `${path}[${index}]`) : []));
}

function mismatch({ apiVersion, kind, spec }: JsonObject, path: string): readonly string[] {
  if (apiVersion !== 'apps/v1' || typeof kind !== 'string' || !KINDS.has(kind) || !isJsonObject(spec)) return [];
  const { selector } = spec;
  const labels = podLabels(spec);
  if (!isJsonObject(selector) || labels === undefined || mayHoldVariables(selector, labels)) return [];
  if (!isSelector(selector)) return [];
  const compiled = compileLabelSelector(selector);
  if (compiled.matches(labels)) return [];
  const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [
    `${path}.spec.selector: the ${kind} selects pods with ${compiled.toString()}, but its own pods have ${shown.length === 0 ? 'no labels' : shown.join(',')} (spec.template.metadata.labels), so clusters refuse it; make them agree`,
  ];
}

function podLabels({ template }: JsonObject): Labels | undefined {
  if (!isJsonObject(template)) return undefined;
  const { metadata } = template;
  if (metadata === undefined || metadata === null) return {};
  if (!isJsonObject(metadata)) return undefined;
  const labels = metadata['labels'] ?? {};
  return isJsonObject(labels) && Object.values(labels).every((value) => typeof value === 'string') ? (labels as Labels) : undefined;
}

/**
 * Whether the selector or the labels contain variables. If so, they are not compared, because different strings may be equal once the
 * variables are filled in.
 */
function mayHoldVariables(selector: JsonObject, labels: Labels): boolean {
  return JSON.stringify([selector, labels]).includes('{{');
}

function isSelector(selector: JsonObject): selector is JsonObject & LabelSelector {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (!isJsonObject(matchLabels) || !Object.values(matchLabels).every((value) => typeof value === 'string')) return false;
  if (!Array.isArray(matchExpressions) || !matchExpressions.every(isJsonObject)) return false;
  return validateLabelSelector(selector, 'selector').length === 0;
}
