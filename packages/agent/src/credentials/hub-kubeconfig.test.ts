import { parseKubeconfig, resolveKubeconfig } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { hubKubeconfig } from './hub-kubeconfig.js';

const CA = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';

describe('the kubeconfig of a credential', () => {
  it('names the hub as the bootstrap kubeconfig does and finds its key beside it', () => {
    const config = parseKubeconfig(
      hubKubeconfig(
        { server: 'https://hub:6443', name: 'my-hub', ca: CA, proxyUrl: 'http://proxy:80', tlsServerName: 'hub.internal' },
        'certificate',
      ),
      '/d/kubeconfig',
    );
    expect([...config.clusters.keys(), ...config.users.keys(), ...config.contexts.keys()]).toEqual([
      'my-hub',
      'default-auth',
      'default-context',
    ]);
    expect(resolveKubeconfig(config, {})).toMatchObject({
      context: 'default-context',
      namespace: 'configuration',
      connection: {
        server: 'https://hub:6443',
        ca: { data: CA },
        proxyUrl: 'http://proxy:80',
        tlsServerName: 'hub.internal',
        clientCertificate: { file: '/d/tls.crt' },
        clientKey: { file: '/d/tls.key' },
      },
    });
  });

  it('finds a token beside it', () => {
    const config = parseKubeconfig(hubKubeconfig({ server: 'https://hub', name: 'hub' }, 'token'), '/d/kubeconfig');
    expect(resolveKubeconfig(config, {}).connection).toMatchObject({ server: 'https://hub', tokenFile: '/d/token' });
  });
});
