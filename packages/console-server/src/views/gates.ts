import { type AnalysisState, type OpenedGate, type RolloutEntry, type RolloutWait, rolloutPolicies } from '@outrigger/api';
import { countText } from '@outrigger/core';
import type { Gate } from '@outrigger/console-contract';
import { verbsFor } from '@outrigger/rules/decisions';
import { linkTo } from './links.js';
import { decisionOffers } from './offers.js';
import type { Sight } from './sight.js';
import { waitsOf } from './waits.js';

/**
 * Returns the gates that hold clusters of the entry and the gates that are open. The entry's rejected content and automatic rollback are
 * included in the same form.
 */
export function gatesOf(sight: Sight, addOn: string, entry: RolloutEntry): readonly Gate[] {
  const { targetRevision, openedGates = [], analysis = [], rejected = [], rolledBack } = entry;
  const waits = waitsOf(entry);
  return [
    ...waits.map((wait) => closedGate(sight, addOn, entry, wait)),
    ...analysis
      .filter(
        ({ name, group, revision }) => revision === targetRevision && !waits.some((wait) => wait.name === name && wait.group === group),
      )
      .map(analysisGate),
    ...openedGates.filter(({ closed }) => closed !== true).map(openGate),
    ...rejected
      .filter(({ gate }) => !waits.some((wait) => wait.name === gate))
      .map(
        ({ revision, reason, at, gate = '' }): Gate => ({
          ...note('Rejected', `revision ${revision ?? ''}: ${reason}`, at),
          ...ofPolicy(gate),
          actions: decisionOffers(sight, addOn, entry, { gate, verbs: ['retry'] }).filter(
            ({ action }) => action.action === 'decide' && action.revision === revision,
          ),
        }),
      ),
    ...(rolledBack === undefined
      ? []
      : [note('Rolled back', `revision ${rolledBack.from} → ${rolledBack.to}: ${rolledBack.reason}`, rolledBack.at)]),
  ];
}

function closedGate(sight: Sight, addOn: string, entry: RolloutEntry, wait: RolloutWait): Gate {
  const { kind, name, group = '', since, until, message, clusters } = wait;
  const measured = (entry.analysis ?? []).find(
    (one) => one.name === name && (one.group ?? '') === group && one.revision === entry.targetRevision,
  );
  return {
    type: kind,
    ...ofPolicy(name),
    group,
    isOpen: false,
    message: [message ?? name, clusters && `holds ${countText(clusters, 'cluster')}`].filter(Boolean).join(' · '),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(measured === undefined ? {} : { measurements: measurementsOf(measured) }),
    actions: decisionOffers(sight, addOn, entry, { gate: name, group, verbs: verbsFor(wait) }),
  };
}

function openGate({ name, group = '', revision, byTime, clusters }: OpenedGate): Gate {
  const how = byTime === true ? 'opened after its wait' : 'approved';
  return {
    type: 'Approval',
    ...ofPolicy(name),
    group,
    isOpen: true,
    message: `${how} for revision ${revision} and ${countText(clusters, 'cluster')}`,
    actions: [],
  };
}

/** Returns the gate of an analysis that holds no cluster. */
function analysisGate(state: AnalysisState): Gate {
  const { name, group = '', result, message = '', at } = state;
  return {
    type: 'Analysis',
    ...ofPolicy(name),
    group,
    isOpen: result !== 'Fail',
    message: message || (result === undefined ? 'no measurement yet' : `the last measurement is ${result}`),
    ...(at === undefined ? {} : { since: at }),
    measurements: measurementsOf(state),
    actions: [],
  };
}

function measurementsOf({ passed = 0, failed = 0, inconclusive = 0 }: AnalysisState): NonNullable<Gate['measurements']> {
  return { passed, failed, inconclusive };
}

function note(type: string, message: string, since: string): Gate {
  return { type, name: '', group: '', isOpen: false, message, since, actions: [] };
}

function ofPolicy(name: string): Pick<Gate, 'name' | 'policy'> {
  const at = name.indexOf('/');
  return at < 0 ? { name } : { name, policy: linkTo(rolloutPolicies, name.slice(0, at)) };
}
