import { nearest } from '@outrigger/rules/explanation';
import type { Command } from 'commander';

/** Commands of kubectl, helm, argocd or flux, each with the equivalent command here. */
const SAME_ELSEWHERE: Readonly<Record<string, string>> = {
  describe: '`outrigger why <add-on> --cluster <cluster>`',
  explain: '`outrigger why <add-on>`',
  list: '`outrigger get addons`',
  ls: '`outrigger get addons`',
  undo: '`outrigger rollback <add-on>`',
  suspend: '`outrigger rollout pause <add-on>`',
  promote: '`outrigger rollout approve <add-on>`',
  sync: '`outrigger upgrade <add-on> --to <version>`',
  delete: '`outrigger disable <add-on> --cluster <cluster>` for one cluster, `kubectl delete clustermanagementaddon <add-on>` for all',
  remove: '`outrigger disable <add-on> --cluster <cluster>` for one cluster, `kubectl delete clustermanagementaddon <add-on>` for all',
  apply: '`kubectl apply -f <files>`, after `outrigger lint -f <files>`',
  create: '`kubectl apply -f <files>`, after `outrigger lint -f <files>`',
  edit: '`kubectl edit clustermanagementaddon <add-on>`',
  events: '`outrigger get events`',
};

/** The command to suggest if a user types `list` or `ls` after the name of a command group, keyed by the name of the group. */
const LIST_IN: Readonly<Record<string, string>> = {
  config: '`outrigger config get <add-on>`',
  rollout: '`outrigger get rollouts`',
};

/** Commands of other tools for which users should use kubectl instead, with the reason. */
const LEFT_TO_KUBECTL: Readonly<Record<string, string>> = {
  logs: 'the hub has no connection to the managed clusters; use `kubectl logs` with a context of the cluster. `outrigger why` names the workload and the reason of its pods',
  exec: 'the hub has no connection to the managed clusters; use `kubectl exec` with a context of the cluster',
};

/** Matches a shell prompt or a program name that a user copied together with a command, as in `$ outrigger get`. */
const PASTED = /^([$#>%]|outrigger|kubectl-outrigger|npx)$/;

/**
 * Returns advice about a word that is not a command: the equivalent of another tool's command, a subcommand of that name, or a word to
 * leave out. `words` are the operands, starting with the unknown one. Returns undefined if none of these applies.
 */
export function adviceOnCommand(words: readonly string[], parent: Command): string | undefined {
  const [word = '', next] = words;
  if (parent.parent !== null) {
    if (next !== undefined && parent.commands.some((command) => command.name() === next))
      return `the command comes first: \`${pathOf(parent)} ${next} ${plain(word) ?? '<add-on>'}\``;
    const list = word === 'list' || word === 'ls' ? LIST_IN[parent.name()] : undefined;
    if (list !== undefined) return `use ${list}`;
    return Object.hasOwn(SAME_ELSEWHERE, word) ? `use ${SAME_ELSEWHERE[word]}` : undefined;
  }
  if (PASTED.test(word)) return `leave out "${word}": the command line starts with one \`outrigger\``;
  if (Object.hasOwn(LEFT_TO_KUBECTL, word)) return LEFT_TO_KUBECTL[word];
  const group = parent.commands.find((command) => command.commands.some((one) => one.name() === word));
  if (group) return `use \`${pathOf(group)} ${word}\``;
  if (Object.hasOwn(SAME_ELSEWHERE, word)) return `use ${SAME_ELSEWHERE[word]}`;
  return LISTED.includes(word) ? `use \`${pathOf(parent)} get ${word}\`` : undefined;
}

const LISTED = ['addons', 'clusters', 'rollouts', 'revisions', 'policies', 'templates', 'placements', 'clustersets', 'works'];

/** For each command, the option to suggest if a user writes a second operand, as in `upgrade hello v2`. */
const SECOND: Readonly<Record<string, string>> = {
  upgrade: '--to',
  plan: '--to',
  why: '--cluster',
  enable: '--cluster',
  disable: '--cluster',
  render: '--cluster',
  diff: '--cluster',
  rollback: '--to-revision',
};

/** Adds advice to an error message from the parser. */
export function adviceOnUsage(message: string, command: Command): string {
  const advice = excessAdvice(message, command) ?? optionAdvice(message, command) ?? requiredAdvice(message, command);
  return advice === undefined ? message : `${message.trimEnd()}\n(${advice})\n`;
}

function excessAdvice(message: string, command: Command): string | undefined {
  if (!message.includes('too many arguments')) return undefined;
  const option = SECOND[command.name()];
  const [first, second] = command.args.map(plain);
  if (option === undefined || first === undefined || second === undefined || command.args.length !== 2) return undefined;
  if (command.name() === 'rollback' && !/^\d+$/.test(second)) return TO_REVISION;
  return `Did you mean \`${pathOf(command)} ${first} ${option} ${second}\`?`;
}

/** The advice to a user who wants to roll back to a version. */
const TO_REVISION =
  'A rollback goes to a revision: use --to-revision <number>; `outrigger rollout history <add-on>` lists them. To go to a version, use `outrigger upgrade <add-on> --to <version>`.';

/**
 * Returns advice for a command line in which the value of a required option was written as an operand, such as `lint addon.yaml`. The
 * advice is the command line with the option.
 */
function requiredAdvice(message: string, command: Command): string | undefined {
  const option = /required option '(?:-\w, )?(--[\w-]+)/.exec(message)?.[1];
  const words = command.args.map(plain);
  const expected = command.registeredArguments.length;
  if (option === undefined || words.length !== expected + 1 || !words.every((word) => word !== undefined && !word.startsWith('-')))
    return undefined;
  const [value = '', ...before] = [words[expected], ...words.slice(0, expected)];
  return `Did you mean \`${[pathOf(command), ...before, option, value].join(' ')}\`?`;
}

/** An unknown option that is longer than this, including its dashes, is treated as the beginning of a known option. */
const SHORTEST_PREFIX = 4;

function optionAdvice(message: string, command: Command): string | undefined {
  const option = unknownOption(message, command);
  if (option === undefined) return undefined;
  // The known options include hidden ones, such as --context.
  const known = ['--help', ...command.options.flatMap(({ long }) => long ?? [])];
  if ((option === '-n' || option === '--namespace') && known.includes('--cluster'))
    return 'The namespace of a cluster on the hub has the name of the cluster: use --cluster <cluster>.';
  if (option === '--all' && command.parent?.name() === 'rollout' && ['pause', 'resume'].includes(command.name()))
    return `\`outrigger ${command.name()} --all\` is for every rollout of the fleet.`;
  if (option === '--to' && command.name() === 'rollback') return TO_REVISION;
  if (!option.startsWith('--')) return undefined;
  const near = nearest(
    option.slice(2),
    known.map((one) => one.slice(2)),
  );
  const longer = known.find((one) => one.startsWith(`${option}-`) || (option.length > SHORTEST_PREFIX && one.startsWith(option)));
  const meant = longer ?? (near === undefined ? undefined : `--${near}`);
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/**
 * Returns the unknown option in the command line. If a user misspells a required option, the parser reports the required option as missing,
 * not the unknown option.
 */
function unknownOption(message: string, command: Command): string | undefined {
  if (!message.includes('required option')) return /unknown option '(--?[\w-]+)/.exec(message)?.[1];
  return command.args.find((word) => word.startsWith('--'))?.replace(/=.*/s, '');
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Returns a word that can be shown in a command without quotes, or undefined for any other word. */
function plain(word: string): string | undefined {
  return /^[\w.:/@-]+$/.test(word) ? word : undefined;
}
