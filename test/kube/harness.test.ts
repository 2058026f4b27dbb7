import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from '../conformance/api.js';
import { configMap } from '../conformance/subject.js';
import { Http, type RealKube, startKube } from '../harness/index.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a real server of our own', () => {
  let kube: RealKube;
  beforeAll(async () => {
    kube = await startKube();
  });
  afterAll(() => kube.stop());

  /**
   * Calls `use` with an administrator's client. Each call uses a new connection, because an earlier connection may lead to a process that
   * was killed.
   */
  async function asAdmin<T>(use: (api: Api) => Promise<T>): Promise<T> {
    const http = new Http({ url: kube.url, caPem: kube.caPem, certPem: kube.adminCertPem, keyPem: kube.adminKeyPem });
    try {
      return await use(new Api(http));
    } finally {
      http.close();
    }
  }
  const create = (name: string): Promise<unknown> => asAdmin((api) => api.create(MAPS, configMap(name)));
  const statusOf = (name: string): Promise<number> => asAdmin(async (api) => (await api.get(`${MAPS}/${name}`)).status);

  it('keeps its data when the API server is killed and started again', async () => {
    await create('before');
    await kube.kill('kube-apiserver');
    await expect(statusOf('before')).rejects.toThrow(/ECONNREFUSED/);
    await kube.restart('kube-apiserver');
    expect(await statusOf('before')).toBe(200);
  });
  it('keeps its data when etcd is killed and started again', async () => {
    await create('durable');
    await kube.restart('etcd');
    await kube.restart('kube-apiserver');
    expect(await statusOf('durable')).toBe(200);
  });
  it('hangs while it is paused and continues afterwards', async () => {
    await kube.pause('kube-apiserver');
    const http = new Http({ url: kube.url, caPem: kube.caPem, certPem: kube.adminCertPem, keyPem: kube.adminKeyPem });
    await expect(http.send({ path: '/readyz' }, AbortSignal.timeout(500))).rejects.toThrow(/abort/i);
    http.close();
    kube.resume('kube-apiserver');
    expect(await statusOf('before')).toBe(200);
  });
  it('finds the user of a token', async () => {
    const http = new Http({ url: kube.url, caPem: kube.caPem, token: kube.token('tom', ['t-shirts']) });
    const { body } = await new Api(http).post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    http.close();
    expect(body.status).toMatchObject({ userInfo: { username: 'tom', groups: ['t-shirts', 'system:authenticated'] } });
  });
  // This test runs last, because it stops the server.
  it('leaves nothing behind when it is stopped', async () => {
    expect(existsSync(dirname(kube.kubeconfigPath))).toBe(true);
    await kube.stop();
    expect(existsSync(dirname(kube.kubeconfigPath))).toBe(false);
    const http = new Http({ url: kube.url, caPem: kube.caPem });
    await expect(http.send({ path: '/readyz' })).rejects.toThrow(/ECONNREFUSED/);
    http.close();
  });
});
