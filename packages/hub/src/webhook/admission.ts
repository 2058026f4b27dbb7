import {
  type AccessCheck,
  type AdmissionResult,
  type AdmissionSettings,
  mutate,
  review,
  subjectAccessReview,
  subjectAccessReviews,
  withoutRights,
} from '@outrigger/api';
import { type Clock, toTime, type AdmissionRequest, type UserInfo } from '@outrigger/core';
import type { CacheView, Client } from '@outrigger/kube';
import { cachedLookup } from './lookup.js';

/** The hub's admission, called by a webhook or by a server in the same process. */
export interface HubAdmission {
  mutate(request: AdmissionRequest): AdmissionResult;
  /** Checks the rights that a write needs before it answers. */
  review(request: AdmissionRequest): Promise<AdmissionResult>;
}

export interface HubAdmissionOptions {
  /**
   * The manager's caches; undefined until every kind was read or refused. Until then only rules that need nothing but the request apply.
   */
  readonly view: () => CacheView | undefined;
  /** The client for access reviews. It is a function because a server in this process is created after its own admission. */
  readonly client: () => Client;
  readonly clock: Clock;
  readonly settings: AdmissionSettings;
}

export function createAdmission({ view, client, clock, settings }: HubAdmissionOptions): HubAdmission {
  return {
    mutate: (request) => mutate(request, toTime(clock.now()), settings),
    async review(request) {
      const cache = view();
      const result = review(request, cache ? cachedLookup(cache) : UNKNOWN, settings);
      if (!result.allowed || !result.requires) return result;
      const missing: AccessCheck[] = [];
      for (const check of result.requires) if (!(await isAllowed(client(), request.userInfo, check))) missing.push(check);
      return withoutRights(result, missing);
    },
  };
}

async function isAllowed(client: Client, user: UserInfo, check: AccessCheck): Promise<boolean> {
  const answer = await client.create(subjectAccessReviews, subjectAccessReview(user, check));
  return answer.status?.allowed === true;
}

const UNKNOWN: Parameters<typeof review>[1] = {
  addOn: () => undefined,
  addOns: () => [],
  template: () => undefined,
  templatesOf: () => [],
  publishedConfigs: () => [],
  deploymentConfig: () => undefined,
  deploymentConfigUsers: () => [],
  isPartial: true,
  installations: () => 0,
  addOnsOn: () => [],
  isTerminating: () => false,
};
