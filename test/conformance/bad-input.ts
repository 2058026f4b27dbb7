import { describe, expect, it } from 'vitest';
import { configMap, ownNamespace, type Subject } from './subject.js';

export function badInput(subject: Subject): void {
  describe('bad input', () => {
    const ns = ownNamespace(subject, 'bad');
    const path = ns.path('configmaps');

    it.each([
      '{',
      '{"a":}',
      '\ufeff{"metadata":{"name":"bom"}}',
      '{"metadata":{"name":"float","deletionGracePeriodSeconds":1.5}}',
      '[]',
      '"x"',
      '12',
      '{"metadata":{"name":1}}',
      '{"metadata":[]}',
    ])('answers 400 to the body %s', async (body) => {
      const answer = await subject.admin.post(path, body);
      expect(answer).toMatchObject({ status: 400, body: { kind: 'Status', reason: 'BadRequest' } });
    });
    it('answers 400 to an empty body', async () => {
      expect((await subject.admin.post(path, '')).status).toBe(400);
    });
    it('responds with 415 to an unknown media type', async () => {
      const answer = await subject.admin.post(path, configMap('x'), { 'content-type': 'text/csv' });
      expect(answer).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
      expect(answer.body.message).toContain('the body of the request was in an unknown format - accepted media types include:');
    });
    it('answers 415 to a patch of a type it does not know', async () => {
      await subject.admin.create(path, configMap('patched'));
      const answer = await subject.admin.send('PATCH', `${path}/patched`, {}, { 'content-type': 'application/json' });
      expect(answer.status).toBe(415);
    });
    it('responds with 406 if the client accepts no media type that it supports', async () => {
      const answer = await subject.admin.get(path, { accept: 'text/csv' });
      expect(answer).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
      expect(answer.body.message).toContain('Available representations: application/json, application/yaml');
    });
    it('takes YAML', async () => {
      const answer = await subject.admin.post(path, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\n', {
        'content-type': 'application/yaml',
      });
      expect(answer.status).toBe(201);
    });
    it.each([
      { method: 'POST', at: 'configmaps/x' },
      { method: 'PUT', at: 'configmaps' },
      { method: 'PATCH', at: 'configmaps' },
      { method: 'TRACE', at: 'configmaps' },
    ])('answers 405 to $method of $at', async ({ method, at }) => {
      const answer = await subject.admin.send(method, ns.path(at), method === 'TRACE' ? undefined : configMap('x'));
      expect(answer).toMatchObject({ status: 405, body: { reason: 'MethodNotAllowed' } });
      expect(answer.body.message).toBe('the server does not allow this method on the requested resource');
    });
    it.each([
      '/nowhere',
      '/apis/apps/v1/nothings',
      '/api/v2/configmaps',
      '/api/v1/nothings',
      '/apis/nothing.io/v1/things',
      '/openapi/v2/',
      '/openapi/v3/',
      '/openapi/v3/apis/apps/v1/',
    ])('answers 404 to %s', async (unknown) => {
      expect((await subject.admin.get(unknown)).status).toBe(404);
    });
    it('explains 404 of an unknown resource', async () => {
      const { body } = await subject.admin.get('/apis/apps/v1/nothings');
      expect(body).toMatchObject({ kind: 'Status', reason: 'NotFound', message: 'the server could not find the requested resource' });
    });
    it.each(['a b', 'a/../b', '%2e%2e', 'a%00b', 'A'])('never finds an object of the name "%s"', async (name) => {
      const answer = await subject.admin.get(`${path}/${encodeURIComponent(name)}`);
      expect([400, 404]).toContain(answer.status);
    });
    it('refuses a body of more than 3 MiB', async () => {
      const answer = await subject.admin.post(path, configMap('huge', { a: 'x'.repeat(4 * 1024 * 1024) }));
      expect(answer.status).toBe(413);
      expect(answer.body.reason).toBe('RequestEntityTooLarge');
    });
    it('refuses data of more than 1 MiB', async () => {
      const answer = await subject.admin.post(path, configMap('large', { a: 'x'.repeat(1024 * 1024 + 1) }));
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect(answer.body.message).toContain('may not be more than 1048576 bytes');
    });
    it('refuses JSON that is nested too deep', async () => {
      const deep = `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`;
      expect((await subject.admin.post(path, deep)).status).toBe(400);
    });
    it('stores keys that mean something to JavaScript like any other', async () => {
      const text =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto"},"data":{"__proto__":"1","constructor":"2","toString":"3"}}';
      expect((await subject.admin.post(path, text)).status).toBe(201);
      const answer = await subject.admin.get(`${path}/proto`);
      expect(answer.text).toContain('"__proto__":"1"');
      expect(answer.text).toContain('"constructor":"2"');
    });
    it('is not changed for all objects by a patch of __proto__', async () => {
      await subject.admin.create(path, configMap('victim'));
      await subject.admin.patch(
        'merge',
        `${path}/victim`,
        '{"__proto__":{"data":{"evil":"1"}},"metadata":{"__proto__":{"labels":{"evil":"1"}}}}',
      );
      const { body } = await subject.admin.get(`${path}/victim`);
      expect(JSON.stringify(body)).not.toContain('"evil":"1"');
    });
    it('stores half of a character as U+FFFD, and a whole one as it is', async () => {
      const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"half"},"data":{"a":"x\\ud800y\\udfff","b":"\\ud83d\\ude00"}}';
      expect((await subject.admin.post(path, text)).status).toBe(201);
      const { body } = await subject.admin.get(`${path}/half`);
      expect(body.data).toEqual({ a: 'x\ufffdy\ufffd', b: '\u{1f600}' });
    });
    it('refuses a key of data that is not a file name', async () => {
      const answer = await subject.admin.post(path, configMap('key', { 'not a key': '1' }));
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.body.details.causes[0]?.field).toBe('data[not a key]');
    });
    it.each([
      ['.', "must not be '.'"],
      ['..', "must not be '..'"],
      ['..data', "must not start with '..'"],
      ['x'.repeat(254), 'must be no more than 253 characters'],
    ])('refuses the key of data %s, which is no name of a file in a volume', async (key, words) => {
      for (const object of [{ data: { [key]: '' } }, { binaryData: { [key]: '' } }]) {
        const answer = await subject.admin.post(`${path}?dryRun=All`, { metadata: { name: 'key' }, ...object });
        expect(answer.body.details.causes.map(({ message }) => message)).toEqual([`Invalid value: "${key}": ${words}`]);
      }
    });
    it.each<[string, string, object]>([
      ['a name', 'must be no more than 253 characters', { name: 'x'.repeat(254) }],
      ['the value of a label', 'must be no more than 63 bytes', { name: 'x', labels: { a: 'x'.repeat(64) } }],
      ['the key of a label', 'name part must be no more than 63 bytes', { name: 'x', labels: { ['x'.repeat(64)]: '' } }],
      ['the domain of a label', 'prefix part must be no more than 253 bytes', { name: 'x', labels: { [`${'x'.repeat(254)}/a`]: '' } }],
    ])('says how long %s may be', async (_, words, metadata) => {
      const answer = await subject.admin.post(`${path}?dryRun=All`, { metadata });
      expect(answer.body.details.causes.map(({ message }) => message.replace(/^.*": /, ''))).toEqual([words]);
    });
    it('refuses numbers where strings belong', async () => {
      const answer = await subject.admin.post(path, { ...configMap('number'), data: { a: 1 } });
      expect(answer.status).toBe(400);
    });
    it.each(['limit=x', 'timeoutSeconds=x', 'timeoutSeconds=1.5', 'watch=1&limit=x', 'watch=1&timeoutSeconds=1s'])(
      'answers 400 to the query %s',
      async (query) => {
        const answer = await subject.admin.get(`${path}?${query}&timeoutSeconds=1`);
        expect(answer).toMatchObject({ status: 400, body: { kind: 'Status', reason: 'BadRequest' } });
        expect(answer.body.message).toContain('strconv.ParseInt: parsing ');
      },
    );
    it.each(['limit=x', 'timeoutSeconds=x'])('answers 400 to the deletion of a collection with the query %s', async (query) => {
      const answer = await subject.admin.send('DELETE', `${path}?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    });
    it('takes watch=maybe for a watch', async () => {
      expect((await subject.admin.get(`${path}?watch=maybe&timeoutSeconds=1`)).status).toBe(200);
    });
  });
}
