import { beforeAll, describe, expect, it } from 'vitest';
import { patchTypes } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { type CustomKind, registerWidget } from './widgets.js';

const MEBIBYTE = 1024 * 1024;
const TOO_LARGE = /etcdserver: request is too large|larger than max|Request entity too large|accumulated size increase/;

/**
 * Tests that the server rejects an object that is too large to store, in every request format. This includes an object whose request is
 * small enough but whose stored form is too large.
 */
export function sizes(subject: Subject): void {
  describe('AT-54 sizes', () => {
    const ns = ownNamespace(subject, 'sizes');
    let widgets: CustomKind;
    beforeAll(async () => {
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const filled = { type: 'array', items: { type: 'object', properties: { text: { type: 'string', default: 'x'.repeat(100_000) } } } };
      widgets = await registerWidget(subject, [{ name: 'v1', schema: { spec: open, filled, status: open }, subresources: { status: {} } }]);
    });
    const path = (): string => widgets.in(ns.name);
    const there = async (size: number): Promise<string> => {
      const name = unique('w');
      await subject.admin.create(path(), widgets.object(name, { spec: { text: 'x'.repeat(size) } }));
      return name;
    };
    const refused = async (answer: Promise<{ readonly status: number; readonly text: string }>): Promise<void> => {
      const { status, text } = await answer;
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text.slice(0, 2000)).toMatch(TOO_LARGE);
    };

    it('an object of a mebibyte is stored', async () => {
      await there(MEBIBYTE);
    });
    it.each([1.6, 1.9, 2.5])('an object of %s MiB is refused in the words of the storage', async (mebibytes) => {
      const object = widgets.object(unique('w'), { spec: { text: 'x'.repeat(mebibytes * MEBIBYTE) } });
      const answer = await subject.admin.post(path(), object);
      expect(answer.status).toBe(500);
      expect(answer.body.message).toMatch(mebibytes < 2 ? /^etcdserver: request is too large$/ : /larger than max/);
    });
    it.each(['application/yaml', patchTypes.apply])('aliases of one text, as %s', async (type) => {
      const name = unique('w');
      const aliases = Array.from({ length: 300 }, (_, i) => `  a${i}: *text`).join('\n');
      const body = `apiVersion: ${widgets.group}/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec:\n  text: &text ${'x'.repeat(100_000)}\n${aliases}\n`;
      const isApply = type === patchTypes.apply;
      await refused(
        subject.admin.send(isApply ? 'PATCH' : 'POST', isApply ? `${path()}/${name}?fieldManager=m` : path(), body, {
          'content-type': type,
        }),
      );
      expect((await subject.admin.get(`${path()}/${name}`)).status).toBe(404);
    });
    it('defaults of many items', async () => {
      const name = unique('w');
      await refused(subject.admin.post(path(), widgets.object(name, { filled: Array.from({ length: 100 }, () => ({})) })));
      expect((await subject.admin.get(`${path()}/${name}`)).status).toBe(404);
    });

    const growing: readonly [name: string, type: keyof typeof patchTypes, patch: (name: string) => unknown][] = [
      ['json patch that adds', 'json', () => [{ op: 'add', path: '/spec/more', value: 'y'.repeat(MEBIBYTE) }]],
      ['json patch that copies once', 'json', () => [{ op: 'copy', from: '/spec/text', path: '/spec/more' }]],
      [
        'json patch that copies copies',
        'json',
        () => Array.from({ length: 20 }, (_, i) => ({ op: 'copy', from: '/spec', path: `/spec/c${i}` })),
      ],
      ['merge patch', 'merge', () => ({ spec: { more: 'y'.repeat(MEBIBYTE) } })],
      ['apply', 'apply', (name) => widgets.object(name, { spec: { more: 'y'.repeat(MEBIBYTE) } })],
    ];
    it.each(growing)('a %s', async (_name, type, patch) => {
      const name = await there(MEBIBYTE);
      const query = type === 'apply' ? '?fieldManager=m' : '';
      const answer = await subject.admin.patch(type, `${path()}/${name}${query}`, patch(name));
      expect(answer.status).toBeGreaterThanOrEqual(400);
      const { body } = await subject.admin.get(`${path()}/${name}`);
      expect(Object.keys(body.spec)).toEqual(['text']);
    });
    it.each(['merge', 'strategic', 'apply'] as const)('a built-in kind that grows by a %s patch', async (type) => {
      const name = unique('s');
      const annotated = (text: string): object => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        data: { [text.slice(0, 1)]: Buffer.from(text).toString('base64') },
      });
      await subject.admin.create(ns.path('secrets'), annotated('x'.repeat(0.7 * MEBIBYTE)));
      const query = type === 'apply' ? '?fieldManager=m' : '';
      const answer = await subject.admin.patch(type, `${ns.path('secrets')}/${name}${query}`, annotated('y'.repeat(0.7 * MEBIBYTE)));
      expect(answer.status).toBeGreaterThanOrEqual(400);
    });
    it('a status that is too large', async () => {
      const name = await there(10);
      await refused(subject.admin.patch('merge', `${path()}/${name}/status`, { status: { text: 'x'.repeat(1.7 * MEBIBYTE) } }));
    });
  });
}
