import type { AdmissionRequest, Refused } from '@outrigger/api';
import { ApiError, type KubeObject, jsonPatch } from '@outrigger/core';
import type { HubDoor } from './admission.js';

/** A write as a server in the same process describes it. */
export interface InProcessRequest {
  readonly operation: AdmissionRequest['operation'];
  readonly identity: {
    readonly user: string;
    readonly groups: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
}

export interface InProcessVerdict {
  /** Undefined if the object is unchanged. */
  readonly object?: KubeObject;
  readonly warnings?: readonly string[];
}

/** Throws an `ApiError` to refuse the write. */
export interface InProcessAdmission {
  mutate(request: InProcessRequest): InProcessVerdict;
  validate(request: InProcessRequest): Promise<InProcessVerdict>;
}

/** The hub's admission for a server that calls it directly instead of through a webhook; the rules and the answers are the same. */
export function hubAdmission(door: HubDoor): InProcessAdmission {
  return {
    mutate(request) {
      const result = door.mutate(requestOf(request));
      if (!result.allowed) throw refusal(result);
      const warnings = result.warnings ? { warnings: result.warnings } : {};
      if (!result.patch || !request.object) return warnings;
      return { object: jsonPatch<KubeObject>(request.object, result.patch), ...warnings };
    },
    async validate(request) {
      const result = await door.review(requestOf(request));
      if (!result.allowed) throw refusal(result);
      return result.warnings ? { warnings: result.warnings } : {};
    },
  };
}

function requestOf(request: InProcessRequest): AdmissionRequest {
  const { operation, group, version, kind, subresource, namespace, name, identity, object, oldObject } = request;
  const { user, ...rest } = identity;
  return {
    operation,
    kind: { group, version, kind },
    ...(subresource === '' ? {} : { subResource: subresource }),
    ...(namespace === '' ? {} : { namespace }),
    name,
    userInfo: { username: user, ...rest },
    ...(object ? { object } : {}),
    ...(oldObject ? { oldObject } : {}),
  };
}

function refusal({ reason, message }: Refused): ApiError {
  return new ApiError(reason, message);
}
