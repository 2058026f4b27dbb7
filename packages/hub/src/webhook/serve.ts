import { errorMessage, type Runtime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type HttpsServer, listenHttps } from './adapters/https-server.js';
import type { HubDoor } from './admission.js';
import { issueServingCertificate, loadAuthority } from './certificates.js';
import { respond } from './respond.js';

export interface WebhookServerOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly door: HubDoor;
  /** Where the authority of the certificate is kept. */
  readonly namespace: string;
  readonly port: number;
  readonly host?: string;
  /** What the API server calls this server: `outrigger-webhook.<namespace>.svc`. */
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

export interface WebhookServer {
  readonly port: number;
  /** PEM: what the API server trusts it by. */
  readonly caBundle: string;
  close(): Promise<void>;
}

const RETRY_MS = 60_000;

/** Serves admission and conversion over HTTPS with a certificate of its own, which is exchanged while it runs. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { runtime, client, door, namespace, port, host } = options;
  const names = { ...(options.dnsNames ? { dnsNames: options.dnsNames } : {}), ...(options.ips ? { ips: options.ips } : {}) };
  const authority = await loadAuthority(client, runtime, namespace);
  const first = await issueServingCertificate(runtime, authority, names);
  const server: HttpsServer = await listenHttps({
    runtime,
    port,
    ...(host === undefined ? {} : { host }),
    certificate: first,
    respond: (path, body) => respond(door, path, body),
  });
  let cancel = runtime.timers.after(first.renewAfterMs, renew);

  function renew(): void {
    issueServingCertificate(runtime, authority, names).then(
      (next) => {
        server.use(next);
        cancel = runtime.timers.after(next.renewAfterMs, renew);
      },
      (error: unknown) => {
        runtime.log.error({ error: errorMessage(error) }, 'webhook certificate not renewed, trying again');
        cancel = runtime.timers.after(RETRY_MS, renew);
      },
    );
  }

  return {
    port: server.port,
    caBundle: authority.certificate,
    async close() {
      cancel();
      await server.close();
    },
  };
}
