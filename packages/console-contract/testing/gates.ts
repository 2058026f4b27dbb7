import type { DecisionVerb, OfferedAction } from '../src/actions.js';
import type { Gate, ObjectLink } from '../src/views/index.js';
import { AT, later } from './times.js';

/** One gate of each type: closed gates with decisions, and an open gate. */
export function gates(addOn: string): readonly Gate[] {
  const policy: ObjectLink = { group: 'outrigger.dev', version: 'v1alpha1', resource: 'rolloutpolicies', name: 'careful' };
  const gate = (type: string, name: string, message: string): Gate => ({
    type,
    name: `careful/${name}`,
    group: '',
    isOpen: false,
    message,
    since: AT,
    policy,
    actions: [],
  });
  return [
    {
      ...gate('Approval', 'go-live', 'needs 1 approval before group production · holds 4 clusters'),
      actions: [decision('approve', addOn), decision('reject', addOn)],
    },
    {
      ...gate('Window', 'freeze', 'closed for 4 clusters'),
      until: later(172_800),
      actions: [decision('override', addOn)],
    },
    {
      ...gate('Analysis', 'errors', 'the rate of errors is 0.4 %'),
      isOpen: true,
      measurements: { passed: 7, failed: 1, inconclusive: 2 },
    },
    { ...gate('Approval', 'start', 'approved for revision 3 and 12 clusters'), isOpen: true },
  ];
}

const DECISIONS = { approve: 'Approve', reject: 'Reject', override: 'Override', retry: 'Retry' } as const;

export function decision(verb: DecisionVerb, addOn: string): OfferedAction {
  const gate = verb === 'override' ? 'careful/freeze' : 'careful/go-live';
  return {
    action: { action: 'decide', verb, addOn, entry: 'default/all-clusters', revision: 3, gate },
    label: DECISIONS[verb],
    command: `outrigger rollout ${verb} ${addOn} --gate ${gate} --entry default/all-clusters`,
    question: `Decides about revision 3 of ${addOn} at the gate ${gate} (default/all-clusters).`,
    reason: verb === 'override' ? 'required' : 'optional',
  };
}
