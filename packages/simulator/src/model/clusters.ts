import type { Evidence, LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { isAgent, judgeOrder } from './removal-order.js';
import { equal } from './json.js';
import { KIND, specOf } from './reading.js';

const DEPLOYMENTS = 'deployments';
const APPLIED_WORKS = 'appliedmanifestworks';

interface Manifest {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

/**
 * Checks the guarantees about objects on clusters: their content is exact, the agent deletes only objects that it applied, and no object is
 * left behind.
 */
export function judgeClusters(history: ObjectHistory, { clusters, hasSettled, log: hub }: Evidence): readonly Violation[] {
  return [...clusters].flatMap(([cluster, log]) => {
    const found = log.flatMap((entry) => [...judgeContent(history, cluster, entry), ...judgeDeletion(cluster, entry)]);
    return [...found, ...judgeOrder(cluster, log, hub), ...(hasSettled ? judgeEndOf(history, cluster, log) : [])];
  });
}

/** Everything that an agent writes must be, byte for byte, a manifest in some version of a work for its cluster. */
function judgeContent(history: ObjectHistory, cluster: string, { kind, id, actor, before, after }: LogEntry): readonly Violation[] {
  if (kind !== DEPLOYMENTS || !isAgent(actor, cluster) || !after || (before && equal(before.spec, after.spec))) return [];
  const wanted = worksOf(history, cluster).flatMap((work) =>
    history.versions(KIND.works, work).flatMap(({ object }) => manifestsOf(object)),
  );
  const isIt = ({ metadata, spec }: Manifest): boolean =>
    `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}` === id &&
    equal(spec, after.spec) &&
    metadata?.annotations?.['level'] === after.metadata.annotations?.['level'];
  if (wanted.some(isIt)) return [];
  return [{ rule: 'exact content', message: `${cluster}: ${id} is written with content that no work has: ${JSON.stringify(after.spec)}` }];
}

/** An agent must delete only objects that one of its applied works owns. */
function judgeDeletion(cluster: string, { kind, id, actor, before, after }: LogEntry): readonly Violation[] {
  if (kind !== DEPLOYMENTS || !isAgent(actor, cluster) || after || !before) return [];
  const { ownerReferences = [] } = before.metadata as { ownerReferences?: readonly { readonly kind?: string }[] };
  if (ownerReferences.some((owner) => owner.kind === 'AppliedManifestWork')) return [];
  return [{ rule: 'unowned object', message: `${cluster}: the agent deletes ${id}, which no work of its hub owns` }];
}

/** At the end, the cluster must have every manifest of its works, and no object of a deleted work. */
function judgeEndOf(history: ObjectHistory, cluster: string, log: readonly LogEntry[]): readonly Violation[] {
  const end = new Map<string, Stored>();
  for (const { kind, id, after } of log) {
    if (kind !== DEPLOYMENTS && kind !== APPLIED_WORKS) continue;
    if (after) end.set(`${kind} ${id}`, after);
    else end.delete(`${kind} ${id}`);
  }
  const managedCluster = history.get(KIND.clusters, cluster);
  if (!managedCluster || managedCluster.metadata.deletionTimestamp !== undefined) return [];
  const found: Violation[] = [];
  const fail = (rule: string, message: string): void => void found.push({ rule, message: `${cluster}: ${message}` });
  const works = worksOf(history, cluster).flatMap((id) => history.get(KIND.works, id) ?? []);
  for (const manifest of works.flatMap((work) => manifestsOf(work))) {
    const id = `${manifest.metadata?.namespace ?? ''}/${manifest.metadata?.name ?? ''}`;
    const object = end.get(`${DEPLOYMENTS} ${id}`);
    if (!object) fail('applied', `${id} is missing`);
    else if (!contains(object.spec, manifest.spec)) fail('applied', `${id} differs from its manifest: ${JSON.stringify(object.spec)}`);
    else if (!contains(object.metadata.annotations ?? {}, manifest.metadata?.annotations ?? {}))
      fail('applied', `${id} does not have the annotations of its manifest`);
  }
  const owned = new Set(works.flatMap(manifestsOf).map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`));
  for (const [name, object] of end) {
    const { ownerReferences = [] } = object.metadata as { ownerReferences?: readonly unknown[] };
    const id = name.slice(DEPLOYMENTS.length + 1);
    if (name.startsWith(DEPLOYMENTS) && ownerReferences.length > 0 && !owned.has(id)) fail('nothing left on a cluster', `${id} is left`);
  }
  const names = new Set(works.map(({ metadata }) => metadata.name ?? ''));
  for (const [name, object] of end) {
    const work = specOf<{ manifestWorkName?: string }>(object)?.manifestWorkName ?? '';
    if (name.startsWith(APPLIED_WORKS) && !names.has(work)) fail('nothing left on a cluster', `the applied work of ${work} is left`);
  }
  return found;
}

/** Whether a value has all fields of another value. It may have more, because a server adds defaults. */
function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && value.length === wanted.length && wanted.every((item, i) => contains(value[i], item));
  }
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(wanted).every(([name, field]) => contains((value as Readonly<Record<string, unknown>>)[name], field));
}

function worksOf(history: ObjectHistory, cluster: string): readonly string[] {
  return [...history.ids(KIND.works)].filter((id) => id.startsWith(`${cluster}/`));
}

function manifestsOf(work: Stored | undefined): readonly Manifest[] {
  return specOf<{ workload?: { manifests?: readonly Manifest[] } }>(work)?.workload?.manifests ?? [];
}
