import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toYaml } from '@outrigger/core/yaml';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT, commandPath, createProgram, everyCommand, recordingTerminal } from '@outrigger/cli';
import { runCommand } from './world.js';

/**
 * The tests give these commands values that no API server would accept in an object. The commands must refuse them before they connect,
 * because no hub runs here.
 */
const AGENT = ['agent', '--cluster-name', 'c1', '--metrics-port', '0'];
const HUB = ['hub', '--metrics-port', '0'];
const JOIN = ['join', 'edge-1'];
/** The data folder cannot be created, so a command that continues after the refusal fails with another message. */
const UP = ['up', '--reset', '--data-dir', '/dev/null/nothing'];

const WRONG: readonly (readonly [readonly string[], string, string])[] = [
  [['agent', '--metrics-port', '0'], '--cluster-name', 'Bad/Name'],
  [AGENT, '--namespace', 'Bad_Name'],
  [AGENT, '--agent-name', 'a:b'],
  [AGENT, '--bootstrap-secret', 'Bad_Name'],
  [AGENT, '--hub-secret', ''],
  [AGENT, '--hub-secret', 'bootstrap-hub-kubeconfig'],
  [AGENT, '--cluster-labels', 'bad key=1'],
  [AGENT, '--cluster-labels', 'key=bad value'],
  [AGENT, '--cluster-annotations', 'agent.open-cluster-management.io/bad key=1'],
  [AGENT, '--eviction-grace', 'soon'],
  [AGENT, '--metrics-port', '65536'],
  [HUB, '--namespace', 'Bad_Name'],
  [HUB, '--webhook-service', 'Bad_Name'],
  [HUB, '--label', 'bad key=1'],
  [HUB, '--label', `key=${'x'.repeat(64)}`],
  [HUB, '--bootstrap-user', ''],
  [HUB, '--bootstrap-group', ' '],
  [HUB, '--agent-label-prefix', ''],
  [HUB, '--webhook-port', '-1'],
  ...[HUB, UP].flatMap((command) =>
    (
      [
        ['--notify-url', 'chat=https://chat.example.com'],
        ['--notify-url', 'chat=chat.example.com'],
        ['--notify-key', 'chat=secret'],
        ['--metrics-provider', 'prometheus=prometheus:9090'],
        ['--metrics-provider', 'prometheus=https://me:secret@prometheus'],
      ] as const
    ).map(([option, value]) => [command, option, value] as const),
  ),
  [HUB, '--metrics-ca', 'prometheus=/nonexistent/ca'],
  [UP, '--allow-webhook-address', 'localhost'],
  [UP, '--allow-webhook-address', '127.0.0.0/33'],
  [UP, '--allow-webhook-address', '127.0.0.0/'],
  [UP, '--clusters', '-1'],
  [UP, '--port', '65536'],
  [JOIN, '--hub-server', 'http://hub.example.com:6443'],
  [JOIN, '--hub-server', 'HTTP://hub.example.com'],
  [JOIN, '--hub-server', 'hub.example.com:6443'],
  [JOIN, '--hub-server', 'file:///hub'],
  [JOIN, '--hub-server', 'https://me:secret@hub.example.com'],
  [JOIN, '--hub-server', 'https://hub.example.com/?to=there'],
];

describe('options that no hub is needed to refuse', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  afterAll(() => runtime.scope.close());

  it.each(WRONG)('%j with %s %j is refused, and the message names the option', async (command, option, value) => {
    const given = command.includes(option) ? command.filter((word, at) => word !== option && command[at - 1] !== option) : command;
    const ran = await runCommand([...given, option, value], runtime, { KUBECONFIG: '/nonexistent/kubeconfig' });
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.note).toContain(option);
  });

  it('join without a certificate authority of the hub fails before it sends a request', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-join-'));
    const config = {
      clusters: [{ name: 'hub', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'me' } }],
      users: [{ name: 'me', user: { token: 't' } }],
      'current-context': 'hub',
    };
    await writeFile(join(folder, 'kubeconfig'), toYaml(config));
    const ran = await runCommand(JOIN, runtime, { KUBECONFIG: join(folder, 'kubeconfig') });
    expect(ran.note).toContain('no certificate-authority');
    await rm(folder, { recursive: true });
  });
});

/** Each of these command lines has an option that the command would otherwise ignore, or a list without a name. */
const CONTRADICTORY: readonly (readonly [readonly string[], string])[] = [
  ...[[], ['--plan']].flatMap((more): typeof CONTRADICTORY => [
    [['rollback', 'x', '--clear', '--to-revision', '1', ...more], '--clear removes a pin, and --to-revision sets one'],
    [['rollback', 'x', '--all', '--to-revision', '1', ...more], 'leave out --all or --to-revision'],
    [['rollback', 'x', '--all', '--placement', 'default/a', ...more], 'leave out --all or --placement'],
    [['rollback', 'x', '--all', '--clear', ...more], 'leave out --all or --clear'],
  ]),
  [['config', 'set', 'x', 'A=b', '--cluster', 'c1', '--config', 'default/x'], '--config names a config of the fleet'],
  [['rollout', 'history', 'x', '--revision', '1', '-o', 'name'], '-o name'],
  [['install', 'agent', '--namespace', 'mine'], '--namespace is for the hub'],
  [['uninstall', 'agent', '--namespace', 'mine', '--apply'], '--namespace is for the hub'],
  [['rollback', 'x', 'v1'], 'outrigger upgrade <add-on> --to <version>'],
  ...['enable', 'disable', 'upgrade'].map((command) => [[command, 'x', '--cluster', ','], '--cluster is empty'] as const),
  [['rollout', 'skip', 'x', '--cluster', ' , ,'], '--cluster is empty'],
  [['plan', 'x', '--to', 'v1', '--fail', ','], '--fail is empty'],
  [['lint', '-f', ','], '--filename is empty'],
  [['accept', ','], '<clusters> is empty'],
];

describe('options that exclude each other, and lists without a name', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  afterAll(() => runtime.scope.close());

  it.each(CONTRADICTORY)('%j is refused before the hub is asked', async (line, says) => {
    const ran = await runCommand(line, runtime, { KUBECONFIG: '/nonexistent/kubeconfig' });
    expect([ran.code, ran.out]).toEqual([EXIT.usage, '']);
    expect(ran.note).toContain(says);
  });
});

const program = createProgram({
  terminal: recordingTerminal(),
  env: {},
  signal: AbortSignal.abort(),
  runtime: () => Promise.reject(new Error('no command runs here')),
  stdin: () => Promise.resolve(''),
});
const commands = everyCommand(program).filter(({ commands: inner, options }) => inner.length === 0 && options.length > 0);

/** Returns a command line with a value for every required argument and option. */
function completeLine(command: (typeof commands)[number]): readonly string[] {
  const operands = command.registeredArguments
    .filter(({ required }) => required)
    .map((one) => one.argChoices?.[0] ?? (one.name() === 'KEY=VALUE' ? 'A=b' : 'x'));
  const options = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? '', 'x']);
  return [...commandPath(command).split(' ').slice(1), ...operands, ...options];
}

describe('an empty option', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  afterAll(() => runtime.scope.close());
  const lines = commands
    .filter((command) => !['hub', 'agent'].includes(command.name()))
    .flatMap((command) => command.options.filter(({ required }) => required).map((option) => ({ command, option })))
    .map(({ command, option }) => {
      const complete = completeLine(command);
      const at = complete.indexOf(option.long ?? '');
      const others = at < 0 ? complete : complete.filter((_, index) => index !== at && index !== at + 1);
      return { line: [...others, option.long ?? '', ''], option: option.long ?? '' };
    });

  it('exists', () => expect(lines.length).toBeGreaterThan(50));
  it.each([...lines, ...['--kubeconfig', '--context'].map((option) => ({ line: [option, '', 'get', 'addons'], option }))])(
    '$line is refused before the hub is asked',
    async ({ line, option }) => {
      const ran = await runCommand(line, runtime, { KUBECONFIG: '/nonexistent/kubeconfig' });
      expect([ran.code, ran.out]).toEqual([EXIT.usage, '']);
      expect(ran.note).toContain(option);
    },
  );
});

describe('a time limit without something to wait for', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  afterAll(() => runtime.scope.close());
  const waiting = commands.flatMap((command) => {
    const names = command.options.map(({ long }) => long ?? '');
    const [wait] = names.filter((name) => name === '--wait' || name === '--watch');
    return names.includes('--timeout') && wait !== undefined ? [{ line: completeLine(command), wait }] : [];
  });

  it('can be given to several commands', () => expect(waiting.length).toBeGreaterThan(4));
  it.each(waiting)('$line is refused without $wait', async ({ line, wait }) => {
    const env = { KUBECONFIG: '/nonexistent/kubeconfig' };
    const ran = await runCommand([...line, '--timeout', '5'], runtime, env);
    expect(ran).toMatchObject({ code: EXIT.usage, note: expect.stringContaining(`no effect without ${wait}`) as string });
    expect((await runCommand([...line, wait, '--timeout', '5'], runtime, env)).note).not.toContain('no effect');
  });
});

describe('a misspelt option', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  afterAll(() => runtime.scope.close());

  it.each(commands.map((command) => [commandPath(command), command] as const))(
    'of %s is answered with the right one',
    async (path, command) => {
      const names = new Set(command.options.flatMap(({ long }) => ((long?.slice(2) ?? '').length > 3 ? [long ?? ''] : [])));
      expect(names.size).toBeGreaterThan(0);
      for (const name of names) {
        // Drops the fourth character, so that the result is no option and no other option is closer.
        const typo = name.slice(0, 4) + name.slice(5);
        if (names.has(typo)) continue;
        const ran = await runCommand([...path.split(' ').slice(1), typo], runtime, { KUBECONFIG: '/nonexistent/kubeconfig' });
        expect([typo, ran.code]).toEqual([typo, EXIT.usage]);
        expect(/Did you mean (.*)\?/.exec(ran.note)?.[1], ran.note).toContain(name);
      }
    },
  );
});
