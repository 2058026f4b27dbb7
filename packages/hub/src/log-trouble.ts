import type { Logger } from '@outrigger/core';
import type { Trouble } from '@outrigger/kube';

/** Logs that a kind cannot be read, or that it can be read again. */
export function logTrouble({ resource, problem, controllers }: Trouble, log: Logger): void {
  const fields = { kind: resource.kind.plural, controllers };
  if (problem === undefined) log.info(fields, 'kind can be read again');
  else log.warn({ ...fields, problem }, 'kind cannot be read; the controllers that need it wait, the others act');
}
