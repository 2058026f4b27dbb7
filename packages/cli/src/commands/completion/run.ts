import type { Command } from 'commander';

/** What can follow each command path: sub-commands and options. */
function words(command: Command, path: string): readonly (readonly [path: string, words: readonly string[]])[] {
  const own = [...command.commands.map((child) => child.name()), ...command.options.flatMap(({ long }) => (long ? [long] : []))];
  return [[path, own], ...command.commands.flatMap((child) => words(child, `${path} ${child.name()}`))];
}

export function completionScript(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
  const table = words(program, 'outrigger');
  if (shell === 'fish') return fish(table);
  const cases = table.map(([path, all]) => `    '${path}') words='${all.join(' ')}' ;;`).join('\n');
  const zshHead = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${zshHead}_outrigger() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='outrigger' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="$path $word" ;; esac
  done
  case "$path" in
${cases}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _outrigger outrigger
`;
}

function fish(table: readonly (readonly [string, readonly string[]])[]): string {
  const lines = table.flatMap(([path, all]) => {
    const [, ...names] = path.split(' ');
    const condition = names.length === 0 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${names.at(-1)}`;
    return all.map((word) =>
      word.startsWith('--')
        ? `complete -c outrigger -n '${condition}' -l ${word.slice(2)}`
        : `complete -c outrigger -f -n '${condition}' -a ${word}`,
    );
  });
  return `${lines.join('\n')}\n`;
}
