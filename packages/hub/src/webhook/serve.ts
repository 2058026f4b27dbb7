import { errorMessage, type Runtime } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { type HttpsServer, type WebhookClients, listenHttps } from './adapters/https-server.js';
import type { HubAdmission } from './admission.js';
import { LIFETIMES, type Lifetimes } from './authorities.js';
import { authorityStore } from './authority-store.js';
import { respond } from './respond.js';
import { ServingIdentity } from './serving-identity.js';

export interface WebhookServerOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly admission: HubAdmission;
  /** The namespace of the Secret with the certificate authorities. */
  readonly namespace: string;
  readonly port: number;
  readonly host?: string;
  /** The host names under which the API server reaches this server, such as `outrigger-webhook.<namespace>.svc`. */
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /**
   * Publishes the CA bundle (PEM) to the API server. Called before the first request is served and whenever the bundle changes. A
   * certificate is used only after its authority was published.
   */
  readonly publish?: (caBundle: string, port: number) => Promise<void>;
  readonly lifetimes?: Lifetimes;
  /** The clients that may send requests, if API servers have a client certificate for webhooks; undefined if every client may. */
  readonly clients?: WebhookClients;
}

export interface WebhookServer {
  readonly port: number;
  /** PEM of the CA bundle that the API server currently trusts. */
  readonly caBundle: string;
  close(): Promise<void>;
}

/** Serves admission and conversion over HTTPS. The server has its own authority and certificate, and rotates both while it runs. */
export async function serveWebhooks(options: WebhookServerOptions): Promise<WebhookServer> {
  const { runtime, client, admission, namespace, port, host, lifetimes = LIFETIMES } = options;
  let server: HttpsServer | undefined;
  const identity = new ServingIdentity({
    runtime,
    authorities: authorityStore(client, runtime, namespace, lifetimes),
    names: { ...(options.dnsNames ? { dnsNames: options.dnsNames } : {}), ...(options.ips ? { ips: options.ips } : {}) },
    lifetimes,
    publish: async (caBundle) => {
      if (server) await options.publish?.(caBundle, server.port);
    },
  });
  const listening = await listenHttps({
    runtime,
    port,
    ...(host === undefined ? {} : { host }),
    certificate: await identity.renew(),
    ...(options.clients ? { clients: options.clients } : {}),
    respond: (path, body) => respond(admission, path, body),
  });
  server = listening;
  await options.publish?.(identity.caBundle, listening.port);
  let isClosed = false;
  let cancel = runtime.timers.after(lifetimes.checkMs, check);

  function check(): void {
    identity
      .renew()
      .then(
        (certificate) => listening.use(certificate),
        (error: unknown) => runtime.log.error({ error: errorMessage(error) }, 'webhook certificate not renewed, will be retried'),
      )
      .finally(() => {
        if (!isClosed) cancel = runtime.timers.after(lifetimes.checkMs, check);
      });
  }

  return {
    port: listening.port,
    get caBundle() {
      return identity.caBundle;
    },
    async close() {
      isClosed = true;
      cancel();
      await listening.close();
    },
  };
}
