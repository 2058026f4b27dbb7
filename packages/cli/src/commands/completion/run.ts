import type { Command, Option } from 'commander';
import { GETTABLE } from '../get/command.js';

/** What can follow a command path. */
interface Stop {
  readonly path: string;
  /** Sub-commands, or the values its first argument may have. */
  readonly words: readonly string[];
  readonly options: readonly Option[];
  /** Its first argument is an add-on: the hub knows which there are. */
  readonly takesAddOn: boolean;
}

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
    takesAddOn: argument?.name() === 'add-on',
  };
  return [stop, ...visible.flatMap((child) => stopsOf(child, `${path} ${child.name()}`))];
}

/** The kinds `get` lists; it takes other spellings too, so they are no fixed choice. */
function kindsOf(command: Command): readonly string[] {
  return command.name() === 'get' ? Object.keys(GETTABLE) : [];
}

/** Asks the hub for names; nothing where none answers. */
const NAMES = (kind: 'addons' | 'clusters'): string => `outrigger get ${kind} -o name 2>/dev/null | sed 's|.*/||'`;

function bash(stops: readonly Stop[], shell: 'bash' | 'zsh'): string {
  const paths = stops.map(({ path }) => `'${path}'`).join('|');
  const cases = stops.map((stop) => {
    const words = [...stop.words, ...stop.options.flatMap(({ long }) => (long ? [long] : []))].join(' ');
    return `    '${stop.path}') words='${words}'${stop.takesAddOn ? '; addons=1' : ''} ;;`;
  });
  const values = stops.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      option.argChoices ? [`    ${flags(option, (flag) => `'${path} ${flag}'`)}) words='${option.argChoices.join(' ')}' ;;`] : [],
    ),
  );
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_outrigger() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='outrigger' word words='' addons=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in ${paths}) path="$path $word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  [[ -n "$addons" && "$cur" != -* ]] && words="$words $(${NAMES('addons')})"
  case "$path $prev" in
${values.join('\n')}
    *' --cluster'|*' -c') words="$(${NAMES('clusters')})" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _outrigger outrigger
`;
}

function fish(stops: readonly Stop[]): string {
  const lines = stops.flatMap(({ path, words, options, takesAddOn }) => {
    const [, ...names] = path.split(' ');
    const condition =
      names.length === 0 ? '__fish_use_subcommand' : names.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
    const complete = (rest: string): string => `complete -c outrigger -n '${condition}' ${rest}`;
    return [
      ...words.map((word) => complete(`-f -a ${word}`)),
      ...(takesAddOn ? [complete(`-f -a "(${NAMES('addons')})"`)] : []),
      ...options.map((option) => complete(fishOption(option))),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function fishOption({ long, short, argChoices }: Option): string {
  const names = [...(long ? [`-l ${long.slice(2)}`] : []), ...(short ? [`-s ${short.slice(1)}`] : [])].join(' ');
  if (long === '--cluster') return `${names} -x -a "(${NAMES('clusters')})"`;
  return argChoices ? `${names} -x -a '${argChoices.join(' ')}'` : names;
}

function flags({ long, short }: Option, show: (flag: string) => string): string {
  return [long, short].flatMap((flag) => (flag ? [show(flag)] : [])).join('|');
}
