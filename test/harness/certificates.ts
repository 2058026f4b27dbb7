import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The certificates of a temporary cluster, as files. openssl creates them, so that the tests do not rely on the code under test. */
export interface Certificates {
  readonly ca: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** The key that signs service account tokens. */
  readonly serviceAccountKey: string;
}

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export async function makeCertificates(folder: string): Promise<Certificates> {
  const ca = pair(folder, 'ca');
  await openssl([
    'req',
    '-x509',
    ...newKey(ca),
    '-days',
    '2',
    '-subj',
    '/CN=test-ca',
    '-addext',
    'keyUsage=critical,keyCertSign,digitalSignature',
    '-out',
    ca.cert,
  ]);
  const serviceAccountKey = join(folder, 'service-account.key');
  const [server, admin] = await Promise.all([
    issue(folder, ca, 'server', '/CN=kube-apiserver', 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes.default.svc'),
    issue(folder, ca, 'admin', '/O=system:masters/CN=admin', 'extendedKeyUsage=clientAuth'),
    // The key is RSA, because older servers reject an EC private key file as a verification key.
    openssl(['genrsa', '-out', serviceAccountKey, '2048']),
  ]);
  return { ca, server, admin, serviceAccountKey };
}

export async function readPair(files: KeyPair): Promise<KeyPair> {
  return { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') };
}

/** Creates a PKCS#10 request in the API's encoding. openssl creates it, so that the tests do not rely on the code under test. */
export async function certificateRequest(subjectName: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-csr-'));
  try {
    const file = join(folder, 'csr.pem');
    await openssl(['req', '-new', ...newKey(pair(folder, 'client')), '-subj', subjectName, '-out', file]);
    return (await readFile(file)).toString('base64');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function issue(folder: string, ca: KeyPair, name: string, subject: string, extension: string): Promise<KeyPair> {
  const files = pair(folder, name);
  const request = join(folder, `${name}.csr`);
  const extensions = join(folder, `${name}.ext`);
  await writeFile(extensions, `${extension}\n`);
  await openssl(['req', '-new', ...newKey(files), '-subj', subject, '-out', request]);
  const signing = ['-CA', ca.cert, '-CAkey', ca.key, '-CAserial', join(folder, `${name}.srl`), '-CAcreateserial', '-days', '2'];
  await openssl(['x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', files.cert]);
  return files;
}

function pair(folder: string, name: string): KeyPair {
  return { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
}

function newKey(files: KeyPair): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', files.key];
}

async function openssl(args: readonly string[]): Promise<void> {
  try {
    await run('openssl', args);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('openssl is missing: install it to run the tests against a real kube-apiserver');
    throw error;
  }
}
