import type { JsonObject, KubeObject } from '@outrigger/core';
import type { AdmissionRequest, GroupVersionKind } from '../handle/contract.js';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request in the form the webhook asked for: converted to another version of the same object if its rules name only that version. */
export interface Reviewed {
  readonly request: AdmissionRequest;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** The value of `request` in CEL and in the review sent to a webhook: everything about a request except its objects. */
export function requestFields({ request, kind, resource }: Reviewed): JsonObject {
  const { objectKind, subresource, name, namespace, operation, identity, dryRun } = request;
  const { user, uid, groups, extra } = identity;
  return {
    kind: gvk(kind),
    resource: { ...resource },
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: gvk(objectKind),
    requestResource: { group: request.group, version: request.version, resource: request.resource },
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: user,
      ...(uid === undefined ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
    },
    dryRun,
    options: request.options(),
  };
}

function gvk({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}
