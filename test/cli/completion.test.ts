import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { describe, expect, it } from 'vitest';
import { runCommand } from './world.js';

const run = promisify(execFile);
const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });

/**
 * Returns the completions that bash offers after the given words. A shell function replaces the command `outrigger`, so no hub is needed.
 */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await runCommand(['completion', 'bash'], runtime);
  const script = `${out}
outrigger() {
  case "$2" in
    addons) printf 'x.y/hello\\nx.y/metrics\\n' ;;
    clusters) printf 'x.y/cluster1\\nx.y/cluster2\\n' ;;
    templates) printf 'NAME ADDON VERSION\\nhello-v1 hello v1\\nhello-v2 hello v2\\nmetrics-v7 metrics v7\\nbare hello -\\n' ;;
    revisions) printf 'ADDON REVISION\\n%s 3\\n%s 12\\n' "$3" "$3" ;;
  esac
}
COMP_WORDS=(outrigger "$@"); COMP_CWORD=$#
_outrigger
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words]);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it.each([
    { name: 'commands', words: ['up'], want: ['up', 'upgrade'] },
    { name: 'sub-commands', words: ['rollout', 'p'], want: ['pause'] },
    { name: 'options', words: ['get', 'addons', '--wa'], want: ['--watch'] },
    { name: 'kinds', words: ['get', 'c'], want: ['clusters', 'clustersets'] },
    { name: 'formats', words: ['get', 'addons', '-o', 'w'], want: ['wide'] },
    { name: 'shells', words: ['completion', ''], want: ['bash', 'zsh', 'fish'] },
    { name: 'add-ons of the hub', words: ['upgrade', 'h'], want: ['hello'] },
    { name: 'add-ons of the hub for a sub-command', words: ['rollout', 'status', 'm'], want: ['metrics'] },
    { name: 'clusters of the hub', words: ['why', 'hello', '--cluster', ''], want: ['cluster1', 'cluster2'] },
    { name: 'clusters to take out of the fleet', words: ['detach', 'c'], want: ['cluster1', 'cluster2'] },
    { name: 'versions of the add-on', words: ['upgrade', 'hello', '--to', ''], want: ['v1', 'v2'] },
    { name: 'versions, with options before', words: ['enable', 'hello', '--wait', '--to', 'v2'], want: ['v2'] },
    { name: 'revisions of the add-on', words: ['rollback', 'hello', '--to-revision', '1'], want: ['12'] },
    { name: 'no names if a new name is expected', words: ['join', 'c'], want: [] },
    { name: 'nothing for files: the shell knows them', words: ['lint', '-f', ''], want: [] },
    { name: 'options after an add-on called like a command', words: ['upgrade', 'get', '--t'], want: ['--timeout', '--to'] },
  ])('$name', async ({ words, want }) => {
    expect(await offered(...words)).toEqual(want);
  });

  it.each(['bash', 'zsh', 'fish'])('%s gets a script', async (shell) => {
    const { code, out } = await runCommand(['completion', shell], runtime);
    expect(code).toBe(0);
    expect(out).toContain(
      shell === 'fish'
        ? "complete -c outrigger -n '__fish_seen_subcommand_from get' -f -a addons"
        : 'complete -o default -F _outrigger outrigger',
    );
  });
});
