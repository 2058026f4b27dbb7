import { installSamples, recordingTerminal, runProgram } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Screen } from './screen.js';
import { type CliWorld, startCliWorld } from './world.js';

const WATCHES = [
  'get addons --watch',
  'get addons hello --watch',
  'get clusters --watch',
  'get rollouts --watch',
  'get revisions --watch',
  'get templates --watch',
  'get clustersets --watch',
  'get works --watch',
  'get events --watch',
  'get placements --watch',
  'get policies --watch',
  'rollout status hello --watch --timeout 60',
];

describe('a table that is followed, on a terminal of 80 columns', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(2);
    await installSamples(world.fleet.hub);
    await world.outrigger('rollout', 'status', 'hello', '--watch', '--timeout', '60');
    // A paused rollout that has clusters to move never completes, so the last command follows it until it is interrupted.
    await world.outrigger('upgrade', 'hello', '--to', 'v2', '--wait', '--timeout', '60');
  });
  afterAll(() => world.stop());

  it.each(WATCHES)('%s: Ctrl-C leaves the last table and nothing else', async (line) => {
    const screen = new Screen();
    const stop = new AbortController();
    const written = recordingTerminal();
    const write = (text: string): void => screen.write(text);
    const terminal = { ...written, out: write, control: write, isLive: true, columns: 80, rows: 24 };
    const ended = runProgram(line.split(' '), {
      terminal,
      env: { KUBECONFIG: world.kubeconfig },
      signal: stop.signal,
      runtime: async () => world.runtime,
      stdin: async () => '',
    });
    await world.eventually('it shows something', async () => (screen.lines.join('').length > 0 ? true : undefined));
    expect(screen.hasCursor).toBe(false);
    // The terminal echoes Ctrl-C as `^C` at the cursor position. The command must remove the echo.
    screen.write('^C');
    stop.abort();
    expect(await ended).toBe(130);
    const { lines } = screen;
    expect(lines.join('\n')).not.toContain('^C');
    expect({ hasCursor: screen.hasCursor, column: screen.column }).toEqual({ hasCursor: true, column: 0 });
    expect(lines.filter((one) => one.length > 80)).toEqual([]);
    // The header appears once, and starts with a complete title.
    const header = lines.find((one) => /^[A-Z][A-Z -]+$/.test(one)) ?? lines[0] ?? '';
    expect(lines.filter((one) => one === header)).toHaveLength(1);
    expect(header).toMatch(/^(NAME|CLUSTER|ADDON|NAMESPACE|LAST SEEN|ENTRY|no placements|no policies)\b/);
  });
});
