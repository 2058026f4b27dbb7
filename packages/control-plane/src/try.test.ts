import { it } from 'vitest';
import { createRealRuntime } from '@outrigger/kube';
import { createControlPlane } from '@outrigger/control-plane';
it('x', async () => {
  const runtime = createRealRuntime();
  let t = performance.now();
  const lap = (s: string) => {
    console.log(s, (performance.now() - t).toFixed(0));
    t = performance.now();
  };
  const plane = await createControlPlane({ runtime, storage: 'memory', simulateWorkloads: { readyAfterMs: 50 } });
  lap('create');
  await plane.start();
  lap('start');
  const tr = plane.transport();
  const c = await tr.send({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'x', image: 'y' }] } },
      },
    } as never,
  });
  lap('deploy');
  console.log(c.status, JSON.stringify(c.body).slice(0, 600));
  await new Promise((r) => setTimeout(r, 300));
  const g = await tr.send({ method: 'GET', path: '/apis/apps/v1/namespaces/default/deployments/a' });
  console.log(JSON.stringify((g.body as any).status));
  for (const p of [
    '/api/v1/namespaces',
    '/api/v1/serviceaccounts',
    '/api/v1/nodes',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin',
    '/healthz',
    '/version',
  ]) {
    const r = await tr.send({ method: 'GET', path: p });
    console.log(p, r.status, JSON.stringify(r.body).slice(0, 300));
  }
  await tr.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'foo' } } as never,
  });
  await new Promise((r) => setTimeout(r, 50));
  const d = await tr.send({ method: 'DELETE', path: '/api/v1/namespaces/foo' });
  console.log(d.status, JSON.stringify(d.body));
  await new Promise((r) => setTimeout(r, 100));
  console.log((await tr.send({ method: 'GET', path: '/api/v1/namespaces/foo' })).status);
  await plane.stop();
  runtime.scope.close();
});
