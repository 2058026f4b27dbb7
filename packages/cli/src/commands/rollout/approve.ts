import {
  type AddOnRollout,
  type RolloutEntry,
  type RolloutPolicy,
  type SelfSubjectReview,
  rolloutApprovals,
  rolloutPolicies,
  selfSubjectReviews,
} from '@outrigger/api';
import { parseDuration, shell } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type DecidableGate, MAX_OVERRIDE_MS, approvalOf, decidableGates } from '@outrigger/rules/decisions';
import { isHalted } from '@outrigger/rules/rollout';
import { CommandError, EXIT, notFound, usageError } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { find } from '../../fleet/objects.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';
import type { DecideOptions, DecideVerb } from './approve-command.js';

interface Request extends ConnectionOptions, DecideOptions {
  readonly addOn: string;
  readonly verb: DecideVerb;
}

const DEFAULT_OVERRIDE = '1h';

/** Writes a RolloutApproval for each entry that the gate holds. */
export async function decide(context: CommandContext, request: Request): Promise<void> {
  const { addOn, verb, message, for: length = DEFAULT_OVERRIDE } = request;
  if (verb === 'override' && (message ?? '').trim() === '') throw usageError('an override needs a reason: add it with -m');
  if (verb !== 'override' && request.for !== undefined) throw usageError('--for is an option of rollout override only');
  const lengthMs = parseDuration(length);
  if (lengthMs <= 0 || lengthMs > MAX_OVERRIDE_MS) throw usageError('--for: an override lasts longer than 0s and at most 24h');
  const { clock } = await context.runtime();
  await withHub(context, request, async (hub) => {
    const rollout = await requireRollout(hub, addOn);
    const subjects = await subjectsOf(hub, rollout, request);
    const by = await userName(hub);
    for (const subject of subjects) {
      const made = { verb, by, comment: message, endsAt: clock.now() + lengthMs };
      await hub.create(rolloutApprovals, approvalOf(rollout, subject, made));
      const group = subject.group === undefined ? '' : ` of group ${clean(subject.group)}`;
      context.terminal.out(
        `${addOn}: ${clean(subject.gate)}${group} ${DONE[verb]} for revision ${subject.revision} of ${clean(subject.entry)}\n`,
      );
    }
  });
}

const DONE: Readonly<Record<DecideVerb, string>> = {
  approve: 'approved',
  reject: 'rejected',
  override: 'overridden',
  retry: 'retried',
};

async function userName(hub: Client): Promise<string> {
  const review: SelfSubjectReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const name = (await hub.create(selfSubjectReviews, review)).status?.userInfo?.username;
  if (name === undefined || name === '')
    throw new CommandError('the API server does not say who you are, so nothing can be decided', EXIT.failed);
  return name;
}

async function subjectsOf(hub: Client, rollout: AddOnRollout, request: Request): Promise<readonly DecidableGate[]> {
  const { addOn, verb, gate, entry: entryName } = request;
  const all = (rollout.status?.entries ?? []).filter(({ name }) => entryName === undefined || name === entryName);
  if (entryName !== undefined && all.length === 0)
    throw notFound(`${addOn} has no entry ${entryName}: \`${shell`outrigger rollout status ${addOn}`}\``);
  const offered = all.flatMap((entry) => decidableGates(entry, verb)).filter((one) => isAsked(one, request));
  const gates = [...new Set(offered.map((one) => `${one.gate} ${one.group ?? ''}`))];
  if (gates.length === 1) return offered;
  if (gates.length > 1)
    throw usageError(`several gates of ${addOn} wait; choose one:\n${gates.map((one) => choice(request, one)).join('\n')}`);
  const early = gate === undefined ? [] : await earlySubjects(hub, all, { ...request, gate });
  if (early.length > 0) return early;
  if (verb === 'retry' && gate === undefined && all.some(recoversByItself)) throw new CommandError(haltedText(addOn), EXIT.failed);
  const what =
    gate === undefined ? NOTHING[verb] : `no gate ${gate}${request.group === undefined ? '' : ` of group ${request.group}`} waits`;
  throw new CommandError(`${addOn}: ${what}; \`${shell`outrigger rollout status ${addOn}`}\` shows what it waits for`, EXIT.failed);
}

const NOTHING: Readonly<Record<DecideVerb, string>> = {
  approve: 'no gate waits for an approval',
  reject: 'no gate waits for an approval',
  override: 'no window or analysis holds clusters',
  retry: 'nothing is rejected',
};

/**
 * Whether the entry is halted and continues without a decision once the cause is fixed. False if an analysis has failed, because the
 * analysis then holds the entry until a user creates a gate override.
 */
function recoversByItself(entry: RolloutEntry): boolean {
  return isHalted(entry) && decidableGates(entry, 'override').length === 0;
}

function haltedText(addOn: string): string {
  return `${addOn}: nothing is rejected, so there is nothing to retry; the rollout is halted, and its clusters continue by themselves once the cause is fixed: \`${shell`outrigger why ${addOn}`}\` names it`;
}

function choice({ addOn, verb }: Request, one: string): string {
  const [gate = '', group = ''] = one.split(' ');
  return group === ''
    ? shell`outrigger rollout ${verb} ${addOn} --gate ${gate}`
    : shell`outrigger rollout ${verb} ${addOn} --gate ${gate} --group ${group}`;
}

function isAsked(one: DecidableGate, { gate, group }: Request): boolean {
  return (gate === undefined || one.gate === gate || one.gate.endsWith(`/${gate}`)) && (group === undefined || one.group === group);
}

/**
 * Returns the given gate for every entry that has a target and clusters, so that the user can decide before the rollout reaches the gate.
 */
async function earlySubjects(
  hub: Client,
  entries: readonly RolloutEntry[],
  request: Request & { readonly gate: string },
): Promise<readonly DecidableGate[]> {
  const { verb, gate, group } = request;
  const [policyName = '', gateName] = gate.split('/');
  if (verb === 'retry' || gateName === undefined) return [];
  const policy = await find(hub, rolloutPolicies, { name: policyName });
  if (!policy || !hasGate(policy, gateName, verb)) return [];
  const approval = policy.spec.approvals?.find(({ name }) => name === gateName);
  const isGrouped = approval !== undefined && (approval.before ?? approval.after) === 'Group';
  if (isGrouped && group === undefined) throw usageError(`${gate} is a gate of groups: name one with --group`);
  return entries.flatMap((entry) =>
    entry.targetRevision === undefined || (entry.selected ?? 0) === 0
      ? []
      : [{ entry: entry.name, revision: entry.targetRevision, gate, group: isGrouped ? group : undefined }],
  );
}

function hasGate({ spec: { windows = [], approvals = [], analysis = [] } }: RolloutPolicy, name: string, verb: DecideVerb): boolean {
  const gates = verb === 'override' ? [...windows, ...analysis] : approvals;
  return gates.some((gate) => gate.name === name);
}
