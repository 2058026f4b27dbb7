import { ADDON_NAME_LABEL, type ManifestCondition, type ManifestWork, NOT_READY_REASON } from '@outrigger/api';
import { type Condition, findCondition, shell } from '@outrigger/core';
import { type Link, note, stop, wait } from '../explanation/chain.js';
import { verdictOf } from '../works/feedback.js';
import { failureOf, feedbackOf, manifestName } from '../works/work-projection.js';
import type { FeedbackValues } from '../works/workload-kinds.js';

/** Maximum number of manifests and workloads that an explanation names. */
const MOST_NAMED = 5;

/** Returns one link for each manifest that the agent could not apply, with the agent's message and the place to fix it. */
export function refusedManifests(works: readonly ManifestWork[], addOn: string, cluster: string): readonly Link[] {
  const failures = works.flatMap((work) =>
    reportedManifests(work).flatMap((manifest) => failureOf(manifest, work.metadata.generation ?? 0)),
  );
  const named = failures
    .slice(0, MOST_NAMED)
    .map(({ manifest, message }) => stop(`${manifest}: ${message}`, manifestHint(message, addOn, cluster)));
  const more = failures.length - named.length;
  // List the first failure last, because the last link is the cause: objects that need the first manifest fail after it.
  return more > 0 ? [stop(`${more} more manifests could not be applied`), ...named.reverse()] : named.reverse();
}

/**
 * Returns one note for each object that is also in the works of another add-on. Both works report it as applied, but only one of them
 * wrote its current content. Namespaces are left out, because add-ons share them on purpose.
 */
export function sharedObjects(own: readonly ManifestWork[], others: readonly ManifestWork[]): readonly Link[] {
  const owners = new Map<string, string>();
  for (const work of others)
    for (const { resourceMeta } of reportedManifests(work))
      owners.set(objectId(resourceMeta), work.metadata.labels?.[ADDON_NAME_LABEL] ?? '');
  const shared = own.flatMap(reportedManifests).filter(({ resourceMeta }) => resourceMeta.kind !== 'Namespace');
  return shared
    .flatMap(({ resourceMeta }) => {
      const owner = owners.get(objectId(resourceMeta));
      const text = `${manifestName(resourceMeta)} is also an object of ${owner}: the last write wins; rename it in one of the two templates`;
      return owner === undefined || owner === '' ? [] : [note(text)];
    })
    .slice(0, MOST_NAMED);
}

function objectId({ group = '', resource = '', namespace = '', name = '' }: ManifestCondition['resourceMeta']): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

/** Suggests how to fix a manifest, based on the message with which an API server rejected it. */
export function manifestHint(message: string, addOn: string, cluster: string): string {
  const render = shell`outrigger render ${addOn} --cluster ${cluster}`;
  const [, namespace] = /namespaces? "([^"]+)" not found/.exec(message) ?? [];
  if (namespace !== undefined)
    return `add the Namespace ${namespace} to the template, or create it on ${cluster}: ${shell`kubectl create namespace ${namespace}`}`;
  const [, kind] = /resource type "([^"]+)"/.exec(message) ?? [];
  if (kind !== undefined) return `install the CustomResourceDefinition of ${kind} on ${cluster}, or correct the manifest: ${render}`;
  if (/is forbidden|not allowed to apply/.test(message))
    return `allow it to the agent or the executor on ${cluster}; the manifests: ${render}`;
  return `correct the manifest: ${render}`;
}

/**
 * Returns one link for each unready workload, with its replica counts, the time since which it has been unready, a note if it exceeded its
 * progress deadline, and the reason that its pods report. The link has type `stop` if user action is needed.
 */
export function unreadyWorkloads(works: readonly ManifestWork[], cluster: string, since: string | undefined): readonly Link[] {
  const found = works.filter(isReported).flatMap((work) =>
    reportedManifests(work).flatMap((manifest): readonly Link[] => {
      const [feedback] = feedbackOf(manifest);
      const verdict = feedback && verdictOf(feedback);
      if (!feedback || !verdict || (verdict.isRolledOut && verdict.isHealthy !== false)) return [];
      return [unready(manifest, feedback.values, verdict.hasMissedDeadline, cluster, since)];
    }),
  );
  return found.slice(0, MOST_NAMED);
}

function unready(
  { resourceMeta }: ManifestCondition,
  values: FeedbackValues,
  hasMissedDeadline: boolean,
  cluster: string,
  since: string | undefined,
): Link {
  const reason = values[NOT_READY_REASON];
  const details = [
    ...(hasMissedDeadline ? ['it exceeded its progress deadline'] : []),
    ...(typeof reason === 'string' && reason !== '' ? [reason] : []),
  ];
  const text = `${manifestName(resourceMeta)}: ${replicas(values)}${since === undefined ? '' : ` since ${since}`}${details.map((one) => `: ${one}`).join('')}`;
  const { resource = '', namespace = '', name = '' } = resourceMeta;
  const hint = `on ${cluster}: ${shell`kubectl describe ${resource} ${name} -n ${namespace}`}`;
  return hasMissedDeadline || isLasting(reason) ? stop(text, hint) : wait(text, hint);
}

/** The names of the feedback values that contain the desired and the ready count, with one row for each kind of workload. */
const COUNTS: readonly { readonly wanted: string; readonly there: string; readonly noun: string }[] = [
  { wanted: 'DesiredReplicas', there: 'AvailableReplicas', noun: 'replicas' },
  { wanted: 'Replicas', there: 'AvailableReplicas', noun: 'replicas' },
  { wanted: 'DesiredNumberScheduled', there: 'NumberAvailable', noun: 'pods' },
];

function replicas(values: FeedbackValues): string {
  const counts = COUNTS.find(({ wanted }) => values[wanted] !== undefined);
  if (!counts) return values['FailedCondition'] === 'True' ? 'it failed' : 'not ready';
  const there = Number(values[counts.there] ?? 0);
  const wanted = Number(values[counts.wanted]);
  return `${there} of ${wanted} ${counts.noun} available${there < wanted ? '' : updateState(values, wanted)}`;
}

/** Describes the update of a workload that has enough available pods only because old pods still run. */
function updateState(values: FeedbackValues, wanted: number): string {
  const updated = values['UpdatedReplicas'] ?? values['UpdatedNumberScheduled'];
  if (updated === undefined) return '';
  if (Number(updated) < wanted) return `, ${String(updated)} of them updated`;
  const old = Number(values['Replicas'] ?? 0) - Number(updated);
  return old > 0 ? `, but ${old} old ${old === 1 ? 'pod is' : 'pods are'} not replaced` : '';
}

/** Reasons that resolve without user action while pods start. All other reasons that agents report need user action. */
const PASSING_REASON = /ContainerCreating|PodInitializing/;

function isLasting(reason: FeedbackValues[string] | undefined): boolean {
  return typeof reason === 'string' && reason !== '' && !PASSING_REASON.test(reason);
}

function reportedManifests({ status }: ManifestWork): readonly ManifestCondition[] {
  return status?.resourceStatus?.manifests ?? [];
}

/** Whether the agent has reported on the current content of the work. */
function isReported({ metadata, status }: ManifestWork): boolean {
  const isCurrent = (found: Condition | undefined): boolean => found?.observedGeneration === metadata.generation;
  return isCurrent(findCondition(status?.conditions, 'Applied')) && isCurrent(findCondition(status?.conditions, 'Available'));
}
