import type { Admission, AdmissionRequest, AdmissionVerdict } from './handle/contract.js';

/** Several admissions as one: mutations in order, each seeing the result of those before; then every validation. */
export function composeAdmission(admissions: readonly Admission[]): Admission {
  return {
    mutate: async (request) => {
      let current = request;
      const warnings: string[] = [];
      for (const { mutate } of admissions) {
        const verdict: AdmissionVerdict = (await mutate?.(current)) ?? {};
        warnings.push(...(verdict.warnings ?? []));
        if (verdict.object) current = { ...current, object: verdict.object } satisfies AdmissionRequest;
      }
      return { warnings, ...(current === request || !current.object ? {} : { object: current.object }) };
    },
    validate: async (request) => {
      const warnings: string[] = [];
      for (const { validate } of admissions) warnings.push(...((await validate?.(request))?.warnings ?? []));
      return { warnings };
    },
  };
}
