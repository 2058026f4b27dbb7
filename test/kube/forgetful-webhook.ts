import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@outrigger/core';
import { makeCertificates, readPair } from '../harness/certificates.js';
import { forgetfulConvert } from '../integration/install/beside-another.js';

/** The conversion webhook of another program, which supports only upstream's fields. */
export interface ForgetfulWebhook {
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  stop(): Promise<void>;
}

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly KubeObject[] };
}

export async function startForgetfulWebhook(): Promise<ForgetfulWebhook> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-webhook-'));
  const files = await makeCertificates(folder);
  const [server, ca] = [await readPair(files.server), await readPair(files.ca)];
  await rm(folder, { recursive: true });
  const https = createServer(server, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { apiVersion, request: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
      const convertedObjects = asked.objects.map((object) => forgetfulConvert(object, asked.desiredAPIVersion));
      const answer = { uid: asked.uid, convertedObjects, result: { status: 'Success' } };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ apiVersion, kind: 'ConversionReview', response: answer }));
    });
  });
  // kube-apiserver keeps idle connections for 90 s. If the server closed one earlier, a request that arrives at that moment would fail.
  https.keepAliveTimeout = 120_000;
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const url = `https://127.0.0.1:${(https.address() as AddressInfo).port}/convert`;
  return {
    clientConfig: { url, caBundle: Buffer.from(ca.cert).toString('base64') },
    stop: async () => {
      const closed = once(https, 'close');
      https.close();
      https.closeAllConnections();
      await closed;
    },
  };
}
