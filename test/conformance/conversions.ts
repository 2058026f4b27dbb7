import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Obj } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { type Hook, RawAnswer, type Review, startWebhookServer, type WebhookServer } from './webhook-server.js';
import { widgetDefinition } from './widgets.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const success = (convertedObjects: readonly unknown[]): object => ({ result: { status: 'Success' }, convertedObjects });

/** Converts the field that is named `color` in v1 and `paint` in v1beta1. */
const convert: Hook = ({ objects, desiredAPIVersion }) =>
  success(
    objects.map(({ spec, ...object }) => {
      const { color, paint, ...rest } = spec;
      const named = desiredAPIVersion.endsWith('v1beta1') ? { paint: color } : { color: paint };
      return { ...object, apiVersion: desiredAPIVersion, spec: { ...rest, ...named } };
    }),
  );

const changing =
  (change: (object: Obj, review: Review) => object): Hook =>
  (review) =>
    success(review.objects.map((object) => ({ ...object, apiVersion: review.desiredAPIVersion, ...change(object, review) })));

/**
 * Responses that are not valid conversions. `why` is the end of the error message that a reader of the object gets: the part after the name
 * of the kind.
 */
const FAILURES: readonly { readonly name: string; readonly hook: Hook; readonly why: RegExp }[] = [
  { name: 'a failure with its reason', hook: () => ({ result: { status: 'Failure', message: 'cannot' } }), why: /^failed: cannot$/ },
  {
    name: 'a failure',
    hook: () => ({ result: { status: 'Failure' } }),
    why: /^failed: response.result.status was 'Failure', not 'Success'$/,
  },
  { name: 'nothing', hook: () => success([]), why: /^returned 0 objects, expected 1$/ },
  {
    name: 'the same again',
    hook: ({ objects }) => success(objects),
    why: /^returned invalid object at index 0: invalid groupVersion \(expected \S+\/v1beta1, received \S+\/v1\)$/,
  },
  {
    name: 'another kind',
    hook: changing(() => ({ kind: 'Other' })),
    why: /^returned invalid object at index 0: invalid kind \(expected Widget, received Other\)$/,
  },
  {
    name: 'another name',
    hook: changing(({ metadata }) => ({ metadata: { ...metadata, name: 'other' } })),
    why: /^returned invalid object: must have the same name: a != other$/,
  },
  {
    name: 'another uid',
    hook: changing(({ metadata }) => ({ metadata: { ...metadata, uid: 'other' } })),
    why: /^returned invalid object: must have the same UID: \S+ != other$/,
  },
  {
    name: 'broken labels',
    hook: changing(({ metadata }) => ({ metadata: { ...metadata, labels: { 'a b': 'c' } } })),
    why: /^returned invalid metadata: metadata.labels: Invalid value: "a b": /,
  },
  { name: 'the answer to another question', hook: () => ({ uid: 'x' }), why: /^failed: expected response.uid="\S+", got "x"$/ },
  { name: 'an error', hook: () => new RawAnswer(500, 'x'), why: /^failed: an error on the server \("unknown"\) has prevented the request/ },
];

export function conversions(subject: Subject): void {
  describe('conversion webhooks', () => {
    const ns = ownNamespace(subject, 'conversions');
    const group = `${unique('g')}.example.com`;
    let server: WebhookServer;
    const path = (version: string, name = ''): string => `/apis/${group}/${version}/namespaces/${ns.name}/widgets${name}`;
    const widget = (version: string, name: string, fields: object): object => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      metadata: { name },
      ...fields,
    });

    beforeAll(async () => {
      server = await startWebhookServer();
      server.on('/convert', convert);
      const text = { type: 'string' };
      const properties = { color: text, paint: text, given: { ...text, default: 'by default' } };
      const schema = { spec: { type: 'object', properties } };
      const definition = widgetDefinition(group, [
        { name: 'v1', schema },
        { name: 'v1beta1', schema, storage: false },
      ]) as { readonly spec: object };
      const clientConfig = { url: server.url('/convert'), caBundle: server.caBundle };
      const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
      await subject.admin.create(CRDS, { ...definition, spec: { ...definition.spec, conversion } });
      for (const version of ['v1', 'v1beta1']) {
        await eventually(async () => expect((await subject.admin.get(path(version))).status).toBe(200));
      }
      await subject.admin.create(path('v1'), widget('v1', 'a', { spec: { color: 'red' } }));
    });
    afterAll(async () => {
      server.on('/convert', convert);
      await subject.admin.delete(`${CRDS}/widgets.${group}`);
      await server.close();
    });

    it('show an object in the version asked for, with the defaults of the stored one', async () => {
      const { body } = await subject.admin.get(path('v1beta1', '/a'));
      expect(body).toMatchObject({ apiVersion: `${group}/v1beta1`, spec: { paint: 'red', given: 'by default' } });
      expect(body.spec).not.toHaveProperty('color');
      expect((await subject.admin.get(path('v1beta1'))).body.items).toMatchObject([
        { apiVersion: `${group}/v1beta1`, spec: { paint: 'red' } },
      ]);
    });

    it('store what is written in another version, and answer in that', async () => {
      const created = await subject.admin.create(path('v1beta1'), widget('v1beta1', 'b', { spec: { paint: 'blue' } }));
      expect(created).toMatchObject({ apiVersion: `${group}/v1beta1`, spec: { paint: 'blue' } });
      expect((await subject.admin.get(path('v1', '/b'))).body).toMatchObject({
        metadata: { uid: created.metadata.uid },
        spec: { color: 'blue' },
      });
      const patched = await subject.admin.patch('merge', path('v1beta1', '/b'), { spec: { paint: 'green' } });
      expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { paint: 'green' } });
      expect((await subject.admin.delete(path('v1beta1', '/b'))).status).toBe(200);
    });

    it('distinguish managers by the version they wrote in', async () => {
      const apply = (version: string, manager: string, spec: object): Promise<{ body: Obj }> =>
        subject.admin.patch('apply', path(version, `/c?fieldManager=${manager}`), widget(version, 'c', { spec }));
      await apply('v1beta1', 'old', { paint: 'red' });
      expect((await apply('v1', 'new', { color: 'blue' })).body).toMatchObject({
        code: 409,
        message: /conflict with "old" using \S+\/v1beta1: .spec.paint$/,
      });
      expect((await apply('v1', 'new', { color: 'red' })).body.metadata.managedFields).toHaveLength(2);
      await subject.admin.delete(path('v1', '/c'));
    });

    it('send changes to watches of another version, in order', async () => {
      const { metadata } = (await subject.admin.get(path('v1beta1'))).body;
      const watch = await subject.admin.watch(path('v1beta1', `?resourceVersion=${metadata.resourceVersion}`));
      await subject.admin.create(path('v1'), widget('v1', 'd', { spec: { color: 'red' } }));
      await subject.admin.patch('merge', path('v1', '/d'), { spec: { color: 'blue' } });
      await subject.admin.delete(path('v1', '/d'));
      const seen = [await watch.next(), await watch.next(), await watch.next()];
      expect(seen.map((event) => `${event?.type} ${String(event?.object.spec['paint'])}`)).toEqual([
        'ADDED red',
        'MODIFIED blue',
        'DELETED blue',
      ]);
      watch.close();
    });

    it.each(FAILURES)('that answer with $name make it unreadable', async ({ hook, why }) => {
      server.on('/convert', hook);
      const { body } = await subject.admin.get(path('v1beta1', '/a'));
      server.on('/convert', convert);
      expect(body).toMatchObject({ kind: 'Status', code: 500 });
      expect(body).not.toHaveProperty('reason');
      expect(body.message.replace(`conversion webhook for ${group}/v1, Kind=Widget `, '')).toMatch(why);
    });

    it('that fail do not prevent writes in the stored version', async () => {
      const before = await subject.admin.get(path('v1', '/a'));
      expect(before.status).toBe(200);
      server.on('/convert', () => ({ result: { status: 'Failure', message: 'cannot' } }));
      const written = await subject.admin.post(path('v1beta1'), widget('v1beta1', 'e', { spec: { paint: 'red' } }));
      const patched = await subject.admin.patch('merge', path('v1', '/a'), { spec: { color: 'blue' } });
      server.on('/convert', convert);
      expect(written.body).toMatchObject({ code: 500, message: `conversion webhook for ${group}/v1beta1, Kind=Widget failed: cannot` });
      expect(patched.body).toMatchObject({ spec: { color: 'blue' } });
    });
  });
}
