import type { LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { type AddOnStatus, KIND, statusOf } from './reading.js';

const STORED = /\/outrigger-content-([0-9a-f]+)$/;

/**
 * addons.md §5: stored content is kept as long as an add-on names it. The check covers only deletions by the hub and uses the add-ons that
 * the pass had read. If a declaration is deleted and created again, the garbage collector deletes its content and the hub stores it again.
 */
export function judgeStoredContent(history: ObjectHistory, { kind, id, pass, actor, after, index }: LogEntry): readonly Violation[] {
  const digest = STORED.exec(id)?.[1];
  if (kind !== KIND.contents || digest === undefined || after || !pass) return [];
  const user = history.list(KIND.addOns, pass.seen[KIND.addOns]).find((addOn) => isDeclared(history, addOn) && names(addOn, digest));
  if (!user) return [];
  const { namespace = '', name = '' } = user.metadata;
  return [{ rule: 'content kept', message: `${actor} deletes the content ${digest}, which ${namespace}/${name} names`, index }];
}

/**
 * Whether the add-on's declaration exists. While a declaration is being deleted, its add-ons are deleted too, before or after the content.
 */
function isDeclared(history: ObjectHistory, { metadata }: Stored): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const declaration = history.get(KIND.declarations, metadata.name ?? '');
  return declaration !== undefined && declaration.metadata.deletionTimestamp === undefined;
}

function names(addOn: Stored, digest: string): boolean {
  return (statusOf<AddOnStatus>(addOn).configReferences ?? []).some(({ desiredConfig, lastAppliedConfig }) =>
    [desiredConfig, lastAppliedConfig].some((config) => config?.specHash?.startsWith(digest) === true),
  );
}
