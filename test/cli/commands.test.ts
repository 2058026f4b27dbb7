import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addOnTemplates, clusterManagementAddOns, leases, managedClusterAddOns } from '@outrigger/api';
import { createProgram, everyCommand, recordingTerminal } from '@outrigger/cli';
import { kubeconfig } from '@outrigger/control-plane';
import { createCertificateAuthority, issueServerCertificate } from '@outrigger/core/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, runCommand, startCliWorld } from './world.js';

describe('the command line', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    await world.fleet.hub.create(clusterManagementAddOns, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'ClusterManagementAddOn',
      metadata: { name: 'hello' },
      spec: { installStrategy: { type: 'Manual' } },
    });
    await world.fleet.hub.create(addOnTemplates, {
      apiVersion: 'addon.open-cluster-management.io/v1alpha1',
      kind: 'AddOnTemplate',
      metadata: { name: 'hello-v1', labels: { 'open-cluster-management.io/addon-version': 'v1' } },
      spec: {
        addonName: 'hello',
        agentSpec: {
          workload: {
            manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data: { who: '{{WHO}}' } }],
          },
        },
      },
    });
  });
  afterAll(() => world.stop());

  it('diff warns about a configuration that moves the agent only because its namespace was left out', async () => {
    const group = 'addon.open-cluster-management.io';
    const objects = (spec: object): readonly object[] => [
      { kind: 'AddOnDeploymentConfig', metadata: { name: 'c', namespace: 'default' }, spec },
      {
        kind: 'AddOnTemplate',
        metadata: { name: 'mover' },
        spec: {
          addonName: 'mover',
          agentSpec: {
            workload: {
              manifests: [
                {
                  apiVersion: 'apps/v1',
                  kind: 'Deployment',
                  metadata: { name: 'agent', namespace: 'home' },
                  spec: {
                    selector: { matchLabels: { app: 'a' } },
                    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'example.com/a:1' }] } },
                  },
                },
              ],
            },
          },
        },
      },
      {
        kind: 'ClusterManagementAddOn',
        metadata: { name: 'mover' },
        spec: {
          supportedConfigs: [
            { group, resource: 'addontemplates', defaultConfig: { name: 'mover' } },
            { group, resource: 'addondeploymentconfigs', defaultConfig: { name: 'c', namespace: 'default' } },
          ],
        },
      },
    ];
    const file = join(world.folder, 'moving.yaml');
    const diff = async (spec: object): Promise<{ out: string; note: string }> => {
      const documents = objects(spec).map((object) => JSON.stringify({ apiVersion: `${group}/v1alpha1`, ...object }));
      await writeFile(file, documents.join('\n---\n'));
      return world.outrigger('diff', 'mover', '--cluster', 'cluster1', '-f', file);
    };
    const moving = await diff({});
    expect(moving.note).toContain('it moves the agent of the add-on mover there from home; set agentInstallNamespace: ""');
    expect(moving.out).toContain('open-cluster-management-agent-addon');
    const staying = await diff({ agentInstallNamespace: '' });
    expect(staying.note).not.toContain('agentInstallNamespace');
    expect(staying.out).toContain('home');
  });

  describe('a mistake gets help', () => {
    it.each([
      { name: 'a typo in a command', args: ['upgarde', 'hello'], code: 2, says: 'did you mean `outrigger upgrade`?' },
      { name: 'a command without a similar name', args: ['frobnicate'], code: 2, says: 'run `outrigger --help` for usage' },
      { name: 'a typo in an option', args: ['get', 'addons', '--wach'], code: 2, says: "unknown option '--wach'" },
      { name: 'a typo in a kind', args: ['get', 'clutsers'], code: 2, says: 'there is no kind "clutsers": did you mean "clusters"?' },
      { name: 'a typo in an add-on', args: ['get', 'addons', 'helo'], code: 3, says: 'there is no add-on "helo": did you mean "hello"?' },
      {
        name: 'a cluster that does not exist',
        args: ['enable', 'hello', '-c', 'cluster7'],
        code: 3,
        says: 'there is no cluster "cluster7": did you mean "cluster1"?',
      },
      ...['rollouts', 'revisions', 'policies', 'templates', 'placements', 'clustersets'].map((kind) => ({
        name: `a cluster for ${kind}`,
        args: ['get', kind, '-c', 'cluster1'],
        code: 2,
        says: `--cluster: ${kind} belong to the whole fleet`,
      })),
      {
        name: 'a cluster of a plan that does not exist',
        args: ['plan', 'hello', '--to', 'v2', '--fail', 'cluster1,cluster7'],
        code: 3,
        says: 'there is no cluster "cluster7": did you mean "cluster1"?',
      },
      {
        name: 'a version that does not exist',
        args: ['upgrade', 'hello', '--to', 'v7'],
        code: 3,
        says: 'add-on "hello" has no version "v7": there is v1',
      },
      { name: 'an upgrade to no version', args: ['upgrade', 'hello'], code: 2, says: 'which version? Add --to <version>; there is v1' },
      { name: 'an upgrade --clear without clusters', args: ['upgrade', 'hello', '--clear'], code: 2, says: 'Add --cluster <names> or' },
      { name: 'a number that does not parse', args: ['up', '--clusters', 'many'], code: 2, says: 'must be a whole number, 0 or more' },
      { name: 'a missing option', args: ['enable', 'hello'], code: 2, says: '--cluster' },
      {
        name: 'a file that does not exist',
        args: ['lint', '-f', '/nonexistent.yaml'],
        code: 3,
        says: '/nonexistent.yaml: no such file or folder',
      },
      { name: 'a variable that is not defined', args: ['render', 'hello', '-c', 'cluster1'], code: 5, says: 'variable WHO is not defined' },
    ])('$name', async ({ args, code, says }) => {
      const ran = await world.outrigger(...args);
      expect({ code: ran.code, note: ran.note }).toEqual({ code, note: expect.stringContaining(says) as string });
    });
  });

  describe('a hub that cannot be reached is reported in one line', () => {
    const attempt = async (text: string, ...more: readonly string[]) => {
      const file = join(world.folder, 'broken');
      await writeFile(file, text);
      return runCommand(['hub', '--kubeconfig', file, '--metrics-port', '0', ...more], world.runtime);
    };
    const oneLine = (note: string): void => expect(note.trim().split('\n')).toHaveLength(1);

    it('a kubeconfig that does not exist', async () => {
      const ran = await runCommand(['hub', '--kubeconfig', '/nonexistent'], world.runtime);
      expect(ran).toMatchObject({ code: 4, note: 'outrigger: kubeconfig /nonexistent: no such file: check the path\n' });
    });
    it('a kubeconfig that is no YAML', async () => {
      const ran = await attempt('{ not: [yaml');
      expect(ran.code).not.toBe(0);
      expect(ran.note).toContain('broken');
    });
    it('a context that is not in it', async () => {
      const ran = await attempt(world.fleet.kubeconfig, '--context', 'nope');
      expect(ran).toMatchObject({ code: 4, note: expect.stringContaining('no context named "nope": known are hub') as string });
      oneLine(ran.note);
    });
    it('a connection that is refused', async () => {
      const ran = await attempt(world.fleet.kubeconfig.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
      expect(ran).toMatchObject({ code: 4, note: expect.stringContaining('refused the connection: is the API server running') as string });
      oneLine(ran.note);
    });
    it('a certificate that has expired', async () => {
      const { keys, clock, random } = world.runtime;
      const day = 86_400_000;
      const validity = { notBefore: clock.now() - 3 * day, notAfter: clock.now() + day, serial: random.bytes(16) };
      const ca = await createCertificateAuthority(keys, { commonName: 'ca', ...validity });
      const expired = await issueServerCertificate(keys, {
        commonName: 'x',
        dnsNames: ['localhost'],
        ips: ['127.0.0.1'],
        ca: ca.certificate,
        caKey: ca.key,
        ...validity,
        notAfter: clock.now() - day,
      });
      const server = createServer({ cert: expired.certificate, key: expired.privateKey }, (_, response) => response.end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ran = await attempt(kubeconfig({ server: url, authority: ca.certificate, user: { name: 'u', token: 't' }, name: 'hub' }));
      server.close();
      expect(ran).toMatchObject({
        code: 4,
        note: expect.stringContaining("the server's certificate has expired: renew it on the server") as string,
      });
      oneLine(ran.note);
    });
    it('a KUBECONFIG that names nothing', async () => {
      const ran = await runCommand(['get', 'addons'], world.runtime, { KUBECONFIG: '/nonexistent/kubeconfig' });
      expect(ran).toMatchObject({ code: 4, note: expect.stringContaining('no such file') as string });
    });
  });

  it('hub runs until a signal stops it, and exits with 0', async () => {
    const stop = new AbortController();
    const running = runCommand(
      ['--kubeconfig', world.kubeconfig, 'hub', '--metrics-port', '0', '--namespace', 'other-manager', '--log-level', 'error'],
      world.runtime,
      {},
      stop.signal,
    );
    await world.eventually('it leads', async () => {
      const found = await world.fleet.hub.list(leases, { namespace: 'other-manager' });
      return found.items.find(({ spec }) => spec?.holderIdentity);
    });
    stop.abort();
    expect(await running).toMatchObject({ code: 0 });
  });

  it('enable and disable by hand, and lint finds objects that a hub would refuse', async () => {
    expect(await world.outrigger('enable', 'hello', '-c', 'cluster1')).toMatchObject({ code: 0, out: 'hello enabled on cluster1\n' });
    await world.fleet.hub.get(managedClusterAddOns, { namespace: 'cluster1', name: 'hello' });
    expect((await world.outrigger('disable', 'hello', '-c', 'cluster1')).out).toBe('hello disabled on cluster1\n');
    const file = join(world.folder, 'bad.yaml');
    await writeFile(
      file,
      'apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: ClusterManagementAddon\nmetadata: { name: x }\n---\napiVersion: addon.open-cluster-management.io/v1alpha1\nkind: ClusterManagementAddOn\nmetadata: { name: second }\nspec: { instalStrategy: {} }\n',
    );
    const ran = await world.outrigger('lint', '-f', file);
    expect(ran.code).toBe(5);
    expect(ran.out).toContain(
      'bad.yaml:2: ClusterManagementAddon x: kind: there is no addon.open-cluster-management.io/v1alpha1 ClusterManagementAddon: did you mean ClusterManagementAddOn',
    );
    expect(ran.out).toContain('bad.yaml:8: ClusterManagementAddOn second: spec.instalStrategy: there is no such field');
  });

  it('every command has help with a description', () => {
    const terminal = recordingTerminal();
    const program = createProgram({
      terminal,
      env: {},
      signal: new AbortController().signal,
      runtime: async () => world.runtime,
      stdin: async () => '',
    });
    const undescribed = everyCommand(program)
      .filter((command) => command.description() === '')
      .map((command) => command.name());
    expect(undescribed).toEqual([]);
  });
});
