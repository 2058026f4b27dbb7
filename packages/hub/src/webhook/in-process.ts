import type { Refused } from '@outrigger/api';
import { ApiError, type Admission, type KubeObject, jsonPatch } from '@outrigger/core';
import type { HubAdmission } from './admission.js';

/** The hub's admission for a server that calls it directly instead of through a webhook, with the same rules and responses. */
export function hubAdmission(admission: HubAdmission): Admission {
  return {
    mutate(request) {
      const result = admission.mutate(request);
      if (!result.allowed) throw refusal(result);
      const warnings = result.warnings ? { warnings: result.warnings } : {};
      if (!result.patch || !request.object) return warnings;
      return { object: jsonPatch<KubeObject>(request.object, result.patch), ...warnings };
    },
    async validate(request) {
      const result = await admission.review(request);
      if (!result.allowed) throw refusal(result);
      return result.warnings ? { warnings: result.warnings } : {};
    },
  };
}

function refusal({ reason, message }: Refused): ApiError {
  return new ApiError(reason, message);
}
