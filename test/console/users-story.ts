// Tests what the users of a hub see and do in a real browser. The console is `outrigger console --host` with HTTPS and its own account.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FLEET_ROLLOUT,
  HUB_NAMESPACE,
  addOnRollouts,
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  roleBindings,
  rolloutApprovals,
  rolloutPolicies,
  serviceAccounts,
} from '@outrigger/api';
import { kubeconfig } from '@outrigger/control-plane';
import { type JsonObject, type Kind, type KubeObject, type Runtime, apiVersionOf, isApiError } from '@outrigger/core';
import { createCertificateAuthority, issueServerCertificate } from '@outrigger/core/x509';
import type { TargetRecord } from '@outrigger/rules/rollout';
import { loadConnection } from '@outrigger/kube/node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { applyRight } from '../../packages/cli/src/install/apply.js';
import { consoleRights } from '../integration/console/manifests.js';
import type { PeopleWorld } from '../cli/people.js';
import { runCommand, startCommand } from '../cli/world.js';
import { describeActions } from './actions-story.js';
import { expectAccessible, launch, openPage } from './harness/browser.js';

const HOST = 'console.test';
const ORIGIN = `https://${HOST}`;
const HOME = 'people';
/** The ClusterRole of each user. The owner has it only in the namespace of cluster1. */
const ROLES = {
  admin: 'outrigger:fleet-admin',
  viewer: 'outrigger:viewer',
  approver: 'outrigger:rollout-approver',
  owner: 'outrigger:cluster-owner',
  historian: 'console-historian',
  reader: 'console-reader',
  nobody: '',
} as const;
/** Permissions to read the fleet, but not the stored records of targets. No installed role consists of exactly these permissions. */
const READS = {
  apiGroups: ['*'],
  resources: ['addonrollouts', 'managedclusteraddons', 'managedclusters'],
  verbs: ['get', 'list', 'watch'],
};
const OWN_ROLES = {
  'console-reader': [READS],
  'console-historian': [READS, { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: ['get', 'list'] }],
} as const;
type User = keyof typeof ROLES;

export interface UsersWorld extends PeopleWorld {
  stop(): Promise<void>;
}

/** Defines the tests. They require a hub whose manager runs, with the samples on cluster1. */
export function describeConsoleUsers(start: () => Promise<UsersWorld>): void {
  let world: UsersWorld;
  let browser: Browser;
  let folder: string;
  const tokens = new Map<User, string>();
  const stopping = new AbortController();
  let ended: Promise<number> | undefined;
  const pages: { readonly page: Page; readonly problems: readonly string[] }[] = [];

  const create = async (kind: Kind, fields: JsonObject): Promise<void> => {
    await world.hub
      .create(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields } as unknown as KubeObject)
      .catch(unlessExists);
  };
  const admin = (...args: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(args, world.runtime, { KUBECONFIG: join(folder, 'admin') });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-users-'));
    world = await start();
    await writeFile(join(folder, 'admin'), world.adminKubeconfig);
    for (const name of [HOME, HUB_NAMESPACE]) await create(namespaces, { metadata: { name } });
    for (const object of consoleRights()) await applyRight(world.hub, object);
    for (const [name, rules] of Object.entries(OWN_ROLES)) await create(clusterRoles, { metadata: { name }, rules });
    for (const [name, role] of Object.entries(ROLES)) {
      await create(serviceAccounts, { metadata: { namespace: HOME, name } });
      const place = name === 'owner' ? { kind: roleBindings, namespace: 'cluster1' } : { kind: clusterRoleBindings, namespace: undefined };
      if (role === '') continue;
      await create(place.kind, {
        metadata: { name: `console-${name}`, ...(place.namespace === undefined ? {} : { namespace: place.namespace }) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'ServiceAccount', namespace: HOME, name }],
      });
    }
    for (const user of Object.keys(ROLES) as User[]) tokens.set(user, await tokenOf(HOME, user));
    const spec = { addOns: { names: ['hello'] }, approvals: [{ name: 'go', before: 'Rollout' }] };
    await create(rolloutPolicies, { metadata: { name: 'careful' }, spec });
    browser = await launch(`--host-resolver-rules=MAP ${HOST}:443 127.0.0.1:${await startConsole()}`);
  }, 120_000);

  afterEach(async () => {
    const problems = pages.flatMap((one) => one.problems);
    for (const { page } of pages.splice(0)) await page.context().close();
    expect(problems).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    stopping.abort(new Error('the test is over'));
    await ended;
    await world?.stop();
    await rm(folder, { recursive: true });
  });

  async function tokenOf(namespace: string, name: string): Promise<string> {
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { expirationSeconds: 3600 } };
    const made = await world.hub.createSubresource(serviceAccounts, { namespace, name }, 'token', request);
    return (made as unknown as { status: { token: string } }).status.token;
  }

  /** Starts `outrigger console` as deploy/console runs it, with its own certificate. Returns its port. */
  async function startConsole(): Promise<number> {
    const { connection } = await loadConnection({ kubeconfig: join(folder, 'admin') });
    const authority = connection.ca && 'data' in connection.ca ? String(connection.ca.data) : '';
    const user = { name: 'console', token: await tokenOf(HUB_NAMESPACE, 'outrigger-console') };
    await writeFile(join(folder, 'console'), kubeconfig({ server: connection.server, authority, user, name: 'hub' }));
    const { cert, key } = await certificate(world.runtime);
    await writeFile(join(folder, 'tls.crt'), cert);
    await writeFile(join(folder, 'tls.key'), key);
    const files = ['--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')];
    const env = { KUBECONFIG: join(folder, 'console') };
    const command = startCommand(['console', '--host', HOST, '--port', '0', ...files], world.runtime, env, stopping.signal);
    ({ ended } = command);
    let port = 0;
    await world.eventually('the console listens', async () => {
      port = Number(/, on port (\d+)/.exec(command.written.out)?.[1] ?? 0);
      return port > 0 ? true : undefined;
    });
    return port;
  }

  async function open(): Promise<Page> {
    const opened = await openPage(browser, { ignoreHTTPSErrors: true });
    pages.push(opened);
    return opened.page;
  }

  /** Opens a browser and pastes the user's token on the sign-in page. */
  async function signIn(user: User): Promise<Page> {
    return signInOn(await open(), user);
  }

  async function signInOn(page: Page, user: User): Promise<Page> {
    await page.goto(ORIGIN);
    await page.getByLabel('Token').fill(tokens.get(user) ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.who').waitFor();
    return page;
  }

  /** Sends an action as the page would, and returns the status of the response. */
  const statusOf = (page: Page, action: object): Promise<unknown> =>
    page.evaluate(
      `fetch('/api/actions', { method: 'POST', headers: { 'x-outrigger-console': '1', 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(action))} }).then((answer) => answer.status)`,
    );

  const cell = (page: Page, addon: string, says: string) =>
    page.locator('.grid').getByRole('link', { name: new RegExp(`^${addon} on cluster1: ${says}`) });

  test('a wrong token is one clear line; a right one is kept in no place that a script can read', async () => {
    const page = await open();
    await page.goto(ORIGIN);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('the hub does not accept this token').waitFor();
    await page.getByLabel('Token').fill(tokens.get('viewer') ?? '');
    await page.getByLabel('Token').press('Enter');
    await cell(page, 'hello', 'available').waitFor();
    expect(page.url()).toBe(`${ORIGIN}/`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: '__Host-outrigger', httpOnly: true, secure: true, sameSite: 'Strict' });
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).toBe('{}{}');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await page.goto(ORIGIN);
    await page.getByLabel('Token').waitFor();
  });

  test('AT-19 a viewer sees the fleet without manifests, no button that changes it, and no action is accepted', async () => {
    const page = await signIn('viewer');
    await cell(page, 'hello', 'available').waitFor();
    expect(await page.getByRole('button', { name: /rollouts$/ }).count()).toBe(0);
    await page.goto(`${ORIGIN}/clusters/cluster1/addons/hello`);
    await page.getByText('You may not read ManifestWorks here.').waitFor();
    await page.goto(`${ORIGIN}/addons/hello/rollout`);
    await page.locator('section.lane').first().waitFor();
    expect(
      await page
        .locator('main')
        .getByRole('button', { name: /Pause|Resume|Roll back|Approve|Confirm/ })
        .count(),
    ).toBe(0);
    for (const action of [
      { action: 'pause', addOn: 'hello' },
      { action: 'resume', addOn: 'hello' },
      { action: 'roll-back', addOn: 'hello', revision: 1 },
      { action: 'follow', addOn: 'hello' },
      { action: 'pause-all' },
      { action: 'resume-all' },
    ])
      expect([action, await statusOf(page, action)]).toEqual([action, 403]);
    expect((await world.hub.get(addOnRollouts, { name: 'hello' })).spec?.paused).toBeUndefined();
  });

  test('the owner of a cluster sees that cluster with its manifests, and learns what is missing for the rest', async () => {
    const page = await signIn('owner');
    await cell(page, 'hello', 'available').waitFor();
    expect(await page.locator('.grid tbody tr').count()).toBe(1);
    await page.goto(`${ORIGIN}/clusters/cluster1/addons/hello`);
    await page
      .getByRole('heading', { name: /^addon-hello-deploy/ })
      .first()
      .waitFor();
    await page.goto(`${ORIGIN}/addons/hello/rollout`);
    await page.getByText('this needs the right to get addonrollouts').waitFor();
    await expectAccessible(page);
    await page.goto(`${ORIGIN}/clusters/another`);
    await page.getByText('this needs the right to get managedclusters another').waitFor();
  });

  test('a user without rights sees an empty fleet that says so', async () => {
    const page = await signIn('nobody');
    await page.getByText('No cluster has joined this hub, or you may not see any.').waitFor();
    await expectAccessible(page);
    await page.goto(`${ORIGIN}/activity`);
    await page.getByText('Nothing is recorded.').waitFor();
  });

  test('an approver opens the gate at which an upgrade waits; a viewer only sees the door', async () => {
    expect((await admin('upgrade', 'hello', '--to', 'v2')).code).toBe(0);
    const viewer = await signIn('viewer');
    await viewer.getByText(/^hello: .* waits for an approval/).waitFor();
    await viewer.getByRole('link', { name: /^Open: hello: .* waits for an approval/ }).click();
    const door = viewer.locator('[data-gate="careful/go"]').first();
    await door.waitFor();
    expect(await door.getByRole('button').count()).toBe(0);
    const waiting = (await world.hub.get(addOnRollouts, { name: 'hello' })).status?.entries?.find(
      ({ waitingFor = [] }) => waitingFor.length > 0,
    );
    const gate = { addOn: 'hello', entry: waiting?.name ?? '', revision: waiting?.targetRevision ?? 0, gate: 'careful/go' };
    for (const verb of ['approve', 'reject'])
      expect([verb, await statusOf(viewer, { action: 'decide', verb, ...gate })]).toEqual([verb, 403]);
    const approver = await signIn('approver');
    const item = approver.locator('section[aria-labelledby=attention] li').filter({ hasText: 'waits for an approval' });
    await item.getByRole('button', { name: 'Approve' }).press('Enter');
    const dialog = approver.getByRole('dialog');
    await dialog.getByLabel('Reason (optional)').fill('looks good');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByText(/careful\/go is approved for revision \d+$/).waitFor();
    const [decision] = (await world.hub.list(rolloutApprovals)).items;
    expect(decision?.spec).toMatchObject({ by: `system:serviceaccount:${HOME}:approver`, decision: 'Approved', comment: 'looks good' });
    await viewer.locator('.door.open[data-gate="careful/go"]').waitFor();
    await viewer.goto(ORIGIN);
    await cell(viewer, 'hello', 'available, v2').waitFor();
    await viewer.goto(`${ORIGIN}/activity?addon=hello`);
    await viewer.getByText(/approver approved careful\/go for revision \d+ .*: looks good/).waitFor();
  });

  test('the replay of a rollout that ended shows its stored record, and without the right to read it what is missing', async () => {
    const entry = (await world.hub.get(addOnRollouts, { name: 'hello' })).status?.entries?.find(({ selected = 0 }) => selected > 0);
    let revision = 0;
    await world.eventually('the record of the target is stored', async () => {
      const { status } = await world.hub.get(addOnRollouts, { name: 'hello' });
      const [newest] = status?.entries?.find(({ name }) => name === entry?.name)?.timeline ?? [];
      revision = newest?.outcome === 'Completed' && newest.record !== undefined ? newest.to : 0;
      return revision > 0 ? true : undefined;
    });
    const { out } = await admin('rollout', 'history', 'hello', '--revision', String(revision), '-o', 'json');
    const [record] = JSON.parse(out) as readonly TargetRecord[];
    const { admittedAt = '', seconds = 0 } = record?.clusters.find(({ cluster }) => cluster === 'cluster1') ?? {};
    const admitted = Date.parse(admittedAt);
    // The approval gate held the cluster, so it was waiting until its admission. If its move took less than a second, it is done in the
    // second of its admission.
    const fromRecord = [
      { at: admitted - 1, phase: 'waiting' },
      { at: admitted, phase: seconds > 0 ? 'inFlight' : 'done' },
      { at: admitted + seconds * 1000, phase: 'done' },
    ];
    for (const [user, note, times] of [
      ['historian', 'From the record that the hub stored when this target ended.', fromRecord],
      ['reader', 'this needs the right to list controllerrevisions', fromRecord.slice(0, 1)],
    ] as const) {
      const page = await signIn(user);
      for (const { at, phase } of times) {
        await page.goto(`${ORIGIN}/addons/hello/rollout?at=${at}`);
        const lane = page.locator('section.lane').filter({ hasText: entry?.name ?? '' });
        await lane.getByText(note).waitFor();
        await lane.locator(`[data-phase=${phase}]`).getByRole('link', { name: 'cluster1' }).waitFor();
      }
      await page.goto(`${ORIGIN}/addons/hello/rollout`);
      await page.getByRole('link', { name: 'Replay' }).first().click();
      if (user === 'historian') await page.getByRole('heading', { level: 1, name: 'hello to v2: 1 of 1 done' }).waitFor();
      else await page.getByText('The record of this target cannot be shown').waitFor();
      await expectAccessible(page);
    }
  });

  test('a fleet admin stops all rollouts and resumes them', async () => {
    const page = await signIn('admin');
    const paused = async (): Promise<unknown> => (await world.hub.get(addOnRollouts, { name: FLEET_ROLLOUT })).spec?.paused;
    for (const [name, want] of [
      ['Stop rollouts', true],
      ['Resume rollouts', false],
    ] as const) {
      await page.getByRole('banner').getByRole('button', { name }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name }).click();
      await dialog.getByRole('button', { name: 'Close' }).click();
      expect(await paused()).toBe(want);
    }
    await page.getByRole('banner').getByRole('button', { name: 'Stop rollouts' }).waitFor();
  });

  describeActions({
    world: () => world,
    origin: ORIGIN,
    user: `system:serviceaccount:${HOME}:admin`,
    signIn: async () => {
      const opened = await openPage(browser, { ignoreHTTPSErrors: true });
      await signInOn(opened.page, 'admin');
      return opened;
    },
    outrigger: admin,
  });
}

function unlessExists(error: unknown): void {
  if (!isApiError(error, 'AlreadyExists')) throw error;
}

async function certificate(runtime: Runtime): Promise<{ readonly cert: string; readonly key: string }> {
  const now = runtime.clock.now();
  const valid = () => ({ notBefore: now - 60_000, notAfter: now + 3_600_000, serial: runtime.random.bytes(16) });
  const authority = await createCertificateAuthority(runtime.keys, { commonName: 'authority', ...valid() });
  const issuer = { ca: authority.certificate, caKey: authority.key };
  const issued = await issueServerCertificate(runtime.keys, { commonName: HOST, dnsNames: [HOST], ...issuer, ...valid() });
  return { cert: issued.certificate, key: issued.privateKey };
}
