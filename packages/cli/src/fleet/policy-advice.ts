import { type ClusterManagementAddOn, zoneOf } from '@outrigger/api';
import type { CompiledPolicy, GatedCluster } from '@outrigger/rules/policy';
import { entriesOf, readStrategy } from '@outrigger/rules/strategy';

/**
 * The functions below find parts of policies that are valid but have no effect, or an effect other than the apparent one. Each text names
 * the part.
 */

/** Whether a policy governs none of the add-ons. */
export function governsNothing(policy: CompiledPolicy, managementAddOns: readonly ClusterManagementAddOn[]): boolean {
  return !managementAddOns.some(({ metadata }) => policy.governs(metadata.name ?? '', metadata.labels ?? {}));
}

/**
 * Returns the entries, as `<add-on> <entry>`, for which automatic rollbacks never start: strategy All counts no failures, and no policy
 * that governs the add-on has an enforced analysis.
 */
export function ineffectiveRollBacks(policies: readonly CompiledPolicy[], managementAddOn: ClusterManagementAddOn): readonly string[] {
  const name = managementAddOn.metadata.name ?? '';
  const governing = policies.filter((policy) => policy.governs(name, managementAddOn.metadata.labels ?? {}));
  const asksForIt = governing.some(({ onFailure }) => onFailure?.action === 'RollBack');
  const isMeasured = governing.some(({ analyses }) => analyses.some(({ isEnforced }) => isEnforced));
  if (!asksForIt || isMeasured) return [];
  return entriesOf(managementAddOn.spec)
    .filter(({ rolloutStrategy }) => readStrategy(rolloutStrategy).type === 'All')
    .map((entry) => `${name} ${entry.name}`);
}

/** Returns the analyses, as `<policy>/<name>`, whose query is the same for every add-on, entry and revision. */
export function queriesWithoutVariables({ name, analyses }: CompiledPolicy): readonly string[] {
  return analyses.filter(({ query }) => !/\{\{(?:ADDON|REVISION|ENTRY)\}\}/.test(query)).map((analysis) => `${name}/${analysis.name}`);
}

/** The names of the metrics providers and addresses that a manager has. */
export interface ManagerNames {
  readonly providers: readonly string[];
  readonly urls: readonly string[];
}

/** Returns the providers and addresses that a policy names but the manager does not have. */
export function unknownNames({ name, analyses, notify }: CompiledPolicy, { providers, urls }: ManagerNames): readonly string[] {
  return [
    ...analyses
      .filter(({ provider }) => !providers.includes(provider))
      .map((analysis) => `${name}/${analysis.name} measures with ${analysis.provider}, which no --metrics-provider of the manager defines`),
    ...[...new Set(notify.map(({ url }) => url))]
      .filter((url) => !urls.includes(url))
      .map((url) => `${name} notifies ${url}, which no --notify-url of the manager defines`),
  ];
}

/** Returns a message for each window that has clusters whose annotation does not name a known time zone. */
export function clustersWithoutZone(policy: CompiledPolicy, clusters: readonly GatedCluster[]): readonly string[] {
  return policy.windows.flatMap(({ name, zoneAnnotation, fallbackZone, clusters: selector }) => {
    if (zoneAnnotation === undefined) return [];
    const found = clusters.filter(({ labels, annotations }) => {
      const zone = annotations[zoneAnnotation];
      return (selector === undefined || selector.matches(labels)) && (zone === undefined || zoneOf(zone) === undefined);
    });
    if (found.length === 0) return [];
    const who = found.length === 1 ? `cluster ${found[0]?.name ?? ''}` : `${found.length} clusters`;
    return [`${policy.name}/${name}: the annotation ${zoneAnnotation} names no known time zone for ${who}; ${fallbackZone} applies`];
  });
}
