import { type AdmissionRequest, type AdmissionSettings, HUB_NAMESPACE, type Refused, mutate, review, withoutRights } from '@outrigger/api';
import { type Admission, type AdmissionRequest as ServerRequest, type Authorizer, SYSTEM } from '@outrigger/control-plane';
import { ApiError, type Json, type KubeObject, jsonPatch, toTime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { readLookup } from './lookup.js';

/** What the embedded server's admission needs of the server it is part of; known once that exists. */
export interface EmbeddedServer {
  readonly client: Client;
  readonly authorize: Authorizer;
}

const SETTINGS: AdmissionSettings = { managerNamespace: HUB_NAMESPACE, trustedUsers: [SYSTEM.user], checkMissingExecutor: false };

/** The rules of the admission webhook, called in the embedded server's own process. */
export function embeddedAdmission(server: () => EmbeddedServer, nowMs: () => number): Admission {
  return {
    mutate(request) {
      const result = mutate(toReview(request), toTime(nowMs()));
      if (!result.allowed) throw refusal(result);
      if (!result.patch || !request.object) return {};
      return { object: jsonPatch(request.object as unknown as Json, result.patch as never) as unknown as KubeObject };
    },
    async validate(request) {
      if (!isOurs(request.group) || request.subresource !== '') return {};
      const { client, authorize } = server();
      const asked = toReview(request);
      const result = review(asked, await readLookup(client, asked), SETTINGS);
      if (!result.allowed) throw refusal(result);
      const missing = [];
      for (const check of result.requires ?? []) {
        const { group = '', version = '', resource = '', subresource = '', namespace = '', name = '', verb = '' } = check.attributes;
        const attributes = { identity: request.identity, verb, group, version, resource, subresource, namespace, name };
        if (!(await authorize(attributes)).allowed) missing.push(check);
      }
      const verdict = withoutRights(result, missing);
      if (!verdict.allowed) throw refusal(verdict);
      return result.warnings ? { warnings: result.warnings } : {};
    },
  };
}

function isOurs(group: string): boolean {
  return group.endsWith('open-cluster-management.io');
}

function toReview({ operation, group, version, kind, subresource, namespace, name, identity, object, oldObject }: ServerRequest): AdmissionRequest {
  const { user, groups, uid, extra } = identity;
  return {
    operation,
    kind: { group, version, kind },
    ...(subresource === '' ? {} : { subResource: subresource }),
    ...(namespace === '' ? {} : { namespace }),
    name,
    userInfo: { username: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra ? { extra } : {}) },
    ...(object ? { object } : {}),
    ...(oldObject ? { oldObject } : {}),
  };
}

function refusal({ reason, message }: Refused): ApiError {
  return new ApiError(reason, message);
}
