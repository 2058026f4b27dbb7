import { type MetricsProvider, prometheusProvider } from '@outrigger/hub';
import { sendBounded } from '@outrigger/kube/node';
import type { HubCommandOptions } from './command.js';
import { type SecretSource, outsideAddresses, readSecret } from './outside-addresses.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Checks the options, and returns a function that connects the metrics providers that they define. A policy only names a provider; the
 * operator of the manager sets the addresses and tokens.
 */
export async function metricsProviders(
  options: Pick<HubCommandOptions, 'metricsProvider' | 'metricsToken' | 'metricsCa'>,
): Promise<(source: SecretSource) => ReadonlyMap<string, MetricsProvider>> {
  const addresses = await outsideAddresses({
    url: { flag: '--metrics-provider', values: options.metricsProvider },
    secret: { flag: '--metrics-token', values: options.metricsToken },
    ca: { flag: '--metrics-ca', values: options.metricsCa },
  });
  return (source) =>
    new Map(
      addresses.map(({ name, url, secret, ca }) => [
        name,
        prometheusProvider({
          url,
          ...(secret === undefined ? {} : { token: () => readSecret(source, secret, 'token') }),
          send: (request, signal) => sendBounded({ method: 'POST', ...request, ca, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }, signal),
        }),
      ]),
    );
}
