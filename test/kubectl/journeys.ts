import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/api.js';
import { unique } from '../conformance/subject.js';
import { widgetDefinition } from '../conformance/widgets.js';
import { findKubectl, type TestServer } from '../harness/index.js';
import { certificateRequest } from '../harness/certificates.js';
import { Kubectl } from './kubectl.js';

/** Defines tests of typical uses of kubectl on one server. */
export function kubectlJourneys(name: string, start: () => Promise<{ readonly server: TestServer; stop(): Promise<void> }>): void {
  describe(`kubectl on ${name}`, () => {
    const ns = unique('kubectl');
    let kubectl: Kubectl;
    let stop: () => Promise<void>;
    beforeAll(async () => {
      const running = await start();
      stop = running.stop;
      kubectl = await Kubectl.create(await findKubectl(), running.server.kubeconfigPath);
      await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
    });
    /** Creates an object from a file, which every kubectl sends as JSON. The imperative commands send protobuf and have their own tests. */
    const create = async (object: object): Promise<string> => kubectl.run(`create -f ${await kubectl.file(object)}`);
    afterAll(async () => {
      await kubectl?.close();
      await stop?.();
    });
    const configMap = (mapName: string, data: Readonly<Record<string, string>>): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: mapName, namespace: ns },
      data,
    });

    it('knows the server and its resources', async () => {
      expect(await kubectl.run('version')).toMatch(/Server Version: v1\.\d+/);
      expect(await kubectl.run('api-resources')).toMatch(/configmaps +cm +v1 +true +ConfigMap/);
      expect(await kubectl.run('api-versions')).toMatch(/^apps\/v1$/m);
    });
    it('gets objects as a table, by name, as JSON and by path', async () => {
      await create(configMap('shown', { a: '1', b: '2' }));
      expect(await kubectl.run(`get configmap shown -n ${ns}`)).toMatch(/^NAME +DATA +AGE\nshown +2 +\d+s\n$/);
      expect(await kubectl.run(`get cm shown -n ${ns} -o name`)).toBe('configmap/shown\n');
      expect(JSON.parse(await kubectl.run(`get cm shown -n ${ns} -o json`))).toMatchObject({ data: { a: '1' } });
      expect(await kubectl.run(`get cm shown -n ${ns} -o jsonpath={.data.b}`)).toBe('2');
    });
    it('creates by imperative commands', async () => {
      const made = unique('made');
      expect(await kubectl.run(`create namespace ${made}`)).toBe(`namespace/${made} created\n`);
      await kubectl.run(`create configmap settings -n ${made} --from-literal=a=1`);
      await kubectl.run(`create secret generic password -n ${made} --from-literal=p=secret`);
      await kubectl.run(`create deployment web -n ${made} --image=web:1 --replicas=2`);
      expect(await kubectl.run(`get cm settings -n ${made} -o jsonpath={.data.a}`)).toBe('1');
      expect(await kubectl.run(`get secret password -n ${made} -o jsonpath={.data.p}`)).toBe(Buffer.from('secret').toString('base64'));
      expect(await kubectl.run(`get deployment web -n ${made} -o jsonpath={.spec.template.spec.containers[0].image}`)).toBe('web:1');
    });
    it('reports that no resources were found', async () => {
      const { code, stderr } = await kubectl.try(`get cm absent -n ${ns}`);
      expect([code, stderr]).toEqual([1, 'Error from server (NotFound): configmaps "absent" not found\n']);
      expect((await kubectl.try(`get deployments -n ${ns}`)).stderr).toContain(`No resources found in ${ns} namespace.`);
    });
    it('explains a kind it does not know', async () => {
      expect((await kubectl.try('get nothings')).stderr).toContain('the server doesn\'t have a resource type "nothings"');
    });
    it('names a kind that is not served on create', async () => {
      const file = await kubectl.file({ apiVersion: 'nobody.example/v1', kind: 'Thing', metadata: { name: 'x' } });
      await expect(kubectl.run(`create -f ${file}`)).rejects.toThrow('no matches for kind "Thing" in version "nobody.example/v1"');
    });
    it('follows changes with get -w', async () => {
      const watch = kubectl.follow(`get cm -n ${ns} -w --field-selector=metadata.name=followed`);
      await create(configMap('followed', {}));
      await watch.until(/followed +0/);
      await kubectl.run(`patch cm followed -n ${ns} -p {"data":{"x":"1"}}`);
      expect(await watch.until(/followed +1/)).toMatch(/NAME +DATA +AGE/);
      watch.stop();
    });
    it('describes an object', async () => {
      const described = await kubectl.run(`describe cm shown -n ${ns}`);
      expect(described).toMatch(/^Name: +shown\nNamespace: +/);
      expect(described).toMatch(/a:\n----\n1\n/);
    });
    it('explains fields from the schema of the server', async () => {
      expect(await kubectl.run('explain configmap.data')).toMatch(/FIELD: data <map\[string\]string>/);
      expect(await kubectl.run('explain deployment.spec')).toMatch(/replicas\t<integer>\n/);
      // kubectl before 1.27 reads version 2 of OpenAPI, in protobuf.
      const older = await kubectl.run('explain deployment.spec.replicas --output=plaintext-openapiv2');
      expect(older).toMatch(/FIELD: +replicas <integer>\n\nDESCRIPTION:\n/);
    });
    it('explains the fields of a custom kind in the words of its definition', async () => {
      const group = `${unique('explained')}.example.com`;
      const color = { type: 'string', description: 'What it is painted in.' };
      const spec = { type: 'object', description: 'What is wanted.', properties: { color } };
      await create(widgetDefinition(group, [{ name: 'v1', schema: { spec } }]));
      await eventually(async () =>
        expect(await kubectl.run(`explain widgets.spec --api-version=${group}/v1`)).toMatch(
          /DESCRIPTION:\n +What is wanted\.[^]+color\t<string>\n +What it is painted in\./,
        ),
      );
      await kubectl.run(`delete crd widgets.${group}`);
    });
    it('applies, applies again, and prunes a field that was dropped', async () => {
      const first = await kubectl.file(configMap('applied', { a: '1', b: '2' }));
      expect(await kubectl.run(`apply -f ${first}`)).toBe('configmap/applied created\n');
      expect(await kubectl.run(`apply -f ${first}`)).toBe('configmap/applied unchanged\n');
      const second = await kubectl.file(configMap('applied', { a: '3' }));
      expect(await kubectl.run(`apply -f ${second}`)).toBe('configmap/applied configured\n');
      expect(JSON.parse(await kubectl.run(`get cm applied -n ${ns} -o jsonpath={.data}`))).toEqual({ a: '3' });
    });
    it('validates before it applies', async () => {
      const typo = await kubectl.file({ ...configMap('typo', {}), dta: {} });
      const { code, stderr } = await kubectl.try(`apply -f ${typo}`);
      expect(code).toBe(1);
      expect(stderr).toContain('unknown field "dta"');
    });
    it('shows the changes of an apply with diff', async () => {
      await kubectl.run(`apply -f ${await kubectl.file(configMap('diffed', { a: '1' }))}`);
      const { code, stdout } = await kubectl.try(`diff -f ${await kubectl.file(configMap('diffed', { a: '2' }))}`);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^- {2}a: "1"$/m);
      expect(stdout).toMatch(/^\+ {2}a: "2"$/m);
      expect(await kubectl.run(`get cm diffed -n ${ns} -o jsonpath={.data.a}`)).toBe('1');
    });
    it('finds a conflict in a server-side apply and forces it', async () => {
      const ann = await kubectl.file(configMap('shared', { a: '1' }));
      const bob = await kubectl.file(configMap('shared', { a: '2' }));
      expect(await kubectl.run(`apply --server-side --field-manager=ann -f ${ann}`)).toBe('configmap/shared serverside-applied\n');
      const conflict = await kubectl.try(`apply --server-side --field-manager=bob -f ${bob}`);
      expect(conflict.code).toBe(1);
      expect(conflict.stderr).toContain('Apply failed with 1 conflict: conflict with "ann": .data.a');
      await kubectl.run(`apply --server-side --field-manager=bob --force-conflicts -f ${bob}`);
      expect(await kubectl.run(`get cm shared -n ${ns} -o jsonpath={.data.a}`)).toBe('2');
    });
    it('patches in each of the three ways', async () => {
      await create(configMap('patched', {}));
      const patch = (type: string, body: string): Promise<string> => kubectl.run(`patch cm patched -n ${ns} --type=${type} -p`, body);
      expect(await patch('merge', '{"data":{"m":"1"}}')).toBe('configmap/patched patched\n');
      await patch('strategic', '{"data":{"s":"1"}}');
      await patch('json', '[{"op":"add","path":"/data/j","value":"1"}]');
      expect(await patch('merge', '{"data":{"m":"1"}}')).toBe('configmap/patched patched (no change)\n');
      expect(JSON.parse(await kubectl.run(`get cm patched -n ${ns} -o jsonpath={.data}`))).toEqual({ m: '1', s: '1', j: '1' });
    });
    it('labels, annotates, and selects by label', async () => {
      await create(configMap('labelled', {}));
      expect(await kubectl.run(`label cm labelled -n ${ns} tier=web`)).toBe('configmap/labelled labeled\n');
      expect(await kubectl.run(`annotate cm labelled -n ${ns} note=hello`)).toBe('configmap/labelled annotated\n');
      expect((await kubectl.try(`label cm labelled -n ${ns} tier=db`)).code).toBe(1);
      expect(await kubectl.run(`get cm -n ${ns} -l tier=web -o name`)).toBe('configmap/labelled\n');
    });
    it('waits for a condition', async () => {
      const definition = await kubectl.file({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `things.${ns}.example.com` },
        spec: {
          group: `${ns}.example.com`,
          scope: 'Namespaced',
          names: { plural: 'things', singular: 'thing', kind: 'Thing' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      });
      await kubectl.run(`apply -f ${definition}`);
      const output = await kubectl.run(`wait --for=condition=Established --timeout=30s crd/things.${ns}.example.com`);
      expect(output).toContain('condition met');
      await kubectl.run(`delete crd things.${ns}.example.com`);
    });
    it('waits for a value and for deletion', async () => {
      await create(configMap('awaited', { a: '1' }));
      expect(await kubectl.run(`wait --for=jsonpath={.data.a}=1 --timeout=30s -n ${ns} cm/awaited`)).toContain('condition met');
      const waiting = kubectl.run(`wait --for=delete --timeout=30s -n ${ns} cm/awaited`);
      await kubectl.run(`delete cm awaited -n ${ns}`);
      await waiting;
    });
    it.each([
      { cascade: 'background', lives: false },
      { cascade: 'foreground', lives: false },
      { cascade: 'orphan', lives: true },
    ])('deletes with --cascade=$cascade', async ({ cascade, lives }) => {
      await create(configMap(`owner-${cascade}`, {}));
      const uid = await kubectl.run(`get cm owner-${cascade} -n ${ns} -o jsonpath={.metadata.uid}`);
      const child = await kubectl.file({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: `child-${cascade}`,
          namespace: ns,
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${cascade}`, uid, blockOwnerDeletion: true }],
        },
      });
      await kubectl.run(`create -f ${child}`);
      expect(await kubectl.run(`delete cm owner-${cascade} -n ${ns} --cascade=${cascade}`)).toContain(`"owner-${cascade}" deleted`);
      expect((await kubectl.try(`get cm owner-${cascade} -n ${ns}`)).code).toBe(1);
      if (lives) {
        expect(await kubectl.run(`get cm child-${cascade} -n ${ns} -o jsonpath={.metadata.ownerReferences}`)).toBe('');
      } else {
        await eventually(async () => expect((await kubectl.try(`get cm child-${cascade} -n ${ns}`)).code).toBe(1), 60_000);
      }
    });
    it('reviews its own rights and those of others', async () => {
      expect(await kubectl.run('auth can-i * *')).toBe('yes\n');
      const other = await kubectl.try(`auth can-i list secrets -n ${ns} --as=nobody`);
      expect([other.code, other.stdout]).toEqual([1, 'no\n']);
      expect(await kubectl.run('auth whoami')).toMatch(/Groups +\[.*system:masters.*\]/);
    });
    it('grants by imperative commands, and the grant holds', async () => {
      await kubectl.run(`create role reader -n ${ns} --verb=get,list --resource=configmaps`);
      await kubectl.run(`create rolebinding reader -n ${ns} --role=reader --user=rita`);
      await eventually(async () => expect(await kubectl.run(`auth can-i list configmaps -n ${ns} --as=rita`)).toBe('yes\n'));
      expect((await kubectl.try(`get secrets -n ${ns} --as=rita`)).stderr).toContain(
        `Error from server (Forbidden): secrets is forbidden: User "rita" cannot list resource "secrets" in API group "" in the namespace "${ns}"`,
      );
    });
    it('approves a certificate request, which is then signed', async () => {
      const csr = unique('csr');
      const request = await kubectl.file({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: csr },
        spec: { request: await certificateRequest('/CN=kim'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
      });
      await kubectl.run(`create -f ${request}`);
      expect(await kubectl.run(`get csr ${csr}`)).toMatch(/Pending/);
      expect(await kubectl.run(`certificate approve ${csr}`)).toContain('approved');
      await eventually(async () => expect(await kubectl.run(`get csr ${csr}`)).toMatch(/Approved,Issued/));
    });
    it('creates a token for a service account', async () => {
      await kubectl.run(`create serviceaccount robot -n ${ns}`);
      expect((await kubectl.run(`create token robot -n ${ns}`)).trim().split('.')).toHaveLength(3);
    });
    it('scales a deployment', async () => {
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
      await create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: ns },
        spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
      });
      expect(await kubectl.run(`scale deployment web -n ${ns} --replicas=3`)).toContain('scaled');
      expect(await kubectl.run(`get deployment web -n ${ns} -o jsonpath={.spec.replicas}`)).toBe('3');
    });
    it('replaces and edits metadata without losing data', async () => {
      const file = await kubectl.file(configMap('replaced', { a: '1' }));
      await kubectl.run(`create -f ${file}`);
      expect(await kubectl.run(`replace -f ${await kubectl.file(configMap('replaced', { b: '2' }))}`)).toBe(
        'configmap/replaced replaced\n',
      );
      expect(JSON.parse(await kubectl.run(`get cm replaced -n ${ns} -o jsonpath={.data}`))).toEqual({ b: '2' });
    });
    it('deletes by label and all at once', async () => {
      await create(configMap('doomed', {}));
      await kubectl.run(`label cm doomed -n ${ns} doomed=yes`);
      expect(await kubectl.run(`delete cm -n ${ns} -l doomed=yes`)).toContain('"doomed" deleted');
    });
    it('removes the namespace with everything in it', async () => {
      const other = unique('kubectl-gone');
      await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } });
      await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inside', namespace: other } });
      expect(await kubectl.run(`delete namespace ${other} --timeout=60s`)).toContain('deleted');
      expect((await kubectl.try(`get namespace ${other}`)).code).toBe(1);
    });
  });
}
