import { ADDON_LABEL } from './content.js';
import { ObjectHistory, type Evidence, type Stored, type Violation } from './log.js';
import { KIND, conditionOf } from './reading.js';

const CLUSTER_LABEL = 'open-cluster-management.io/cluster-name';
/** Marks a request that the simulation has sent and that must not be approved. */
const WRONG = 'sim.outrigger.dev/wrong';
const RULE = 'certificates';

interface RequestSpec {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/**
 * Checks the certificate requests at the end of a run. The hub gives a certificate for an add-on only to an agent of the add-on's own
 * cluster, and only for the subject and usages of its registration. Every installed add-on with rights on the hub must have its
 * certificate. `leftNames` are the clusters that were detached: no machine has joined under their names since.
 */
export function judgeCertificates(
  { initial }: Pick<Evidence, 'initial'>,
  requests: readonly Stored[],
  leftNames: ReadonlySet<string> = new Set(),
): readonly Violation[] {
  const history = new ObjectHistory(initial);
  const found = requests.filter((request) => conditionOf(request, 'Approved')?.status === 'True').flatMap(problemsOf);
  for (const addOn of history.list(KIND.addOns)) {
    const { namespace = '', name = '', deletionTimestamp } = addOn.metadata;
    if (deletionTimestamp !== undefined || !history.get(KIND.clusters, namespace) || leftNames.has(namespace)) continue;
    // After a denial, an agent waits before it sends another request. A request by another cluster must not delay the agent.
    if (requests.some((request) => isWrongOf(request, namespace, name))) continue;
    if (conditionOf(addOn, 'RegistrationApplied')?.reason !== 'SetPermissionApplied') continue;
    const rotated = conditionOf(addOn, 'ClusterCertificateRotated');
    if (rotated?.status !== 'True') found.push(`${namespace}/${name} has no certificate: ${messageOf(rotated)}`);
  }
  return found.map((message) => ({ rule: RULE, message }));
}

/** Whether an agent of the cluster has sent a wrong request for the add-on. */
function isWrongOf(request: Stored, cluster: string, addOn: string): boolean {
  const { labels = {}, annotations = {} } = request.metadata;
  return labels[CLUSTER_LABEL] === cluster && labels[ADDON_LABEL] === addOn && annotations[WRONG] !== undefined && isOwn(request);
}

/** Whether the sender of the request is an agent of the cluster that the request names. */
function isOwn({ metadata, spec }: Stored): boolean {
  const { username = '', groups = [] } = (spec ?? {}) as RequestSpec;
  const agents = `system:open-cluster-management:${metadata.labels?.[CLUSTER_LABEL] ?? ''}`;
  return username.startsWith(`${agents}:`) && groups.includes(agents);
}

/** Whether the request asks for the certificate of a cluster with the join token of that cluster. */
function isJoin({ metadata, spec }: Stored): boolean {
  const { labels = {} } = metadata;
  const { username } = (spec ?? {}) as RequestSpec;
  return labels[ADDON_LABEL] === undefined && username === `system:serviceaccount:outrigger-join:${labels[CLUSTER_LABEL] ?? ''}`;
}

function problemsOf(request: Stored): readonly string[] {
  const { name = '', labels = {}, annotations = {} } = request.metadata;
  const { username = '' } = (request.spec ?? {}) as RequestSpec;
  return [
    ...(isOwn(request) || isJoin(request)
      ? []
      : [`${name} for ${labels[CLUSTER_LABEL] ?? ''}/${labels[ADDON_LABEL] ?? ''} is approved for ${username}`]),
    ...(annotations[WRONG] === undefined ? [] : [`${name} is approved with a wrong ${annotations[WRONG]}`]),
  ];
}

function messageOf(condition: object | undefined): string {
  const { reason = 'no condition', message = '' } = (condition ?? {}) as { readonly reason?: string; readonly message?: string };
  return `${reason} ${message}`.trim();
}
