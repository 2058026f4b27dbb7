import { shell } from '@outrigger/core';
import type { AnalysisState, RejectedContent, RolloutEntry, RolloutWait } from '@outrigger/api';
import { verbsFor } from '@outrigger/rules/decisions';
import { clean } from '../terminal/clean.js';

/** Formats the gates that hold clusters of an entry, one per line, with the command that opens the gate. */
export function waitsText(addOn: string, { name, waitingFor = [] }: RolloutEntry): string {
  return waitingFor.map((wait) => `${clean(name)}: ${waitText(wait)}${commandText(addOn, wait)}\n`).join('');
}

function waitText({ kind, name, group, message = '', until, loosened }: RolloutWait): string {
  const where = group === undefined || message.includes(group) ? '' : ` of group ${clean(group)}`;
  const end = until === undefined || message.includes(until) ? '' : ` (until ${until})`;
  const what =
    loosened === true ? `${kind.toLowerCase()} ${clean(name)}${where}` : `waits for ${kind.toLowerCase()} ${clean(name)}${where}`;
  return `${what}: ${clean(message)}${end}`;
}

/** Returns the command that opens a gate. Only gates that a user can open have one. */
function commandText(addOn: string, wait: RolloutWait): string {
  const { name, group } = wait;
  const [verb] = verbsFor(wait);
  switch (verb) {
    case undefined:
      return '';
    case 'override':
      return `; \`${shell`outrigger rollout override ${addOn} --gate ${name}`}\` with -m and the reason`;
    case 'retry':
      return `; \`${shell`outrigger rollout retry ${addOn} --gate ${name}`}\``;
    default: {
      const of = group === undefined ? '' : shell` --group ${group}`;
      return `; \`${shell`outrigger rollout approve ${addOn} --gate ${name}`}${of}\``;
    }
  }
}

/**
 * Formats the measurements of each analysis for the entry's target, and the content that the entry rejects, one per line. The automatic
 * rollback is omitted, because the message of the entry mentions it.
 */
export function outcomesText(addOn: string, { name, targetRevision, analysis = [], rejected = [] }: RolloutEntry): string {
  const measured = analysis.filter((state) => state.revision === targetRevision && state.result !== undefined);
  return [...measured.map(analysisText), ...rejected.map((one) => rejectionText(addOn, one))]
    .map((line) => `${clean(name)}: ${line}\n`)
    .join('');
}

function analysisText({ name, group, passed = 0, failed = 0, inconclusive = 0, message = '' }: AnalysisState): string {
  const where = group === undefined ? '' : ` of group ${clean(group)}`;
  return `analysis ${clean(name)}${where}: ${passed} passed, ${failed} failed, ${inconclusive} inconclusive; the last: ${clean(message)}`;
}

function rejectionText(addOn: string, { revision, gate, reason }: RejectedContent): string {
  const what = revision === undefined ? 'content' : `revision ${revision}`;
  const command = gate === undefined ? '' : `; \`${shell`outrigger rollout retry ${addOn} --gate ${gate}`}\``;
  return `rejects ${what}: ${clean(reason)}${command}`;
}
