import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, eventually } from './api.js';
import { configMap, ownNamespace, type Subject, unique } from './subject.js';
import { ALLOWED, answering, FAILURES, MISCONFIGURED, PATCH_FAILURES, patchOf, REFUSALS } from './webhook-answers.js';
import { type Hook, type Review, startWebhookServer, type WebhookServer } from './webhook-server.js';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
type Phase = 'mutating' | 'validating';
const PHASES: readonly Phase[] = ['mutating', 'validating'];

/** A webhook that is called only for objects in the suite's namespace with the label `case: <name>`. */
interface Case {
  readonly name: string;
  readonly hook?: Hook;
  /** The fields of the webhook that differ from the defaults of this suite. */
  readonly fields?: object;
}

/** The suite configures all its webhooks at once, because a real server needs some time to apply each change. */
export function webhooks(subject: Subject): void {
  describe('admission webhooks', () => {
    const ns = ownNamespace(subject, 'webhooks');
    const configuration = unique('webhooks');
    const world = new World();
    const path = (query = ''): string => `${ns.path('configmaps')}${query}`;
    const create = (name: string, of: string, data?: Record<string, string>, query?: string): Promise<Answer> =>
      subject.admin.post(path(query), configMap(name, data, { labels: { case: of } }));

    beforeAll(async () => {
      await world.start();
      for (const phase of PHASES) {
        const body = { metadata: { name: configuration }, webhooks: world.entries(phase, ns.name) };
        await subject.admin.create(`${REGISTRATION}/${phase}webhookconfigurations`, body);
        await eventually(async () => expect((await create('a', `${phase}-is-ready`, {}, '?dryRun=All')).status).toBe(400));
      }
    });
    afterAll(async () => {
      for (const phase of PHASES) await subject.admin.delete(`${REGISTRATION}/${phase}webhookconfigurations/${configuration}`);
      await world.stop();
    });

    describe('get the request', () => requests(subject, world, path, create));
    describe('decide', () => decisions(subject, world, path, create));
    describe('are configured without', () => configuring(subject));
    describe('are called', () => selection(subject, world, { configuration, namespace: ns.name }, create));
  });
}

function configuring(subject: Subject): void {
  const right = {
    name: 'a.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://127.0.0.1/x' },
    rules: [rule('none.example.com', 'things')],
  };
  const post = async (...entries: object[]): Promise<Answer> =>
    subject.admin.post(`${REGISTRATION}/mutatingwebhookconfigurations?dryRun=All`, {
      metadata: { name: 'misconfigured' },
      webhooks: entries,
    });

  it.each(MISCONFIGURED)('$name', async ({ fields, problems }) => {
    const { body } = await post({ ...right, ...fields });
    expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
    const told = body.details.causes.map(({ field, message }) => `${field}: ${message}`);
    expect(told.sort()).toEqual(problems.map((each) => `webhooks[0].${each}`).sort());
  });

  it('the same name twice', async () => {
    expect((await post(right, right)).body.message).toContain('webhooks[1].name: Duplicate value: "a.example.com"');
  });
}

type Create = (name: string, of: string, data?: Record<string, string>, query?: string) => Promise<Answer>;
type Path = (query?: string) => string;

function requests(subject: Subject, world: World, path: Path, create: Create): void {
  const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const common = { kind, resource: configMaps, requestKind: kind, requestResource: configMaps };

  it('the user and the object of a create, before and after defaulting', async () => {
    await create('created', 'recorded', { a: '1' }, '?fieldManager=me&fieldValidation=Strict');
    const [before, after] = world.reviews();
    const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' };
    expect(before).toMatchObject({ ...common, name: 'created', operation: 'CREATE', oldObject: null, dryRun: false, options });
    expect(before?.userInfo).toMatchObject({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
    expect(before?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'created' }, data: { a: '1' } });
    expect(before).not.toHaveProperty('subResource');
    expect(before?.object?.metadata.uid).toBeUndefined();
    expect(after).toMatchObject({ ...common, name: 'created', operation: 'CREATE', oldObject: null });
    expect(after?.object?.metadata).toMatchObject({ uid: /./, creationTimestamp: /./ });
    expect(after?.uid).not.toBe(before?.uid);
  });

  it('a name only once it was generated', async () => {
    const object = { metadata: { generateName: 'made-', labels: { case: 'recorded' } } };
    const { body } = await subject.admin.post(path('?dryRun=All'), object);
    const [before, after] = world.reviews();
    expect(before).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
    expect(before).not.toHaveProperty('name');
    expect(before?.object?.metadata).not.toHaveProperty('name');
    expect(after?.name).toBe(body.metadata.name);
  });

  it('the state before and after a change, for each verb', async () => {
    await create('changed', 'recorded', { a: '1' });
    world.reviews();
    const changes = [
      subject.admin.patch.bind(subject.admin, 'merge', path('/changed'), { data: { a: '2' } }),
      subject.admin.put.bind(subject.admin, path('/changed'), configMap('changed', { a: '3' }, { labels: { case: 'recorded' } })),
      subject.admin.patch.bind(subject.admin, 'apply', path('/changed?fieldManager=me&force=true'), configMap('changed', { a: '4' })),
    ];
    for (const [i, change] of changes.entries()) {
      expect((await change()).status).toBe(200);
      const expected = { ...common, operation: 'UPDATE', oldObject: { data: { a: `${i + 1}` } }, object: { data: { a: `${i + 2}` } } };
      // A kube-apiserver may start an update from an older object in its cache. When etcd rejects that update, the server repeats the
      // update and calls the webhooks again.
      const ofCurrent = world.reviews().filter(({ oldObject }) => oldObject?.data['a'] === `${i + 1}`);
      expect(ofCurrent).toMatchObject([
        { ...expected, options: { kind: 'UpdateOptions' } },
        { ...expected, options: { kind: 'UpdateOptions' } },
      ]);
    }
  });

  it('the deleted object, and each object of a collection without its name', async () => {
    await create('deleted', 'recorded', { a: '1' });
    await create('collected', 'recorded', { a: '2' });
    world.reviews();
    await subject.admin.delete(path('/deleted?propagationPolicy=Background'));
    const options = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' };
    const deletion = { ...common, operation: 'DELETE', name: 'deleted', object: null, oldObject: { data: { a: '1' } }, options };
    expect(world.reviews()).toMatchObject([deletion, deletion]);
    await subject.admin.delete(path('?fieldSelector=metadata.name=collected'));
    const [one] = world.reviews();
    expect(one).toMatchObject({ operation: 'DELETE', oldObject: { metadata: { name: 'collected' } } });
    expect(one).not.toHaveProperty('name');
  });

  it('a Scale as a separate kind', async () => {
    const deployments = path().replace('/api/v1', '/apis/apps/v1').replace('configmaps', 'deployments');
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await subject.admin.create(deployments, {
      metadata: { name: 'd' },
      spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
    });
    await subject.admin.patch('merge', `${deployments}/d/scale`, { spec: { replicas: 1 } });
    // Check only the last review: if the object in its cache was older, a kube-apiserver repeats the update and calls the webhooks again.
    expect(world.reviews().at(-1)).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      requestSubResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 1 } },
      oldObject: { kind: 'Scale', spec: {} },
    });
  });

  it('only of the listed version of a resource, with matchPolicy Exact', async () => {
    const events = `/apis/events.k8s.io/v1/namespaces/${path().split('/')[4]}/events`;
    const regarding = { namespace: path().split('/')[4] };
    const event = {
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      regarding,
    };
    await subject.admin.create(events, { ...event, reportingController: 'c', reportingInstance: 'i', note: 'as told' });
    expect(world.reviews()).toEqual([]);
  });
}

function decisions(subject: Subject, world: World, path: Path, create: Create): void {
  it.each(REFUSALS)('by rejecting: $name', async ({ name, told }) => {
    expect((await create(name, name)).body).toMatchObject({ kind: 'Status', ...told });
  });

  it.each(FAILURES)('by no valid response: $name rejects the request', async ({ name, why }) => {
    const { body } = await create(name, name);
    const message = `Internal error occurred: failed calling webhook "${name}.example.com": `;
    expect(body).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(body.message).toContain(message);
    expect(body.message).toMatch(typeof why === 'string' ? message + why : why);
    expect(body.details.causes).toEqual([{ message: body.message.replace('Internal error occurred: ', '') }]);
  });

  it.each(PATCH_FAILURES)('with a patch that cannot be applied, which rejects the request: $name', async ({ name, why }) => {
    expect((await create(name, name)).body).toMatchObject({ code: 500, message: `Internal error occurred: ${why}` });
  });

  it('by failing: the write is rejected if they are late, unreachable, or have the wrong certificate', async () => {
    const failed = (name: string): string =>
      `Internal error occurred: failed calling webhook "${name}.example.com": failed to call webhook: Post `;
    expect((await create('late', 'late')).body.message).toBe(
      `${failed('late')}"${world.url('/late')}?timeout=1s": context deadline exceeded`,
    );
    const port = world.closedPort;
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect((await create('gone', 'gone')).body.message).toBe(`${failed('gone')}"https://127.0.0.1:${port}/x?timeout=10s": ${refused}`);
    const untrusted = (await create('untrusted', 'untrusted')).body.message;
    expect(untrusted).toContain('tls: failed to verify certificate: x509: certificate signed by unknown authority');
    const service = (await create('unknown-service', 'unknown-service')).body.message;
    expect(service).toMatch(/Post "https:\/\/nobody\.[-\w]+\.svc:443\/x\?timeout=10s": service "nobody" not found$/);
  });

  it('nothing if they fail and failurePolicy is Ignore', async () => {
    expect((await create('ignored', 'ignored')).status).toBe(201);
  });

  it('one after the other, and are called again after another webhook changed the object', async () => {
    const { body } = await create('ordered', 'ordered', { sent: 'yes' }, '?fieldManager=me');
    expect(body.data).toEqual({ sent: 'yes', first: 'again', second: 'yes' });
    expect(body).not.toHaveProperty('unknown');
    expect(world.order()).toEqual(['first', 'second saw first,sent', 'first']);
    const owned = body.metadata.managedFields.find(({ manager }) => manager === 'me')?.fieldsV1 as { 'f:data': object };
    expect(Object.keys(owned['f:data'])).toEqual(['.', 'f:sent']);
  });

  it('about a delete, but cannot change the deleted object', async () => {
    await create('on-delete', 'on-delete');
    const what = 'admission webhook "on-delete.example.com" attempted to modify the object, which is not supported for this operation';
    expect((await subject.admin.delete(path('/on-delete'))).body.message).toBe(`Internal error occurred: ${what}`);
  });

  it('with a warning, also if they reject the request', async () => {
    expect((await create('warns', 'warns')).headers['warning']).toBe('299 - "be careful"');
    const refused = await create('warns-and-refuses', 'warns-and-refuses');
    expect(refused).toMatchObject({ status: 400, headers: { warning: '299 - "told you"' } });
  });
}

function selection(subject: Subject, world: World, place: { configuration: string; namespace: string }, create: Create): void {
  it('if their match conditions are true', async () => {
    expect((await create('holds', 'conditional', { deny: 'yes' })).status).toBe(400);
    expect((await create('holds-not', 'conditional', { deny: 'no' })).status).toBe(201);
    expect((await create('by-user', 'by-user')).status).toBe(400);
  });

  it('according to failurePolicy if a condition cannot be evaluated: the request fails, or they are not called', async () => {
    expect((await create('unsure', 'unsure', { a: 'b' })).status).toBe(201);
    const { body } = await create('unclear', 'conditional', { a: 'b' });
    const why = `expression 'object.data.deny == "yes"' resulted in error: no such key: deny`;
    expect(body).toMatchObject({ code: 403, reason: 'Forbidden', message: `configmaps "unclear" is forbidden: ${why}` });
  });

  it('for an object that they select before or after the change', async () => {
    await create('leaves', 'recorded');
    world.reviews();
    const at = `/api/v1/namespaces/${place.namespace}/configmaps/leaves`;
    await subject.admin.patch('merge', at, { metadata: { labels: { case: null } } });
    // A kube-apiserver may start an update from an older object in its cache. When etcd rejects that update, the server repeats the update
    // and calls the webhooks again.
    const asked = world.reviews();
    expect([asked.length > 0, asked.length % 2]).toEqual([true, 0]);
    await subject.admin.patch('merge', at, { data: { a: 'b' } });
    expect(world.reviews().filter(({ oldObject }) => oldObject?.metadata.labels?.['case'] === undefined)).toEqual([]);
  });

  it('never for webhook configurations', async () => {
    const at = `${REGISTRATION}/mutatingwebhookconfigurations/${place.configuration}`;
    expect((await subject.admin.patch('merge', at, { metadata: { labels: { case: 'everything' } } })).status).toBe(200);
  });
}

/** The webhooks of this suite, and the reviews that they received, in order. */
class World {
  #server: WebhookServer | undefined;
  #other: WebhookServer | undefined;
  #reviews: Review[] = [];
  #order: string[] = [];
  closedPort = 0;

  async start(): Promise<void> {
    this.#server = await startWebhookServer();
    this.#other = await startWebhookServer();
    this.closedPort = this.#other.port;
    await this.#other.close();
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  url(path: string): string {
    return this.#server?.url(path) ?? '';
  }

  /** Returns the reviews that were received since the last call. */
  reviews(): readonly Review[] {
    return this.#reviews.splice(0);
  }

  order(): readonly string[] {
    return this.#order.splice(0);
  }

  /** Returns the webhooks of a phase, as entries of a webhook configuration. */
  entries(phase: Phase, namespace: string): readonly object[] {
    const cases = phase === 'mutating' ? this.#mutating() : this.#validating(namespace);
    return cases.map(({ name, hook, fields }) => {
      const at = `/${name}${name === 'recorded' ? phase : ''}`;
      if (hook) this.#server?.on(at, hook);
      return {
        name: `${name}.example.com`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        clientConfig: { url: this.url(at), caBundle: this.#server?.caBundle },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: { matchLabels: { case: name } },
        rules: [rule('*', '*')],
        ...fields,
      };
    });
  }

  readonly #record: Hook = (review) => {
    this.#reviews.push(review);
    return ALLOWED;
  };

  #mutating(): readonly Case[] {
    const ordered = { objectSelector: { matchLabels: { case: 'ordered' } } };
    return [
      { name: 'mutating-is-ready', hook: () => ({ allowed: false }) },
      { name: 'recorded', hook: this.#record },
      {
        name: 'first',
        hook: ({ object }) => {
          this.#order.push('first');
          return patchOf({ op: 'add', path: '/data/first', value: object?.data['second'] ? 'again' : 'yes' });
        },
        fields: { ...ordered, reinvocationPolicy: 'IfNeeded' },
      },
      {
        name: 'second',
        hook: ({ object }) => {
          this.#order.push(
            `second saw ${Object.keys(object?.data ?? {})
              .sort()
              .join()}`,
          );
          return patchOf({ op: 'add', path: '/data/second', value: 'yes' }, { op: 'add', path: '/unknown', value: 1 });
        },
        fields: ordered,
      },
      { name: 'warns', hook: () => ({ ...ALLOWED, warnings: ['be careful'] }) },
      { name: 'on-delete', hook: ({ operation }) => (operation === 'DELETE' ? patchOf({ op: 'remove', path: '/data' }) : ALLOWED) },
      ...PATCH_FAILURES.map(({ name, response }) => ({ name, hook: () => ({ ...ALLOWED, ...response }) })),
    ];
  }

  #validating(namespace: string): readonly Case[] {
    const deny: Hook = () => ({ allowed: false });
    const when = (expression: string): object => ({ matchConditions: [{ name: 'c', expression }] });
    const at = (clientConfig: object): object => ({ clientConfig: { caBundle: this.#server?.caBundle, ...clientConfig } });
    return [
      { name: 'validating-is-ready', hook: deny },
      { name: 'recorded', hook: this.#record },
      ...REFUSALS,
      ...FAILURES,
      { name: 'ignored', hook: answering(500, 'x'), fields: { failurePolicy: 'Ignore' } },
      { name: 'warns-and-refuses', hook: () => ({ allowed: false, warnings: ['told you'] }) },
      { name: 'late', hook: () => new Promise(() => undefined), fields: { timeoutSeconds: 1 } },
      { name: 'gone', fields: at({ url: `https://127.0.0.1:${this.closedPort}/x` }) },
      { name: 'untrusted', fields: at({ url: this.url('/x'), caBundle: this.#other?.caBundle }) },
      { name: 'unknown-service', fields: at({ service: { name: 'nobody', namespace, path: '/x' } }) },
      { name: 'conditional', hook: deny, fields: when('object.data.deny == "yes"') },
      { name: 'unsure', hook: deny, fields: { ...when('object.data.deny == "yes"'), failurePolicy: 'Ignore' } },
      { name: 'by-user', hook: deny, fields: when('request.userInfo.username == "admin" && request.operation == "CREATE"') },
      { name: 'everything', hook: deny, fields: { namespaceSelector: {} } },
      { name: 'scaled', hook: this.#record, fields: { objectSelector: {}, rules: [rule('apps', 'deployments/scale')] } },
      { name: 'exact', hook: this.#record, fields: { objectSelector: {}, rules: [rule('', 'events')], matchPolicy: 'Exact' } },
    ];
  }
}

function rule(group: string, resource: string): object {
  return { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['*'] };
}
