import type { ServerAdmission, AdmissionAttributes, Identity } from './handle/contract.js';

/** Wraps an admission so that it is skipped for exempt identities. */
export function exempting({ mutate, validate }: ServerAdmission, isExempt: (identity: Identity) => boolean): ServerAdmission {
  return {
    ...(mutate ? { mutate: (request) => (isExempt(request.identity) ? {} : mutate(request)) } : {}),
    ...(validate ? { validate: (request) => (isExempt(request.identity) ? {} : validate(request)) } : {}),
  };
}

/**
 * Combines several admissions: all mutations run in order, each on the result of the previous one, and then all validations. Verdicts that
 * are not promises are used without an await, because admission runs for every write.
 */
export function composeAdmission(admissions: readonly ServerAdmission[]): ServerAdmission {
  const mutations = admissions.flatMap(({ mutate }) => mutate ?? []);
  const validations = admissions.flatMap(({ validate }) => validate ?? []);
  return {
    mutate: async (request) => {
      let current = request;
      const warnings: string[] = [];
      for (const mutate of mutations) {
        const verdict = mutate(current);
        const { object, warnings: more } = verdict instanceof Promise ? await verdict : verdict;
        if (more) warnings.push(...more);
        if (object) current = { ...current, object } satisfies AdmissionAttributes;
      }
      return { warnings, ...(current === request || !current.object ? {} : { object: current.object }) };
    },
    validate: async (request) => {
      const warnings: string[] = [];
      for (const validate of validations) {
        const verdict = validate(request);
        const { warnings: more } = verdict instanceof Promise ? await verdict : verdict;
        if (more) warnings.push(...more);
      }
      return { warnings };
    },
  };
}
