import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeGnostic } from '../../packages/control-plane/src/openapi/gnostic.js';
import { Http, startEmbedded, startKube, type TestServer } from '../harness/index.js';
import { widgetDefinition } from '../conformance/widgets.js';
import { eventually } from '../conformance/api.js';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

interface Document {
  readonly definitions: Readonly<Record<string, object>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': object;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
}

/** A version whose schema uses every feature that OpenAPI version 2 cannot express. */
const WIDGET = {
  name: 'v1',
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  selectableFields: [{ jsonPath: '.spec.mode' }],
  schema: {
    spec: {
      type: 'object',
      description: 'What is wanted.',
      required: ['mode', 'nothing'],
      'x-kubernetes-validations': [{ rule: 'self.replicas < 10' }],
      properties: {
        mode: { type: 'string', description: 'How.', enum: ['a', 'b'], default: 'a' },
        nothing: { type: 'array', nullable: true, items: { type: 'string' } },
        port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], pattern: '^x' },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
        replicas: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
        carried: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        parts: {
          type: 'array',
          maxItems: 3,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', maxLength: 9 }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
          },
        },
        either: { type: 'object', oneOf: [{ required: ['a'] }], properties: { a: { type: 'string', not: { enum: ['x'] } } } },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

describe('OpenAPI version 2 against that of a real server', () => {
  let real: Http;
  let ours: Http;
  let stop: () => Promise<void>;
  let documents: { readonly real: Document; readonly ours: Document };
  const connect = ({ url, caPem, adminCertPem, adminKeyPem }: TestServer): Http =>
    new Http({ url, caPem, certPem: adminCertPem, keyPem: adminKeyPem });
  const read = async (http: Http): Promise<Document> => JSON.parse((await http.send({ path: '/openapi/v2' })).text) as Document;
  const group = 'openapi.example.com';
  const widget = 'com.example.openapi.v1.Widget';

  beforeAll(async () => {
    const [kube, embedded] = await Promise.all([startKube(), startEmbedded()]);
    [real, ours] = [connect(kube), connect(embedded)];
    stop = async () => void (await Promise.all([kube.stop(), embedded.stop()]));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const http of [real, ours]) await http.send({ method: 'POST', path, body: widgetDefinition(group, [WIDGET]) });
    // The read is repeated, because a real server publishes definitions a moment after it serves them.
    documents = await eventually(async () => {
      const both = { real: await read(real), ours: await read(ours) };
      expect(both.real.definitions).toHaveProperty([widget]);
      return both;
    });
  });
  afterAll(async () => {
    real.close();
    ours.close();
    await stop();
  });

  it('describes every built-in and custom kind it serves alike, but for descriptions', () => {
    const names = Object.keys(documents.ours.definitions);
    expect(names).toContain(widget);
    const shapes = ({ definitions }: Document): object => Object.fromEntries(names.map((name) => [name, shapeOf(definitions[name] ?? {})]));
    expect(shapes(documents.ours)).toEqual(shapes(documents.real));
    expect(documents.ours.definitions[widget]).toMatchObject({ properties: { spec: { description: 'What is wanted.' } } });
  });

  it('names the same operations, on paths the real server has', () => {
    const brief = ({ paths }: Document, path: string): object =>
      Object.fromEntries(
        Object.entries(paths[path] ?? {}).flatMap(([method, operation]) => {
          if (method === 'parameters') return [];
          const { operationId, consumes, produces, 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind } = operation;
          return [[method, { operationId, consumes, produces, action, kind }]];
        }),
      );
    for (const path of Object.keys(documents.ours.paths))
      expect([path, brief(documents.ours, path)]).toEqual([path, brief(documents.real, path)]);
  });

  it('leaves out only resources that it does not serve', () => {
    const unserved =
      /\/watch\/|\/(proxy|attach|exec|log|portforward|binding|bindings|ephemeralcontainers|resize)\b|flowcontrol|resource\.k8s\.io|autoscaling\/v1\b|componentstatuses|\/csi|volumeatt|ipaddresses|servicecidrs|openid/;
    const missing = Object.keys(documents.real.paths).filter((path) => !(path in documents.ours.paths));
    expect(missing.filter((path) => !unserved.test(path))).toEqual([]);
  });

  it('writes the bytes a real server writes for the same document', async () => {
    const theirs = definitionsOf(await bytesOf(real));
    const own = definitionsOf(Buffer.from(encodeGnostic(documents.real)));
    // Definitions whose encoding may differ are excluded: the quoting of YAML values such as '*', and the order of members in custom kinds.
    const names = [...theirs.keys()].filter((name) => !name.endsWith('RuleWithOperations') && name !== widget);
    expect(names.length).toBeGreaterThan(400);
    expect(names.filter((name) => own.get(name) !== theirs.get(name))).toEqual([]);
    expect(definitionsOf(await bytesOf(ours)).size).toBe(Object.keys(documents.ours.definitions).length);
  });

  async function bytesOf(http: Http): Promise<Buffer> {
    const message = await http.open({ path: '/openapi/v2', headers: { accept: PROTOBUF } });
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
});

/** Returns a schema without descriptions, because the embedded server does not copy those of built-in kinds. */
function shapeOf(schema: object): object {
  const isText = (key: string, value: unknown): boolean => key === 'description' && typeof value === 'string';
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (isText(key, value) ? undefined : value))) as object;
}

/** Returns the bytes of each definition in a protobuf document. */
function definitionsOf(document: Buffer): Map<string, string> {
  const [definitions] = fields(document).filter(({ number }) => number === 9);
  const named = fields(definitions?.content ?? Buffer.alloc(0)).map(({ content }) => fields(content));
  return new Map(named.map(([name, value]) => [name?.content.toString() ?? '', value?.content.toString('base64') ?? '']));
}

/** Returns the fields of a message. All fields here are length-delimited. */
function fields(message: Buffer): { readonly number: number; readonly content: Buffer }[] {
  const found: { number: number; content: Buffer }[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const number = Math.floor(varint() / 8);
    const length = varint();
    found.push({ number, content: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}
