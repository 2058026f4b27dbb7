import { describe, expect, it } from 'vitest';
import type { AddOnCondition, ManagementCondition } from './conditions.js';

/** An unused `@ts-expect-error` is an error, so this file does not compile if the compiler accepts one of these invalid combinations. */
describe('conditions', () => {
  const message = '';

  it('accept the reasons that the contract lists', () => {
    const legal: readonly (AddOnCondition | ManagementCondition)[] = [
      { type: 'Progressing', status: 'True', reason: 'Rollingback', message },
      { type: 'Progressing', status: 'False', reason: 'Succeed', message },
      { type: 'Available', status: 'Unknown', reason: 'CopiedFromTheCluster', message },
      { type: 'Degraded', status: 'False', reason: 'DependenciesSatisfied', message },
      { type: 'TargetsResolved', status: 'False', reason: 'RemovalNeedsConfirmation', message },
    ];
    expect(legal).toHaveLength(5);
  });

  it('refuse everything else', () => {
    // @ts-expect-error what is done is not True
    const done: AddOnCondition = { type: 'Progressing', status: 'True', reason: 'Succeed', message };
    // @ts-expect-error the word upstream uses at the fleet, not here
    const upstream: AddOnCondition = { type: 'Progressing', status: 'False', reason: 'Completed', message };
    // @ts-expect-error an available add-on needs a reason of its health mode
    const available: AddOnCondition = { type: 'Available', status: 'True', reason: 'AddonAvailable', message };
    // @ts-expect-error no such type
    const type: ManagementCondition = { type: 'Ready', status: 'True', reason: 'AllResolved', message };
    expect([done, upstream, available, type]).toHaveLength(4);
  });
});
