import type { LogEntry, Stored, Violation } from './log.js';
import { KIND, specOf } from './reading.js';

const DEPLOYMENTS = 'deployments';
const APPLIED_WORKS = 'appliedmanifestworks';

/**
 * The agent may complete the deletion of an applied work only when none of its objects is left on the cluster, and the deletion of a work
 * on the hub only when the applied work of that work is gone.
 */
export function judgeOrder(cluster: string, log: readonly LogEntry[], hub: readonly LogEntry[]): readonly Violation[] {
  const found: Violation[] = [];
  const fail = (message: string): void => void found.push({ rule: 'objects first', message: `${cluster}: ${message}` });
  const objects = new Map<string, Stored>();
  const applied = new Map<string, Stored>();
  const ended = hub.filter(
    ({ kind, id, actor, after }) => kind === KIND.works && !after && isAgent(actor, cluster) && id.startsWith(`${cluster}/`),
  );
  let next = 0;
  const endUntil = (at: number): void => {
    for (let entry = ended[next]; entry && entry.at < at; entry = ended[++next]) {
      const name = entry.id.slice(cluster.length + 1);
      const left = [...applied.values()].some((one) => specOf<{ manifestWorkName?: string }>(one)?.manifestWorkName === name);
      if (left) fail(`the work ${name} ends while its applied work is left`);
    }
  };
  for (const { kind, id, actor, at, before, after } of log) {
    endUntil(at);
    const known = kind === DEPLOYMENTS ? objects : kind === APPLIED_WORKS ? applied : undefined;
    if (after) known?.set(id, after);
    else known?.delete(id);
    if (kind !== APPLIED_WORKS || after || !before || !isAgent(actor, cluster)) continue;
    for (const [name, object] of objects) {
      if (isOwnedBy(object, before.metadata.uid)) fail(`the applied work ${id} ends while ${name} is left`);
    }
  }
  endUntil(Infinity);
  return found;
}

/** Whether the writer is the agent of the cluster. If a controller of the agent wrote, the actor also names the controller. */
export function isAgent(actor: string, cluster: string): boolean {
  return actor === `agent ${cluster}` || actor.startsWith(`agent ${cluster} `);
}

function isOwnedBy({ metadata }: Stored, uid: string | undefined): boolean {
  const { ownerReferences = [] } = metadata as { ownerReferences?: readonly { readonly uid?: string }[] };
  return ownerReferences.some((owner) => owner.uid === uid);
}
