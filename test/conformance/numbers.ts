import { beforeAll, describe, expect, it } from 'vitest';
import type { patchTypes } from './api.js';
import { ownNamespace, type Subject, unique } from './subject.js';
import { type CustomKind, registerWidget } from './widgets.js';

/** Integers of 64 bits that JavaScript cannot represent. */
const LARGE = ['9007199254740993', '-9007199254740993', '9223372036854775807', '1152921504606846976'];
/** Numbers that are not 64-bit integers. */
const NO_INTEGER = ['9223372036854775808', '1e20', '100000000000000000000', '1.5'];
const BEYOND_32_BITS = ['2147483648', '-2147483649', ...LARGE, ...NO_INTEGER];

/** A server must not store a different number: it stores the number exactly or rejects it. */
export function numbers(subject: Subject): void {
  describe('numbers', () => {
    const ns = ownNamespace(subject, 'numbers');
    let widgets: CustomKind;
    beforeAll(async () => {
      const spec = {
        type: 'object',
        properties: {
          integer: { type: 'integer' },
          int32: { type: 'integer', format: 'int32' },
          number: { type: 'number' },
          either: { 'x-kubernetes-int-or-string': true },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      };
      widgets = await registerWidget(subject, [{ name: 'v1', schema: { spec, status: spec }, subresources: { status: {} } }]);
    });
    const widget = (name: string, member: string, part = 'spec'): string =>
      `{"apiVersion":"${widgets.group}/v1","kind":"Widget","metadata":{"name":"${name}"},"${part}":{${member}}}`;
    const path = (): string => widgets.in(ns.name);

    const writes: readonly [name: string, write: (name: string, number: string) => Promise<{ readonly status: number }>][] = [
      ['POST', (name, number) => subject.admin.post(path(), widget(name, `"open":{"a":[${number}]}`))],
      ['POST of an integer', (name, number) => subject.admin.post(path(), widget(name, `"integer":${number}`))],
      [
        'POST of YAML',
        (name, number) =>
          subject.admin.send('POST', path(), yaml(widget(name, `"integer":${number}`)), { 'content-type': 'application/yaml' }),
      ],
      ['apply', (name, number) => subject.admin.patch('apply', `${path()}/${name}?fieldManager=m`, widget(name, `"either":${number}`))],
      ['merge patch', (name, number) => changed(name, 'merge', `{"spec":{"number":${number}}}`)],
      ['JSON patch', (name, number) => changed(name, 'json', `[{"op":"add","path":"/spec","value":{"int32":${number}}}]`)],
      ['status', (name, number) => changed(name, 'merge', `{"status":{"integer":${number}}}`, '/status')],
    ];
    const changed = async (name: string, type: keyof typeof patchTypes, patch: string, part = ''): Promise<{ readonly status: number }> => {
      await subject.admin.create(path(), widgets.object(name));
      return subject.admin.patch(type, `${path()}/${name}${part}`, patch);
    };
    it.each(writes.flatMap(([name, write]) => LARGE.map((number) => [name, number, write] as const)))(
      'a %s with %s stores this number, or none',
      async (_name, number, write) => {
        const name = unique('w');
        const { status } = await write(name, number);
        const { text } = await subject.admin.get(`${path()}/${name}`);
        if (status < 300) expect(text).toMatch(new RegExp(`[:[]${number}[,}\\]]`));
        else expect([status, /"(?:spec|status)":\{"/.test(text)]).toEqual([400, false]);
      },
    );
    it.each(['2147483648', '9007199254740991', '-9007199254740991'])('an integer of a custom kind is %s', async (number) => {
      const answer = await subject.admin.post(path(), widget(unique('w'), `"int32":${number},"integer":${number}`));
      expect([answer.status, answer.text]).toEqual([
        201,
        expect.stringContaining(`"spec":{"int32":${number},"integer":${number}}`) as string,
      ]);
    });
    it.each(NO_INTEGER)('an integer of a custom kind is not %s', async (number) => {
      const answer = await subject.admin.post(path(), widget(unique('w'), `"integer":${number}`));
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining('must be of type integer: "number"') as string]);
    });

    const builtin: readonly [name: string, path: string, object: (number: string) => string][] = [
      ['a Lease', `/apis/coordination.k8s.io/v1/namespaces/${ns.name}/leases`, (number) => `"spec":{"leaseDurationSeconds":${number}}`],
      ['a Service', ns.path('services'), (number) => `"spec":{"ports":[{"port":${number}}]}`],
      ['an int-or-string', ns.path('services'), (number) => `"spec":{"ports":[{"port":80,"targetPort":${number}}]}`],
      ['a list of a Pod', ns.path('pods'), (number) => `"spec":{"priority":${number},"containers":[{"name":"a","image":"a"}]}`],
    ];
    it.each(builtin.flatMap(([name, at, object]) => BEYOND_32_BITS.map((number) => [name, number, at, object] as const)))(
      'an integer of 32 bits of %s is not %s',
      async (_name, number, at, object) => {
        const answer = await subject.admin.post(at, `{"metadata":{"name":"${unique('n')}"},${object(number)}}`);
        expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      },
    );
    it.each(BEYOND_32_BITS)('an integer of 32 bits is not set by a patch to %s', async (number) => {
      const name = unique('n');
      const at = `/apis/coordination.k8s.io/v1/namespaces/${ns.name}/leases`;
      await subject.admin.create(at, { metadata: { name }, spec: { leaseDurationSeconds: 5 } });
      const answer = await subject.admin.patch('merge', `${at}/${name}`, `{"spec":{"leaseDurationSeconds":${number}}}`);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect((await subject.admin.get(`${at}/${name}`)).body.spec['leaseDurationSeconds']).toBe(5);
    });
  });
}

/** Returns the object as YAML that is not valid JSON, because a server first tries to read the body as JSON. */
function yaml(json: string): string {
  return `# YAML\n${json}\n`;
}
