import type { Command, Option } from 'commander';
import { GETTABLE } from '../get/command.js';

/** A command in the completion script, with the subcommands, arguments and options that can follow it. */
interface Stop {
  readonly path: string;
  /** The subcommands, or the possible values of the first argument. */
  readonly words: readonly string[];
  readonly options: readonly Option[];
  /** The kind of object that the first argument names, if the hub can list the objects of this kind. */
  readonly takes: Nameable | undefined;
}

type Nameable = 'addons' | 'clusters';

export function completionScript(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
  const stops = stopsOf(program, 'outrigger');
  return shell === 'fish' ? fish(stops) : bash(stops, shell);
}

function stopsOf(command: Command, path: string): readonly Stop[] {
  const [argument] = command.registeredArguments;
  const visible = command.createHelp().visibleCommands(command);
  const stop: Stop = {
    path,
    words: visible.length > 0 ? visible.map((child) => child.name()) : (argument?.argChoices ?? kindsOf(command)),
    options: command.options,
    takes: namedBy(command),
  };
  return [stop, ...visible.flatMap((child) => stopsOf(child, `${path} ${child.name()}`))];
}

/**
 * Returns the kind of object that the command's first argument names. It is undefined for `join`, whose argument is a cluster that is not
 * registered on the hub yet.
 */
function namedBy(command: Command): Nameable | undefined {
  const [argument] = command.registeredArguments;
  if (argument?.name() === 'add-on') return 'addons';
  return command.name() === 'accept' || command.name() === 'detach' ? 'clusters' : undefined;
}

/** Returns the kinds that `get` lists. They are not declared as choices of the argument, because `get` accepts other spellings too. */
function kindsOf(command: Command): readonly string[] {
  return command.name() === 'get' ? Object.keys(GETTABLE) : [];
}

/** The shell commands that print the versions and revisions of the add-on in `$addon`. */
const VERSIONS = `outrigger get templates 2>/dev/null | awk -v a="$addon" 'NR > 1 && $2 == a && $3 != "-" { print $3 }'`;
const REVISIONS = `outrigger get revisions "$addon" 2>/dev/null | awk 'NR > 1 { print $2 }'`;

/** Returns the shell command that prints the names of the objects of a kind. It prints nothing if no hub responds. */
const NAMES = (kind: Nameable): string => `outrigger get ${kind} -o name 2>/dev/null | sed 's|.*/||'`;

/** The variant of VERSIONS for fish. It prints the versions of all add-ons, because fish does not pass the command line to the script. */
const FISH_VERSIONS = `outrigger get templates 2>/dev/null | awk 'NR > 1 && \\$3 != \\"-\\" { print \\$3 }' | sort -u`;
const FISH_REVISIONS = `outrigger get revisions 2>/dev/null | awk 'NR > 1 { print \\$2 }' | sort -un`;

function bash(stops: readonly Stop[], shell: 'bash' | 'zsh'): string {
  const paths = stops.map(({ path }) => `'${path}'`).join('|');
  const cases = stops.map((stop) => {
    const words = [...stop.words, ...stop.options.flatMap(({ long }) => (long ? [long] : []))].join(' ');
    return `    '${stop.path}') words='${words}'${stop.takes ? `; names='${stop.takes}'` : ''} ;;`;
  });
  const values = stops.flatMap(({ path, options }) =>
    options.flatMap((option) => {
      const choices = isPath(option) ? [] : option.argChoices;
      return choices ? [`    ${flags(option, (flag) => `'${path} ${flag}'`)}) words='${choices.join(' ')}' ;;`] : [];
    }),
  );
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_outrigger() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='outrigger' word words='' names='' addon=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in ${paths}) path="$path $word" ;; *' -'*) ;; *) addon="\${addon:-$word}" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  if [[ "$cur" != -* ]]; then
    case "$names" in
      addons) words="$words $(${NAMES('addons')})" ;;
      clusters) words="$words $(${NAMES('clusters')})" ;;
    esac
  fi
  case "$path $prev" in
${values.join('\n')}
    *' --cluster'|*' -c') words="$(${NAMES('clusters')})" ;;
    *' --to') words="$(${VERSIONS})" ;;
    *' --to-revision') words="$(${REVISIONS})" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _outrigger outrigger
`;
}

function fish(stops: readonly Stop[]): string {
  const lines = stops.flatMap(({ path, words, options, takes }) => {
    const [, ...names] = path.split(' ');
    const condition =
      names.length === 0 ? '__fish_use_subcommand' : names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
    const complete = (rest: string): string => `complete -c outrigger -n '${condition}' ${rest}`;
    return [
      ...words.map((word) => complete(`-f -a ${word}`)),
      ...(takes ? [complete(`-f -a "(${NAMES(takes)})"`)] : []),
      ...options.map((option) => complete(fishOption(option))),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function fishOption({ long, short, argChoices, required }: Option): string {
  const names = [...(long ? [`-l ${long.slice(2)}`] : []), ...(short ? [`-s ${short.slice(1)}`] : [])].join(' ');
  if (long === '--cluster') return `${names} -x -a "(${NAMES('clusters')})"`;
  if (long === '--to') return `${names} -x -a "(${FISH_VERSIONS})"`;
  if (long === '--to-revision') return `${names} -x -a "(${FISH_REVISIONS})"`;
  if (argChoices) return `${names} -x -a '${argChoices.join(' ')}'`;
  return required ? `${names} -r` : names;
}

/** Whether the option takes a path. The script offers nothing for such an option, so that the shell completes paths itself. */
function isPath({ flags: spelled }: Option): boolean {
  return /<(file|folder|paths)>/.test(spelled);
}

function flags({ long, short }: Option, show: (flag: string) => string): string {
  return [long, short].flatMap((flag) => (flag ? [show(flag)] : [])).join('|');
}
