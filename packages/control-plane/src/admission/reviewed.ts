import type { JsonObject, KubeObject, GroupVersionKind } from '@outrigger/core';
import type { AdmissionAttributes } from '../handle/contract.js';

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request as the webhook receives it: converted to another version if the webhook's rules name only that version. */
export interface Reviewed {
  readonly request: AdmissionAttributes;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** Returns the value of `request` in CEL and in the review sent to a webhook: all properties of the request except its objects. */
export function requestFields({ request, kind, resource }: Reviewed): JsonObject {
  const { subResource, name, namespace, operation, userInfo, dryRun } = request;
  return {
    kind: gvk(kind),
    resource: { ...resource },
    ...(subResource === '' ? {} : { subResource }),
    requestKind: gvk(request.kind),
    requestResource: { group: request.group, version: request.version, resource: request.resource },
    ...(subResource === '' ? {} : { requestSubResource: subResource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: { ...userInfo },
    dryRun,
    options: request.options(),
  };
}

function gvk({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}
