import { describe, expect, it } from 'vitest';
import type { Obj } from './api.js';
import { configMap, ownNamespace, type Subject } from './subject.js';
import { type Event, brief, watchPath } from './watching.js';
import { registerWidget } from './widgets.js';

export function watching(subject: Subject): void {
  describe('watch', () => {
    const ns = ownNamespace(subject, 'watch');
    const path = ns.path('configmaps');
    const version = async (): Promise<string> => (await subject.admin.get(path)).body.metadata.resourceVersion;

    it('sends every change after the version it starts from, in order', async () => {
      const watch = await subject.admin.watch(`${path}?resourceVersion=${await version()}&fieldSelector=metadata.name%3Dw1`);
      const created = await subject.admin.create(path, configMap('w1', { a: '1' }));
      const updated = (await subject.admin.put(`${path}/w1`, { ...created, data: { a: '2' } })).body;
      await subject.admin.delete(`${path}/w1`);
      const events = await watch.until(({ type }) => type === 'DELETED');
      watch.close();
      expect(events.map(brief)).toEqual(['ADDED w1', 'MODIFIED w1', 'DELETED w1']);
      expect(events.map(({ object }) => object.data)).toEqual([{ a: '1' }, { a: '2' }, { a: '2' }]);
      expect(events[0]?.object.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
      expect(events[1]?.object.metadata.resourceVersion).toBe(updated.metadata.resourceVersion);
    });
    it('carries kind and apiVersion in every event', async () => {
      const watch = await subject.admin.watch(`${path}?resourceVersion=${await version()}`);
      await subject.admin.create(path, configMap('w2'));
      expect((await watch.next())?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      watch.close();
    });
    it('gives a DELETED event a version later than the last change', async () => {
      const created = await subject.admin.create(path, configMap('w3'));
      const watch = await subject.admin.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
      await subject.admin.delete(`${path}/w3`);
      const deleted = await watch.next();
      watch.close();
      expect(BigInt(deleted?.object.metadata.resourceVersion ?? 0)).toBeGreaterThan(BigInt(created.metadata.resourceVersion));
    });
    it('replays the changes since an older version', async () => {
      const start = await version();
      for (const name of ['r1', 'r2', 'r3']) await subject.admin.create(path, configMap(name));
      const watch = await subject.admin.watch(`${path}?resourceVersion=${start}`);
      expect((await watch.until(({ object }) => object.metadata.name === 'r3')).map(brief)).toEqual(['ADDED r1', 'ADDED r2', 'ADDED r3']);
      watch.close();
    });
    it('starts with all objects if no version is given', async () => {
      await subject.admin.create(path, configMap('there'));
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Dthere`);
      expect(brief((await watch.next()) as { type: string; object: Obj })).toBe('ADDED there');
      watch.close();
    });
    it('shows only the object selected by name', async () => {
      const watch = await subject.admin.watch(`${path}?fieldSelector=metadata.name%3Donly&resourceVersion=${await version()}`);
      await subject.admin.create(path, configMap('other'));
      await subject.admin.create(path, configMap('only'));
      expect((await watch.next())?.object.metadata.name).toBe('only');
      watch.close();
    });
    it('sends entering a label selector as ADDED and leaving it as DELETED', async () => {
      const watch = await subject.admin.watch(`${path}?labelSelector=in%3Dyes&resourceVersion=${await version()}`);
      await subject.admin.create(path, configMap('mover'));
      await subject.admin.patch('merge', `${path}/mover`, { metadata: { labels: { in: 'yes' } } });
      await subject.admin.patch('merge', `${path}/mover`, { data: { changed: 'yes' } });
      await subject.admin.patch('merge', `${path}/mover`, { metadata: { labels: { in: null } } });
      const events = await watch.until(({ type }) => type === 'DELETED');
      watch.close();
      expect(events.map(brief)).toEqual(['ADDED mover', 'MODIFIED mover', 'DELETED mover']);
    });
    it('sends no event for a write that changed nothing', async () => {
      const created = await subject.admin.create(path, configMap('still', { a: '1' }));
      const watch = await subject.admin.watch(`${path}?resourceVersion=${created.metadata.resourceVersion}`);
      const again = await subject.admin.put(`${path}/still`, created);
      expect(again.body.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
      expect(await watch.isSilentFor(500)).toBe(true);
      watch.close();
    });
    it('ends after timeoutSeconds', async () => {
      const watch = await subject.admin.watch(`${path}?timeoutSeconds=1&resourceVersion=${await version()}`);
      expect(await watch.next()).toBeUndefined();
    });
    it('sends a bookmark before a timed watch ends, on request', async () => {
      const start = await version();
      const watch = await subject.admin.watch(`${path}?timeoutSeconds=4&allowWatchBookmarks=true&resourceVersion=${start}`);
      const created = await subject.admin.create(path, configMap('before-bookmark'));
      const bookmark = (await watch.until(({ type }) => type === 'BOOKMARK')).at(-1);
      watch.close();
      expect(bookmark?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      expect(BigInt(bookmark?.object.metadata.resourceVersion ?? 0)).toBeGreaterThanOrEqual(BigInt(created.metadata.resourceVersion));
    });
    it('lists by watching with sendInitialEvents and marks the end', async () => {
      const watch = await subject.admin.watch(
        `${path}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dthere`,
      );
      const events = await watch.until(({ type }) => type === 'BOOKMARK');
      watch.close();
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
      expect(events.at(-1)?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    });
    it('refuses sendInitialEvents without resourceVersionMatch', async () => {
      const answer = await subject.admin.get(`${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`);
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    });
    it('answers Expired as an ERROR event for a version that was forgotten', async () => {
      const widget = await registerWidget(subject, [{ name: 'v1', schema: {} }]);
      await subject.server.forgetHistory();
      const watch = await subject.admin.watch(`${widget.in(ns.name)}?resourceVersion=1`);
      const event = await watch.next();
      watch.close();
      expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
      expect(event?.object.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
    });
    it('continues from a fresh list after it expired', async () => {
      await subject.server.forgetHistory();
      const watch = await subject.admin.watch(`${path}?resourceVersion=${await version()}&fieldSelector=metadata.name%3Dafter`);
      await subject.admin.create(path, configMap('after'));
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'after' } } });
      watch.close();
    });
    describe('by its path, as clients asked for a watch before the query', () => {
      /** Returns the first `count` events of a watch. Expects that the watch sends no further event. */
      const events = async (url: string, count = 1): Promise<string[]> => {
        const watch = await subject.admin.stream(url);
        expect(watch.status).toBe(200);
        const seen: string[] = [];
        while (seen.length < count) seen.push(brief((await watch.next()) as Event));
        expect(await watch.isSilentFor(100), url).toBe(true);
        watch.close();
        return seen;
      };
      it('sends the objects of a namespace, or one of them', async () => {
        const own = watchPath(ns.path('secrets'));
        for (const name of ['p1', 'p2']) await subject.admin.create(ns.path('secrets'), { metadata: { name } });
        expect((await events(own, 2)).sort()).toEqual(['ADDED p1', 'ADDED p2']);
        expect(await events(`${own}/p2`)).toEqual(['ADDED p2']);
        expect(await events(`${own}?fieldSelector=metadata.name%3Dp1`)).toEqual(['ADDED p1']);
        expect(await events(`${own}/p1?fieldSelector=metadata.name%3Dp1`)).toEqual(['ADDED p1']);
        expect(await events(`${own}?watch=false`, 2), 'the path decides').toHaveLength(2);
        expect(await subject.admin.get(`${own}/none?timeoutSeconds=1`)).toMatchObject({ status: 200, text: '' });
        const other = await subject.admin.get(`${own}/p1?fieldSelector=metadata.name%3Dp2&timeoutSeconds=1`);
        expect(other).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
        expect(other.body.message).toBe("fieldSelector metadata.name doesn't match requested name");
      });
      it('sends the objects of all namespaces, and those without one', async () => {
        await subject.admin.create(ns.path('secrets'), { metadata: { name: 'everywhere' } });
        expect(await events('/api/v1/watch/secrets?fieldSelector=metadata.name%3Deverywhere')).toEqual(['ADDED everywhere']);
        expect(await events(`/api/v1/watch/namespaces/${ns.name}`)).toEqual([`ADDED ${ns.name}`]);
        const all = await subject.admin.stream('/api/v1/watch/namespaces');
        expect((await all.until(({ object }) => object.metadata.name === ns.name)).map(brief)).toContain(`ADDED ${ns.name}`);
        all.close();
      });
      it('sends custom objects', async () => {
        const widget = await registerWidget(subject, [{ name: 'v1', schema: {} }]);
        await subject.admin.create(widget.in(ns.name), widget.object('by-path'));
        expect(await events(watchPath(widget.in(ns.name)))).toEqual(['ADDED by-path']);
        expect(await events(watchPath(`${widget.in(ns.name)}/by-path`))).toEqual(['ADDED by-path']);
      });
      it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('has no other verb: %s', async (method) => {
        await subject.admin.create(path, configMap(`kept-${method.toLowerCase()}`));
        const answer = await subject.admin.send(method, watchPath(`${path}/kept-${method.toLowerCase()}`), {});
        expect(answer.status).toBe(405);
        expect((await subject.admin.get(`${path}/kept-${method.toLowerCase()}`)).status).toBe(200);
      });
      it('has no subresources', async () => {
        expect((await subject.admin.get(`${watchPath(ns.path('pods'))}/a/status`)).status).toBe(404);
      });
    });
    it('streams JSON, one event a line', async () => {
      const watch = await subject.admin.watch(`${path}?timeoutSeconds=1`);
      expect(watch.status).toBe(200);
      expect(watch.headers['content-type']).toMatch(/^application\/json/);
      watch.close();
    });
  });
}
