import { isIP } from 'node:net';
import type { Runtime } from '@outrigger/core';
import { createAdmission, publishWebhooks, serveWebhooks } from '@outrigger/hub';
import type { Client, Manager } from '@outrigger/kube';
import type { HubCommandOptions } from './command.js';
import { readCa } from './outside-addresses.js';

export interface WebhookParts {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly manager: Manager;
  readonly namespace: string;
  readonly options: Pick<
    HubCommandOptions,
    | 'webhookPort'
    | 'webhookService'
    | 'webhookUrl'
    | 'webhookClientCa'
    | 'webhookClientName'
    | 'agentLabelPrefix'
    | 'checkMissingExecutor'
    | 'maxCertificateHours'
    | 'bootstrapUser'
    | 'bootstrapGroup'
    | 'metricsProvider'
    | 'notifyUrl'
  >;
}

/** Serves the webhooks and registers their URL with the API server. Returns a function that stops serving. */
export async function startWebhooks({ runtime, client, manager, namespace, options }: WebhookParts): Promise<() => Promise<void>> {
  const trustedUsers = [`system:serviceaccount:${namespace}:outrigger-hub`];
  // These settings must be the same in the webhook and in the configuration through which the API server calls the webhook.
  const shared = {
    trustedUsers,
    checkMissingExecutor: options.checkMissingExecutor,
    bootstrapUsers: options.bootstrapUser,
    bootstrapGroups: options.bootstrapGroup,
  };
  const admission = createAdmission({
    view: () => (manager.hasReadAll ? manager.view : undefined),
    client: () => client,
    clock: runtime.clock,
    settings: {
      ...shared,
      managerNamespace: namespace,
      followsOtherWebhooks: true,
      analysisProviders: Object.keys(options.metricsProvider),
      notificationUrls: Object.keys(options.notifyUrl),
      agentLabelPrefixes: options.agentLabelPrefix,
      maxCertificateSeconds: options.maxCertificateHours * 3600,
    },
  });
  const address = addressOf(namespace, options);
  const server = await serveWebhooks({
    runtime,
    client,
    admission,
    namespace,
    port: options.webhookPort,
    ...address.names,
    ...(options.webhookClientCa === undefined
      ? {}
      : { clients: { ca: await readCa(options.webhookClientCa, '--webhook-client-ca'), names: options.webhookClientName } }),
    // Only this process knows the CA of its certificate, so it must publish the CA to the API server itself.
    publish: (caBundle) => publishWebhooks(client, { ...address.endpoint, caBundle }, runtime.log, shared),
  });
  runtime.log.info({ port: server.port, ...address.endpoint }, 'serving webhooks');
  return () => server.close();
}

type Address = { readonly url: string } | { readonly service: { readonly namespace: string; readonly name: string } };

/** Returns the endpoint at which the API server calls the webhooks, and the DNS names that their certificate needs. */
function addressOf(
  namespace: string,
  { webhookService, webhookUrl }: Pick<HubCommandOptions, 'webhookService' | 'webhookUrl'>,
): { readonly endpoint: Address; readonly names: { readonly dnsNames?: readonly string[]; readonly ips?: readonly string[] } } {
  if (webhookUrl === undefined) {
    const service = `${webhookService}.${namespace}.svc`;
    return { endpoint: { service: { namespace, name: webhookService } }, names: { dnsNames: [service, `${service}.cluster.local`] } };
  }
  const host = new URL(webhookUrl).hostname.replace(/^\[|\]$/g, '');
  return { endpoint: { url: webhookUrl }, names: isIP(host) === 0 ? { dnsNames: [host] } : { ips: [host] } };
}
