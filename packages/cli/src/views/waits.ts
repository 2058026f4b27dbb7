import { shell } from '@outrigger/core';
import { type RolloutEntry, type RolloutWait } from '@outrigger/api';
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
function commandText(addOn: string, { kind, name, group, message = '', loosened }: RolloutWait): string {
  if (loosened === true || !name.includes('/')) return '';
  if (kind === 'Approval') {
    if (message.startsWith('rejected by')) return `; \`${shell`outrigger rollout retry ${addOn} --gate ${name}`}\``;
    const command =
      group === undefined
        ? shell`outrigger rollout approve ${addOn} --gate ${name}`
        : shell`outrigger rollout approve ${addOn} --gate ${name} --group ${group}`;
    return `; \`${command}\``;
  }
  return kind === 'Window' || kind === 'Analysis' ? `; \`${shell`outrigger rollout override ${addOn} --gate ${name} -m <why>`}\`` : '';
}
