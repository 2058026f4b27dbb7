import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, type CertificateSigningRequest, type ManagedCluster } from '@outrigger/api';
import { findCondition, parseTime, shell, nameOf } from '@outrigger/core';
import { clusterOfJoinUser } from '@outrigger/hub';
import { span } from '../terminal/age.js';
import { type Finding, some } from './finding.js';

/** Reports clusters and certificate requests that wait for a user's approval. `requests` is undefined if the user may not read them. */
export function approvals(clusters: readonly ManagedCluster[], requests: readonly CertificateSigningRequest[] | undefined): Finding {
  const waiting = clusters.filter(({ spec }) => !spec.hubAcceptsClient).map(nameOf);
  const undecided = (requests ?? []).filter(isUndecided).map(nameOf);
  const [cluster] = waiting;
  const [request] = undecided;
  if (cluster !== undefined)
    return {
      check: 'approvals',
      state: 'problem',
      text: `clusters wait to be accepted: ${some(waiting)}`,
      hint: shell`outrigger accept ${cluster}`,
    };
  if (request !== undefined)
    return {
      check: 'approvals',
      state: 'problem',
      text: `certificate requests of clusters wait for an approval: ${some(undecided)}`,
      hint: shell`kubectl certificate approve ${request}`,
    };
  if (!requests)
    return {
      check: 'approvals',
      state: 'ok',
      text: 'no cluster waits; certificate requests not checked: your rights do not include certificatesigningrequests',
    };
  return { check: 'approvals', state: 'ok', text: 'none waits' };
}

/**
 * Whether the CSR needs a user's approval: it is for a cluster, not for an add-on, and was not created with a join token, because the
 * manager approves requests with a join token.
 */
export function isUndecided({ metadata, spec, status }: CertificateSigningRequest): boolean {
  return (
    metadata.labels?.[CLUSTER_NAME_LABEL] !== undefined &&
    metadata.labels[ADDON_NAME_LABEL] === undefined &&
    !status?.conditions?.length &&
    clusterOfJoinUser(spec.username ?? '') === undefined
  );
}

/**
 * The share of a certificate's lifetime after which its renewal must have failed, because agents renew certificates after 75 % to 80 % of
 * the lifetime.
 */
const LATE_SHARE = 0.9;
const PERIOD = /starting from (\S+) to (\S+)$/;

/** Reports cluster certificates that expire soon, according to the condition in which the agent reports each renewal. */
export function certificates(clusters: readonly ManagedCluster[], nowMs: number): Finding {
  const late = clusters.flatMap((cluster) => {
    const { message = '' } = findCondition(cluster.status?.conditions, 'ClusterCertificateRotated') ?? {};
    const [, from, to] = PERIOD.exec(message) ?? [];
    const start = parseTime(from);
    const end = parseTime(to);
    if (start === undefined || end === undefined || nowMs < start + LATE_SHARE * (end - start)) return [];
    return [{ name: nameOf(cluster), text: nowMs >= end ? 'ended' : `ends in ${span(end - nowMs)}` }];
  });
  const [first] = late;
  if (!first) return { check: 'certificates', state: 'ok', text: 'none is about to end' };
  return {
    check: 'certificates',
    state: 'problem',
    text: `certificates of clusters are not renewed: ${some(late.map(({ name, text }) => `${name} (${text})`))}`,
    hint: shell`kubectl get certificatesigningrequests -l ${CLUSTER_NAME_LABEL}=${first.name}`,
  };
}

/** Reports agents whose version differs from that of this command, which is also the version of the hub. */
export function agents(versions: ReadonlyMap<string, string>, own: string): Finding {
  const other = [...versions].filter(([, version]) => version !== own).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  const [first] = other;
  if (!first) return { check: 'agents', state: 'ok', text: versions.size === 0 ? 'none reports a version' : `all of version ${own}` };
  return {
    check: 'agents',
    state: 'problem',
    text: `${other.length} of ${versions.size} are of another version than ${own}: ${some(other.map(([cluster, version]) => `${cluster} (${version})`))}`,
    hint: shell`outrigger install agent --cluster-name ${first[0]}`,
  };
}
