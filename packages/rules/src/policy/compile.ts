import {
  type FailureAction,
  type PolicyApproval,
  type PolicyNotification,
  type PolicyWindow,
  type RolloutPolicy,
  parseCron,
  rolloutPolicyProblems,
  zoneOf,
} from '@outrigger/api';
import { type Selector, compileLabelSelector, errorMessage, parseDuration, parseTime } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { AnalysisGate } from './analysis.js';
import { compileAnalysis } from './analysis.js';
import type { GatedCluster, Moment, Window, WindowTimes } from './windows.js';

/** A RolloutPolicy compiled for the rules. Callers compile each policy once per resourceVersion. */
export interface CompiledPolicy {
  readonly name: string;
  /** Whether the policy governs the add-on with this name, whose declaration has these labels. */
  readonly governs: (addOn: string, labels: Readonly<Record<string, string>>) => boolean;
  readonly windows: readonly WindowGateDefinition[];
  readonly approvals: readonly ApprovalGate[];
  readonly analyses: readonly AnalysisGate[];
  /** The action when a rollout fails; undefined if the policy does not set `onFailure`. */
  readonly onFailure: FailureAction | undefined;
  readonly notify: readonly PolicyNotification[];
  /** The reason why the policy is invalid. An invalid policy holds every cluster of the add-ons that it governs. */
  readonly problem: string | undefined;
  readonly namesAddOn: (addOn: string) => boolean;
}

export interface WindowGateDefinition extends Window {
  readonly digest: string;
  /** The annotation of ManagedClusters that contains the cluster's time zone. */
  readonly zoneAnnotation: string | undefined;
  readonly fallbackZone: string;
}

export interface ApprovalGate {
  readonly name: string;
  readonly digest: string;
  readonly place: 'BeforeRollout' | 'BeforeGroup' | 'AfterGroup' | 'AfterRollout';
  /** The groups that the gate applies to; empty means all groups. */
  readonly groups: readonly GroupReference[];
  readonly required: number;
  readonly waitMs: number | undefined;
}

export interface GroupReference {
  readonly groupName?: string;
  readonly groupIndex?: number;
}

const DIGEST_LENGTH = 16;

/** Compiles a policy. An invalid policy that was stored without admission is compiled with a `problem`. */
export function compilePolicy(policy: RolloutPolicy): CompiledPolicy {
  const { metadata, spec } = policy;
  const name = metadata.name ?? '';
  const named = new Set(spec.addOns.names ?? []);
  const base = { name, onFailure: spec.onFailure, notify: spec.notify ?? [], namesAddOn: (addOn: string) => named.has(addOn) };
  try {
    const selector = spec.addOns.selector && compileLabelSelector(spec.addOns.selector);
    const governs = (addOn: string, labels: Readonly<Record<string, string>>): boolean =>
      named.has(addOn) || selector?.matches(labels) === true;
    const [first] = rolloutPolicyProblems(policy);
    if (first) return { ...base, ...NO_GATES, governs, problem: `${first.field}: ${first.problem}` };
    return {
      ...base,
      governs,
      windows: (spec.windows ?? []).map(compileWindow),
      approvals: (spec.approvals ?? []).map(compileApproval),
      analyses: (spec.analysis ?? []).map((one) => compileAnalysis(one, digestOf(one))),
      problem: undefined,
    };
  } catch (error) {
    // The invalid part may be the selector, so the policy governs all add-ons.
    return { ...base, ...NO_GATES, governs: () => true, problem: errorMessage(error) };
  }
}

const NO_GATES = { windows: [], approvals: [], analyses: [] } as const;

/** Digest of a gate's definition. It changes if the gate is edited. */
function digestOf(gate: object): string {
  return sha256Hex(canonicalJson(gate)).slice(0, DIGEST_LENGTH);
}

function compileWindow(window: PolicyWindow): WindowGateDefinition {
  const { name, effect, clusters, lastAdmission, timeZone = 'UTC', timeZoneFrom } = window;
  const fallback = zoneOf(timeZone);
  if (!fallback) throw new Error(`unknown time zone ${timeZone}`);
  const annotation = timeZoneFrom?.annotation;
  const selector: Selector | undefined = clusters && compileLabelSelector(clusters);
  return {
    name,
    effect,
    times: timesOf(window),
    clusters: selector,
    operations: window.for ?? ['Upgrade'],
    lastAdmissionMs: lastAdmission === undefined ? 0 : parseDuration(lastAdmission),
    zoneFor: ({ annotations }: GatedCluster) => (annotation === undefined ? undefined : zoneOf(annotations[annotation] ?? '')) ?? fallback,
    digest: digestOf(window),
    zoneAnnotation: annotation,
    fallbackZone: timeZone,
  };
}

function timesOf({ schedule, duration, from, until }: PolicyWindow): WindowTimes {
  if (schedule !== undefined && duration !== undefined) {
    const parsed = parseCron(schedule);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return { type: 'Recurring', schedule: parsed.schedule, durationMs: parseDuration(duration) };
  }
  if (from === undefined || until === undefined) throw new Error('a window needs schedule and duration, or from and until');
  return { type: 'Once', from: momentOf(from), until: momentOf(until) };
}

/** Parses a time such as `2026-12-20T00:00`, with or without seconds and offset. */
function momentOf(text: string): Moment {
  const [, minutes = '', seconds = ':00', offset = ''] = /^(.{16})(:\d\d)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  const instant = parseTime(`${minutes}${seconds}${offset === '' ? 'Z' : offset}`);
  if (instant === undefined) throw new Error(`"${text}" is no time`);
  return offset === '' ? { wall: instant } : { instant };
}

function compileApproval(approval: PolicyApproval): ApprovalGate {
  const { name, before, after, groups = [], required = 1, wait } = approval;
  const isGroup = (before ?? after) === 'Group';
  const place = before === undefined ? (isGroup ? 'AfterGroup' : 'AfterRollout') : isGroup ? 'BeforeGroup' : 'BeforeRollout';
  return { name, digest: digestOf(approval), place, groups, required, waitMs: wait === undefined ? undefined : parseDuration(wait) };
}

/**
 * Returns the policy that decides what happens when a rollout fails. A policy that names the add-on takes precedence over one that selects
 * it by labels; if there are several, the first by name is used. Undefined if no policy sets `onFailure`.
 */
export function failurePolicy(policies: readonly CompiledPolicy[], addOn: string): CompiledPolicy | undefined {
  const rank = (policy: CompiledPolicy): string => `${policy.namesAddOn(addOn) ? 0 : 1}${policy.name}`;
  const deciding = policies.filter(({ onFailure }) => onFailure !== undefined);
  return deciding.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}
