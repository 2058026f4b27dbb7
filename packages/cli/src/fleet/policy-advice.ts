import { type ClusterManagementAddOn, zoneOf } from '@outrigger/api';
import type { CompiledPolicy, GatedCluster } from '@outrigger/rules/policy';
import { entriesOf, readStrategy } from '@outrigger/rules/strategy';

/** Parts of policies that are valid and have no effect, or another effect than they seem to have. Each text names the part. */

/** A policy that governs none of the add-ons. */
export function governsNothing(policy: CompiledPolicy, addOns: readonly ClusterManagementAddOn[]): boolean {
  return !addOns.some((addOn) => policy.governs(addOn.metadata.name ?? '', addOn.metadata.labels ?? {}));
}

/**
 * The entries, as `<add-on> <entry>`, for which automatic rollbacks never start: strategy All counts no failures, and no policy that
 * governs the add-on has an analysis that is enforced.
 */
export function ineffectiveRollBacks(policies: readonly CompiledPolicy[], addOn: ClusterManagementAddOn): readonly string[] {
  const name = addOn.metadata.name ?? '';
  const governing = policies.filter((policy) => policy.governs(name, addOn.metadata.labels ?? {}));
  const asksForIt = governing.some(({ onFailure }) => onFailure?.action === 'RollBack');
  const isMeasured = governing.some(({ analyses }) => analyses.some(({ isEnforced }) => isEnforced));
  if (!asksForIt || isMeasured) return [];
  return entriesOf(addOn.spec)
    .filter(({ rolloutStrategy }) => readStrategy(rolloutStrategy).type === 'All')
    .map((entry) => `${name} ${entry.name}`);
}

/** The analyses whose query is the same for every add-on, entry and revision, as `<policy>/<name>`. */
export function queriesWithoutVariables({ name, analyses }: CompiledPolicy): readonly string[] {
  return analyses.filter(({ query }) => !/\{\{(?:ADDON|REVISION|ENTRY)\}\}/.test(query)).map((analysis) => `${name}/${analysis.name}`);
}

/** The names of metrics providers and addresses that a manager has. */
export interface ManagerNames {
  readonly providers: readonly string[];
  readonly urls: readonly string[];
}

/** The providers and addresses that a policy names and the manager does not have. */
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

/** The clusters whose annotation does not name a known time zone, by window. */
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
