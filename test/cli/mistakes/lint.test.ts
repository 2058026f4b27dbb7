import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runCommand } from '../world.js';
import { ACCEPTED_MANIFESTS, REFUSED_MANIFESTS } from './manifest-rows.js';
import { CONFIG_MAP, LINT_ROWS, config, declaration, template, workload } from './lint-rows.js';

const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
const ADC = 'group: addon.open-cluster-management.io, resource: addondeploymentconfigs';

describe('lint answers the mistakes of a new user', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-mistakes-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function lint(text: string, ...more: readonly string[]): Promise<Ran> {
    const file = join(folder, 'input.yaml');
    await writeFile(file, text);
    return runCommand(['lint', '-f', file, ...more], runtime);
  }

  it.each(LINT_ROWS)('$mistake: $title', async ({ text, says, line, code = 5 }) => {
    const ran = await lint(text);
    for (const said of says) expect(ran.out).toContain(said);
    if (says.length === 0) expect(ran.out).toBe('');
    if (line !== undefined) expect(ran.out).toContain(`input.yaml:${line}: `);
    expect(ran.code).toBe(code);
  });

  it.each(LINT_ROWS)('$mistake: $title: no regular expression, no empty message, no line without a field', async ({ text }) => {
    const { out } = await lint(text);
    for (const line of out.split('\n').filter((one) => one !== '')) {
      expect(line).not.toMatch(/<nil>|: *$|: undefined|\^|\[a-z/);
      expect(line).toMatch(/^\S+input\.yaml:\d+: \S/);
    }
  });

  it('plan -f reports fields of the wrong type with the lines of lint, before it asks the hub', async () => {
    const withoutHub = { KUBECONFIG: join(folder, 'none') };
    let reported = 0;
    for (const { text, title } of LINT_ROWS) {
      const { out } = await lint(text);
      const planned = await runCommand(['plan', 'web', '-f', join(folder, 'input.yaml')], runtime, withoutHub);
      if (planned.code === 4) continue;
      reported++;
      const known = out.split('\n').map((line) => line.replace(': warning: ', ': '));
      const lines = planned.note
        .replace(/^outrigger: /, '')
        .trimEnd()
        .split('\n');
      expect({ title, lines }).toEqual({ title, lines: lines.filter((line) => known.includes(line)) });
    }
    expect(reported).toBeGreaterThan(10);
  });

  it.each([
    ['a config without a namespace', config('c', '{}').replace(', namespace: default', '')],
    ['a kind of another project', 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n'],
    ['a built-in kind', `${CONFIG_MAP}\n`],
    ['a declaration with a status', `${declaration('web', '{}')}status: {installProgressions: 5}\n`],
  ])('plan -f accepts %s', async (_, text) => {
    await writeFile(join(folder, 'input.yaml'), text);
    const ran = await runCommand(['plan', 'web', '-f', join(folder, 'input.yaml')], runtime, { KUBECONFIG: join(folder, 'none') });
    expect({ code: ran.code, note: ran.note }).toEqual({ code: 4, note: expect.stringContaining('none') as string });
  });

  it.each([
    ['the apiVersion is missing', 'kind: AddOnTemplate'],
    ['the apiVersion is no string', 'apiVersion: 1\nkind: AddOnTemplate'],
    ['the apiVersion does not exist', 'apiVersion: addon.open-cluster-management.io/v9\nkind: AddOnTemplate'],
    ['the kind is missing', 'apiVersion: addon.open-cluster-management.io/v1alpha1'],
    ['the kind is misspelled', 'apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: AddonTemplate'],
    ['the spec is missing', 'apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: AddOnTemplate', ''],
    ['the YAML is broken', 'apiVersion: [\nkind: AddOnTemplate'],
  ])('suggests no other template for one in the files of which %s', async (_, head, spec = 'spec: {addonName: zed, agentSpec: {}}') => {
    const uses = '{supportedConfigs: [{group: addon.open-cluster-management.io, resource: addontemplates, defaultConfig: {name: zed-1}}]}';
    const broken = `${head}\nmetadata: {name: zed-1}\n${spec}\n`;
    const other = template('zed-2', CONFIG_MAP, { addOn: 'zed' });
    const ran = await lint([declaration('zed', uses), other, broken].join('---\n'));
    expect(ran).toMatchObject({ code: 5, out: expect.not.stringContaining('zed-2?') as string });
    expect(ran.out).not.toContain('there is no AddOnTemplate zed-1');
    const without = await lint([declaration('zed', uses), other].join('---\n'));
    expect(without.out).toContain('there is no AddOnTemplate zed-1 in these files: did you mean zed-2?');
  });

  describe('manifests that clusters refuse', () => {
    it.each(REFUSED_MANIFESTS)('$title, in a template and in a file', async ({ manifest, says }) => {
      const inside = await lint(template('t', manifest));
      expect(inside.out).toContain(`input.yaml:5: AddOnTemplate t: spec.agentSpec.workload.manifests[0].${says}`);
      const alone = await lint(`${manifest}\n`);
      expect(alone.out).toContain(`: ${says}`);
      expect([inside.code, alone.code]).toEqual([5, 5]);
      expect(inside.out + alone.out).not.toMatch(/regex|\^\[|\[a-z0-9\]/);
    });
    it.each(ACCEPTED_MANIFESTS)('accepts $title', async ({ manifest }) => {
      expect(await lint(template('t', manifest))).toMatchObject({ code: 0, out: '' });
      expect(await lint(`${manifest}\n`)).toMatchObject({ code: 0, out: '' });
    });
  });

  it('reports a file without objects, unless another file of the folder has some', async () => {
    const many = await mkdtemp(join(folder, 'empty-'));
    await writeFile(join(many, 'a.yaml'), '# later\n---\n');
    for (const path of [many, join(many, 'a.yaml')])
      expect(await runCommand(['lint', '-f', path], runtime)).toMatchObject({
        code: 5,
        out: expect.stringMatching(/a\.yaml:1: there is no object in this file/) as string,
      });
    await writeFile(join(many, 'b.yaml'), declaration('web', '{}'));
    expect(await runCommand(['lint', '-f', many], runtime)).toMatchObject({ code: 0, out: '' });
  });

  it('reads all files, even if one of them is broken', async () => {
    const files = {
      'a.yaml': 'kind: [',
      'b.yaml': declaration('web', '{typo: 1}'),
      'c.yaml': `a: b\n---\n${declaration('two', '{tpyo: 1}')}`,
    };
    const many = await mkdtemp(join(folder, 'many-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(many, name), text);
    const { code, out, note } = await runCommand(['lint', '-f', many], runtime);
    expect(out).toMatch(/a\.yaml:1: column/);
    expect(out).toContain('b.yaml:4: ClusterManagementAddOn web: spec.typo: ');
    expect(out).toMatch(/c\.yaml:1: not a Kubernetes object: apiVersion and kind are missing/);
    expect(out).toContain('c.yaml:6: ClusterManagementAddOn two: spec.tpyo: ');
    expect({ code, note }).toEqual({ code: 5, note: expect.stringMatching(/problems in 2 objects/) as string });
  });

  it.each([
    {
      title: 'a role beside the template',
      text: `${granting()}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: web-hub}\nrules: []\n`,
      args: [],
    },
    { title: 'a role that --roles names', text: granting(), args: ['--roles', 'web-hub'] },
    { title: 'a role that every hub has', text: granting('view'), args: [] },
    {
      title: 'a variable of a referenced config',
      text: [
        template('t', '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: "{{LOG}}"}}'),
        config('c', '{agentInstallNamespace: "", customizedVariables: [{name: LOG, value: info}]}'),
        declaration(
          'web',
          `{installStrategy: {type: ClusterLabelSelector, labelSelector: {}, configs: [{${ADC}, namespace: default, name: c}]}}`,
        ),
      ].join('---\n'),
      args: [],
    },
    {
      title: 'labels that variables fill in',
      text: template('t', workload('Deployment', '{matchLabels: {app: "{{CLUSTER_NAME}}"}}', '{app: "x-{{CLUSTER_NAME}}"}')),
      args: [],
    },
    {
      title: 'more labels than the selector requires, quantities and ports in their two forms',
      text: template(
        't',
        '{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b, c: d}}, spec: {containers: [{name: c, image: i, resources: {limits: {cpu: 1, memory: 128Mi}}, readinessProbe: {httpGet: {port: http}}, livenessProbe: {httpGet: {port: 8080}}}]}}}}',
      ),
      args: [],
    },
  ])('accepts $title', async ({ text, args }) => expect(await lint(text, ...args)).toMatchObject({ code: 0, out: '' }));

  function granting(role = 'web-hub'): string {
    const permission = `{type: CurrentCluster, roleRef: {kind: ClusterRole, name: "${role}"}}`;
    return template('t', CONFIG_MAP, { rest: `registration: [{type: KubeClient, kubeClient: {hubPermissions: [${permission}]}}], ` });
  }
});
