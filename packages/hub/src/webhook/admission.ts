import {
  ADDON_GROUP,
  type AccessCheck,
  type AdmissionLookup,
  type AdmissionResult,
  type AdmissionSettings,
  type Refused,
  type TemplateView,
  addOnTemplates,
  convertObject,
  mutate,
  referencedTemplates,
  review,
  subjectAccessReview,
  subjectAccessReviews,
  templateView,
  withoutRights,
} from '@outrigger/api';
import { type Clock, toTime, type AdmissionRequest, type UserInfo, ifFound } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import type { CacheView, Client } from '@outrigger/kube';
import { cachedLookup } from './lookup.js';

/** The hub's admission. A webhook or a server in the same process calls it. */
export interface HubAdmission {
  mutate(request: AdmissionRequest): AdmissionResult;
  /** Reviews a write, including the permissions that the write needs. */
  review(request: AdmissionRequest): Promise<AdmissionResult>;
}

export interface HubAdmissionOptions {
  /**
   * The manager's caches; undefined until the manager has listed every kind that it may read. Until then, only rules that need no other
   * objects apply.
   */
  readonly view: () => CacheView | undefined;
  /**
   * The client for access reviews. It is a function, because a server in the same process does not exist yet when its admission is created.
   */
  readonly client: () => Client;
  readonly clock: Clock;
  readonly settings: AdmissionSettings;
}

export function createAdmission({ view, client, clock, settings }: HubAdmissionOptions): HubAdmission {
  return {
    mutate: (request) => mutate(request, toTime(clock.now()), settings),
    async review(request) {
      const cache = view();
      const cached = cache ? cachedLookup(cache) : UNKNOWN;
      const isTrusted = settings.trustedUsers.includes(request.userInfo.username);
      const result = review(request, isTrusted ? cached : await withTemplates(cached, request, client), settings);
      if (!result.allowed || !result.requires) return result;
      const checks = distinct(result.requires);
      if (checks.length > MOST_CHECKS) return tooMany(checks.length);
      return withoutRights(result, await missingRights(checks, (check) => isAllowed(client(), request.userInfo, check)));
    },
  };
}

/**
 * Extends the lookup with referenced templates that are missing from the caches. The permissions that a template grants are checked when
 * the template is referenced, so a stale or incomplete cache must not skip the check.
 */
async function withTemplates(
  lookup: AdmissionLookup,
  { kind, operation, object }: AdmissionRequest,
  client: () => Client,
): Promise<AdmissionLookup> {
  if (operation === 'DELETE' || !object || !REFERENCING.has(`${kind.group}/${kind.kind}`)) return lookup;
  const found = new Map<string, TemplateView>();
  const unknown = referencedTemplates(convertObject(object, `${ADDON_GROUP}/v1alpha1`)).filter((name) => !lookup.template(name));
  // A write that references more than `MOST_CHECKS` missing templates needs more access reviews than allowed, so it is rejected anyway.
  for (const name of unknown.slice(0, MOST_CHECKS)) {
    const template = await liveTemplate(client(), name);
    if (template) found.set(name, template);
  }
  return found.size === 0 ? lookup : { ...lookup, template: (name) => lookup.template(name) ?? found.get(name) };
}

async function liveTemplate(client: Client, name: string): Promise<TemplateView | undefined> {
  const template = await ifFound(client.get(addOnTemplates, { name }));
  return template && templateView(template);
}

/** Removes duplicate checks of the same permission. The first check, which names the field, stays. */
function distinct(checks: readonly AccessCheck[]): readonly AccessCheck[] {
  return [...new Map([...checks].reverse().map((check) => [canonicalJson(check.attributes), check])).values()].reverse();
}

function tooMany(count: number): Refused {
  return {
    allowed: false,
    reason: 'Invalid',
    message: `spec: needs ${count} different rights of its writer, more than the ${MOST_CHECKS} that are checked in time; split the object or write it in steps`,
  };
}

/** Sends several access reviews concurrently, because the API server waits only a few seconds for a webhook. */
async function missingRights(
  checks: readonly AccessCheck[],
  isAllowedTo: (check: AccessCheck) => Promise<boolean>,
): Promise<readonly AccessCheck[]> {
  const missing: AccessCheck[] = [];
  for (let start = 0; start < checks.length; start += CHECKS_AT_ONCE) {
    const some = checks.slice(start, start + CHECKS_AT_ONCE);
    const answers = await Promise.all(some.map(isAllowedTo));
    missing.push(...some.filter((_, index) => !answers[index]));
  }
  return missing;
}

async function isAllowed(client: Client, user: UserInfo, check: AccessCheck): Promise<boolean> {
  const answer = await client.create(subjectAccessReviews, subjectAccessReview(user, check));
  return answer.status?.allowed === true;
}

/** The maximum number of access reviews for one write, and the number of reviews that are sent concurrently. */
const MOST_CHECKS = 500;
const CHECKS_AT_ONCE = 20;

const REFERENCING: ReadonlySet<string> = new Set([`${ADDON_GROUP}/ClusterManagementAddOn`, `${ADDON_GROUP}/ManagedClusterAddOn`]);

const UNKNOWN: AdmissionLookup = {
  addOn: () => undefined,
  addOns: () => [],
  template: () => undefined,
  templatesOf: () => [],
  templateUsers: () => [],
  publishedConfigs: () => [],
  deploymentConfig: () => undefined,
  deploymentConfigUsers: () => [],
  isPartial: true,
  installations: () => 0,
  addOnsOn: () => [],
  isTerminating: () => false,
};
