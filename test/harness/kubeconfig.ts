import { writeFile } from 'node:fs/promises';

interface Credentials {
  readonly url: string;
  readonly caPem?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
}

/** Writes a kubeconfig with all data inline. It is JSON, which is valid YAML, so every reader of kubeconfigs accepts it. */
export async function writeKubeconfig(path: string, { url, caPem, certPem, keyPem }: Credentials): Promise<string> {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, ...(caPem && { 'certificate-authority-data': base64(caPem) }) } }],
    users: [
      {
        name: 'admin',
        user: {
          ...(certPem && { 'client-certificate-data': base64(certPem) }),
          ...(keyPem && { 'client-key-data': base64(keyPem) }),
        },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
