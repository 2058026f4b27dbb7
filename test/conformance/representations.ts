import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './api.js';
import { configMap, ownNamespace, type Subject } from './subject.js';
import { registerWidget } from './widgets.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const AGGREGATED = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

interface Table {
  readonly kind: string;
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly kind: string; readonly data?: unknown } }[];
}

export function representations(subject: Subject): void {
  describe('other representations', () => {
    const ns = ownNamespace(subject, 'shape');
    const path = ns.path('configmaps');
    beforeAll(async () => {
      await subject.admin.create(path, configMap('shape', { a: '1', b: '2' }));
    });

    it('shows a list as a table with the columns of the kind', async () => {
      const table = (await subject.admin.get(`${path}?fieldSelector=metadata.name%3Dshape`, { accept: TABLE })).body as unknown as Table;
      expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
      expect(table.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([['shape', 2]]);
    });
    it('puts only metadata into the rows of a table', async () => {
      const table = (await subject.admin.get(`${path}/shape`, { accept: TABLE })).body as unknown as Table;
      expect(table.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'shape' } });
      expect(table.rows[0]?.object).not.toHaveProperty('data');
    });
    it('puts null into the rows on request, and refuses to put anything else', async () => {
      const shown = (value: string): Promise<Answer> => subject.admin.get(`${path}/shape?includeObject=${value}`, { accept: TABLE });
      expect(((await shown('None')).body as unknown as Table).rows).toEqual([{ cells: ['shape', 2, expect.any(String)], object: null }]);
      const { status, body } = await shown('Some');
      const why = "includeObject: Invalid value: \"Some\": must be 'Metadata', 'Object', 'None', or empty";
      expect([status, body.message]).toEqual([400, `Unable to convert to Table as requested: ${why}`]);
    });
    it('puts whole objects into the rows on request', async () => {
      const table = (await subject.admin.get(`${path}/shape?includeObject=Object`, { accept: TABLE })).body as unknown as Table;
      expect(table.rows[0]?.object).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
    });
    it('watches as tables', async () => {
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Dshape`, { accept: TABLE });
      const event = await watch.next();
      watch.close();
      expect(event?.type).toBe('ADDED');
      expect(event?.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['shape', 2, expect.any(String)] }] });
    });
    it('sends the columns once in a watch', async () => {
      const bookmarked = 'allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Dshape&${bookmarked}`, { accept: TABLE });
      const [first, bookmark] = [await watch.next(), await watch.next()];
      watch.close();
      expect(first).toMatchObject({ type: 'ADDED', object: { columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }] } });
      const rows = [{ cells: ['', 0, '<unknown>'] }];
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Table', columnDefinitions: null, rows } });
    });
    it('falls back to JSON when it does not know the shape and JSON is also fine', async () => {
      const { body } = await subject.admin.get(`${path}/shape`, {
        accept: 'application/json;as=Nonsense;v=v1;g=meta.k8s.io,application/json',
      });
      expect(body.kind).toBe('ConfigMap');
    });
    it('shows one object as its metadata', async () => {
      const { body } = await subject.admin.get(`${path}/shape`, { accept: PARTIAL });
      expect(body).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'shape' } });
      expect(body).not.toHaveProperty('data');
    });
    it('shows a list as metadata', async () => {
      const { body } = await subject.admin.get(path, { accept: PARTIAL_LIST });
      expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
      expect(body.items.every((item) => !('data' in item))).toBe(true);
    });
    it.each([
      [
        'one object as a list of metadata',
        '/shape',
        PARTIAL_LIST,
        'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
      ],
      [
        'a list as one metadata',
        '',
        PARTIAL,
        'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
      ],
      ['a list as one metadata, even if JSON is also fine', '', `${PARTIAL},application/json`, 'the requested object is a list'],
    ])('refuses to show %s', async (_, where, accept, why) => {
      const { status, body } = await subject.admin.get(`${path}${where}`, { accept });
      expect([status, body.reason]).toEqual([406, 'NotAcceptable']);
      expect(body.message).toContain(why);
    });
    it('watches metadata alone', async () => {
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Dshape`, { accept: PARTIAL });
      expect((await watch.next())?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'shape' } });
      watch.close();
    });

    const one = `${path}/shape`;
    const absent = `${path}/absent`;
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    it.each([
      [one, PROTOBUF, 200, PROTOBUF],
      [path, `${PROTOBUF},application/json`, 200, PROTOBUF],
      [path, `application/json,${PROTOBUF}`, 200, 'application/json'],
      [crds, PROTOBUF, 200, PROTOBUF],
      [absent, PROTOBUF, 404, PROTOBUF],
      [absent, 'application/yaml', 404, 'application/yaml'],
      [`${ns.path('replicationcontrollers')}/none/scale`, PROTOBUF, 404, PROTOBUF],
      [path, `${PROTOBUF};as=Table;v=v1;g=meta.k8s.io`, 406, 'application/json'],
      [one, `${PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, 200, PROTOBUF],
      [path, `${PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`, 200, PROTOBUF],
      [`${path}?watch=true&timeoutSeconds=1`, PROTOBUF, 200, `${PROTOBUF};stream=watch`],
      [`${path}?watch=true&timeoutSeconds=1`, 'application/yaml', 406, 'application/yaml'],
      ['/api', PROTOBUF, 200, PROTOBUF],
      ['/apis/apps', PROTOBUF, 200, PROTOBUF],
      ['/apis', `${PROTOBUF};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io`, 200, `${PROTOBUF};${AGGREGATED}`],
      ['/apis/apps/v1', PROTOBUF, 200, PROTOBUF],
    ])('answers %s to a client that accepts %s', async (asked, accept, status, contentType) => {
      const answer = await subject.admin.get(asked, { accept });
      expect([answer.status, answer.headers['content-type']]).toEqual([status, contentType]);
      if (contentType.startsWith(PROTOBUF) && !contentType.includes('stream')) expect(answer.text.slice(0, 4)).toBe('k8s\0');
    });
    it('answers writes in protobuf', async () => {
      const answer = await subject.admin.post(`${path}?dryRun=All`, configMap('binary', { text: 'found' }), { accept: PROTOBUF });
      expect([answer.status, answer.headers['content-type']]).toEqual([201, PROTOBUF]);
      expect(answer.text).toContain('\x04text\x12\x05found');
    });
    it('does not write if the client accepts no available response type', async () => {
      const answer = await subject.admin.post(path, configMap('unanswerable'), { accept: 'text/csv' });
      expect([answer.status, (await subject.admin.get(`${path}/unanswerable`)).status]).toEqual([406, 404]);
    });
    it('frames the events of a binary watch by their length', async () => {
      const query = 'watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dshape';
      const { text } = await subject.admin.get(`${path}?${query}`, { accept: PROTOBUF });
      expect(text).toMatch(/^\0\0[^]{2}\n\x05ADDED\x12[^]+k8s\0\n\x0f\n\x02v1\x12\x09ConfigMap/);
    });
    it('has no binary form of custom kinds but for their metadata', async () => {
      const kind = await registerWidget(subject, [{ name: 'v1', schema: { spec: { type: 'object' } } }]);
      const asked = kind.in(ns.name);
      expect((await subject.admin.get(asked, { accept: PROTOBUF })).status).toBe(406);
      expect((await subject.admin.get(asked, { accept: `${PROTOBUF},application/json` })).headers['content-type']).toBe('application/json');
      const accept = `${PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
      expect((await subject.admin.get(asked, { accept })).headers['content-type']).toBe(PROTOBUF);
      await subject.admin.delete(kind.crdPath);
    });
  });
}
