import { shell } from '@outrigger/core';
import { type RolloutEntry, type RolloutWait } from '@outrigger/api';
import { verbsFor } from '@outrigger/rules/policy';
import { clean } from '../terminal/clean.js';

/** The gates that hold clusters of an entry, a line each, with the command that opens the gate. */
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

/** Only gates that a user can open have a command. */
function commandText(addOn: string, wait: RolloutWait): string {
  const { name, group } = wait;
  const [verb] = verbsFor(wait);
  switch (verb) {
    case undefined:
      return '';
    case 'override':
      return `; \`${shell`outrigger rollout override ${addOn} --gate ${name} -m <why>`}\``;
    case 'retry':
      return `; \`${shell`outrigger rollout retry ${addOn} --gate ${name}`}\``;
    default: {
      const of = group === undefined ? '' : shell` --group ${group}`;
      return `; \`${shell`outrigger rollout approve ${addOn} --gate ${name}`}${of}\``;
    }
  }
}
