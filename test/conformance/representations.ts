import { beforeAll, describe, expect, it } from 'vitest';
import { configMap, ownNamespace, type Subject } from './subject.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
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
    it('puts whole objects into the rows when asked to', async () => {
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
    it('watches metadata alone', async () => {
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Dshape`, { accept: PARTIAL });
      expect((await watch.next())?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'shape' } });
      watch.close();
    });
  });
}
