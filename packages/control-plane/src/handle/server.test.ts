/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import { ApiError, type KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes, Attributes } from './contract.js';
import { type Answer, Api } from './fixtures.js';
import { widget, widgetDefinition } from './fixtures-widgets.js';

const CMS = '/api/v1/namespaces/default/configmaps';

describe('authorization', () => {
  const questions: readonly (readonly [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, want: string])[] = [
    ['GET', `${CMS}/a`, 'get /v1/configmaps a in default'],
    ['GET', CMS, 'list /v1/configmaps  in default'],
    ['GET', '/api/v1/configmaps?watch=1', 'watch /v1/configmaps  in '],
    ['POST', CMS, 'create /v1/configmaps  in default'],
    ['PUT', `${CMS}/a`, 'update /v1/configmaps a in default'],
    ['PATCH', '/apis/apps/v1/namespaces/x/deployments/d/status', 'patch apps/v1/deployments/status d in x'],
    ['DELETE', `${CMS}/a`, 'delete /v1/configmaps a in default'],
    ['DELETE', CMS, 'deletecollection /v1/configmaps  in default'],
    ['GET', '/api/v1/namespaces/default', 'get /v1/namespaces default in default'],
    ['GET', '/healthz', 'get path /healthz'],
    ['GET', '/apis', 'get path /apis'],
  ];
  it.each(questions)('of %s %s asks: %s', async (method, path, want) => {
    const asked: string[] = [];
    const authorize = ({ verb, group, version, resource, subresource, name, namespace, nonResourcePath }: Attributes) => {
      const what = `${group}/${version}/${resource}${subresource === '' ? '' : `/${subresource}`}`;
      asked.push(nonResourcePath === undefined ? `${verb} ${what} ${name} in ${namespace}` : `${verb} path ${nonResourcePath}`);
      return { allowed: false, reason: 'no rule allows it' };
    };
    const response = await new Api({ authorize }).send(method, path, method === 'POST' ? {} : undefined);
    expect(asked).toEqual([want]);
    expect(response).toMatchObject({ status: 403, body: { reason: 'Forbidden', message: /User "admin" cannot .*: no rule allows it$/ } });
  });

  it('refuses before it reveals whether an object exists', async () => {
    const api = new Api({ authorize: () => ({ allowed: false }) });
    expect(await api.get('/api/v1/unicorns')).toMatchObject({
      code: 403,
      message: 'unicorns is forbidden: User "admin" cannot list resource "unicorns" in API group "" at the cluster scope',
    });
  });
});

describe('admission', () => {
  const seen: string[] = [];
  const admission = {
    mutate: ({ operation, object, resource }: AdmissionAttributes) => {
      if (operation === 'DELETE' || resource !== 'configmaps' || !object) return {};
      return {
        object: { ...object, metadata: { ...object.metadata, labels: { mutated: 'yes' } } } as KubeObject,
        warnings: ['changed it'],
      };
    },
    validate: ({ operation, object, oldObject, dryRun, subResource }: AdmissionAttributes) => {
      seen.push(`${operation} ${subResource} ${object?.metadata.labels?.['mutated'] ?? '-'} ${oldObject ? 'had old' : 'no old'} ${dryRun}`);
      if (object?.metadata.name === 'bad') throw new ApiError('Forbidden', 'admission said no');
      return {};
    },
  };

  it('may change the written object, and refuse it', async () => {
    const api = new Api({ admission: [admission] });
    await api.namespace('default');
    seen.length = 0;
    const created = await api.send('POST', CMS, { metadata: { name: 'a' } });
    expect(created).toMatchObject({
      status: 201,
      body: { metadata: { labels: { mutated: 'yes' } } },
      headers: { warning: '299 - "changed it"' },
    });
    expect(await api.post(CMS, { metadata: { name: 'bad' } })).toMatchObject({ code: 403, message: 'admission said no' });
    await api.merge(`${CMS}/a?dryRun=All`, { data: { x: '1' } });
    await api.delete(`${CMS}/a`);
    expect(seen).toEqual(['CREATE  yes no old false', 'CREATE  yes no old false', 'UPDATE  yes had old true', 'DELETE  - had old false']);
    expect(await api.get(`${CMS}/bad`)).toMatchObject({ code: 404 });
  });
});

describe('a webhook that changes a Scale', () => {
  it.each([1.5, 2 ** 31, '3', -1])('cannot set the replicas to %j', async (replicas) => {
    const mutate = ({ object, subResource }: AdmissionAttributes) =>
      subResource === 'scale' ? { object: { ...object, spec: { replicas } } as unknown as KubeObject } : {};
    const api = new Api({ admission: [{ mutate, validate: () => ({}) }] });
    await api.namespace('default');
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await api.post(deployments, { metadata: { name: 'a' }, spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template } });
    const refused = await api.merge(`${deployments}/a/scale`, { spec: { replicas: 3 } });
    expect(refused).toMatchObject({ kind: 'Status', status: 'Failure' });
    expect(refused.message).not.toContain('containers');
    expect(await api.get(`${deployments}/a`)).toMatchObject({ spec: { replicas: 2 } });
  });
});

describe('virtual resources', () => {
  it('are handled by the given handlers, with the parent of a subresource', async () => {
    const api = new Api({
      virtual: {
        'authorization.k8s.io/selfsubjectaccessreviews': async ({ object, identity }) =>
          ({ ...object, status: { allowed: identity.user === 'admin' } }) as KubeObject,
        '/serviceaccounts/token': async ({ object, parent, name, namespace }) =>
          ({ ...object, status: { token: `${namespace}/${name}/${parent?.metadata.uid}` } }) as KubeObject,
      },
    });
    await api.namespace('default');
    const review = await api.send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} });
    expect(review).toMatchObject({ status: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } });
    const account = await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
    const token = await api.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: { audiences: [] } });
    expect(token).toMatchObject({ kind: 'TokenRequest', status: { token: `default/robot/${account.metadata.uid}` } });
    expect(await api.post('/api/v1/namespaces/default/serviceaccounts/none/token', { spec: {} })).toMatchObject({ code: 404 });
    expect(await api.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).toMatchObject({ code: 405 });
  });
});

describe('discovery', () => {
  it('lists groups, versions, resources and subresources', async () => {
    const api = new Api();
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
    expect(await api.get('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { groups } = await api.get('/apis');
    expect(groups.map((group: Answer) => group.name)).toEqual(
      expect.arrayContaining(['apps', 'batch', 'rbac.authorization.k8s.io', 'example.com']),
    );
    expect(await api.get('/apis/example.com')).toMatchObject({ kind: 'APIGroup', preferredVersion: { groupVersion: 'example.com/v1' } });
    expect((await api.get('/apis/example.com/v1')).resources).toMatchObject([
      { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', shortNames: ['wd'] },
      { name: 'widgets/status', kind: 'Widget' },
      { name: 'widgets/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
    ]);
    expect((await api.send('GET', '/apis/none.example.com')).status).toBe(404);
  });

  it('lists all groups in one aggregated document', async () => {
    const api = new Api();
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const response = await api.send('GET', '/apis', undefined, { accept });
    expect(response.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const apps = (response.body as Answer).items.find((item: Answer) => item.metadata.name === 'apps');
    expect(apps.versions[0].resources.find((resource: Answer) => resource.resource === 'deployments')).toMatchObject({
      responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      scope: 'Namespaced',
      shortNames: ['deploy'],
      subresources: [{ subresource: 'scale' }, { subresource: 'status' }],
    });
  });

  it('answers with its version and its health', async () => {
    const api = new Api();
    expect(await api.get('/version')).toMatchObject({ major: '1', minor: '35' });
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz/ping']) expect(await api.get(path)).toBe('ok');
    expect(await api.get('/')).toMatchObject({ paths: expect.arrayContaining(['/api/v1', '/version']) });
    expect((await api.send('POST', '/version', {})).status).toBe(405);
    expect((await api.send('GET', '/nowhere')).status).toBe(404);
  });
});

describe('tables', () => {
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

  it('show the columns of a kind', async () => {
    const api = new Api();
    await api.namespace('default');
    await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'a' }, stringData: { x: '1', y: '2' } });
    api.runtime.advance(65_000);
    const shown = await api.read('GET', '/api/v1/namespaces/default/secrets', undefined, table);
    expect(shown.columnDefinitions.map((column: Answer) => column.name)).toEqual(['Name', 'Type', 'Data', 'Age']);
    expect(shown.rows).toMatchObject([
      { cells: ['a', 'Opaque', 2, '65s'], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } },
    ]);
  });

  it('show the columns of a definition', async () => {
    const api = new Api();
    await api.namespace('default');
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition());
    await api.post('/apis/example.com/v1/namespaces/default/widgets', widget('a', { color: 'red', replicas: 3 }));
    const shown = await api.read('GET', '/apis/example.com/v1/namespaces/default/widgets?includeObject=None', undefined, table);
    expect(shown.columnDefinitions.map((column: Answer) => `${column.name} ${column.type} ${column.priority}`)).toEqual([
      'Name string 0',
      'Color string 0',
      'Replicas integer 1',
    ]);
    expect(shown.rows).toEqual([{ cells: ['a', 'red', 3], object: null }]);
  });
});

describe('a server that fails', () => {
  it('answers 500, logs the error and keeps serving', async () => {
    const api = new Api({
      admission: [
        {
          validate: ({ name }) => {
            if (name === 'bomb') throw new TypeError('boom');
            return {};
          },
        },
      ],
    });
    await api.namespace('default');
    expect(await api.post(CMS, { metadata: { name: 'bomb' } })).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: boom',
    });
    expect(api.runtime.log.errors).toHaveLength(1);
    expect(await api.post(CMS, { metadata: { name: 'a' } })).toMatchObject({ kind: 'ConfigMap' });
  });
});
