import { createHmac } from 'node:crypto';
import type { Clock } from '@outrigger/core';
import type { NotificationTarget } from '@outrigger/hub';
import { sendBounded } from '@outrigger/kube/node';
import { usageError } from '../../failure.js';
import type { HubCommandOptions } from './command.js';
import { type SecretSource, outsideAddresses, readSecret } from './outside-addresses.js';

const LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 };

/**
 * Checks the options, and returns a function that connects the notification targets that they define. Each request is signed:
 * `X-Outrigger-Signature` is the HMAC-SHA256, in hex, of the value of `X-Outrigger-Timestamp`, a dot and the body.
 */
export async function notificationTargets(
  options: Pick<HubCommandOptions, 'notifyUrl' | 'notifyKey' | 'notifyCa'>,
): Promise<(source: SecretSource, clock: Pick<Clock, 'now'>) => ReadonlyMap<string, NotificationTarget>> {
  const addresses = await outsideAddresses({
    url: { flag: '--notify-url', values: options.notifyUrl },
    secret: { flag: '--notify-key', values: options.notifyKey },
    ca: { flag: '--notify-ca', values: options.notifyCa },
  });
  const signed = addresses.map(({ secret, ...rest }) => {
    if (secret === undefined)
      throw usageError(`--notify-url ${rest.name} needs --notify-key ${rest.name}=<secret>: every notification is signed`);
    return { ...rest, secret };
  });
  return (source, clock) =>
    new Map(
      signed.map(({ name, url, secret, ca }): readonly [string, NotificationTarget] => [
        name,
        {
          async send(body, signal) {
            const key = await readSecret(source, secret, 'key');
            const timestamp = String(Math.floor(clock.now() / 1000));
            const headers = {
              'content-type': 'application/json',
              'x-outrigger-timestamp': timestamp,
              'x-outrigger-signature': `sha256=${createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')}`,
            };
            const { status } = await sendBounded({ method: 'POST', url, headers, body, ca, ...LIMITS }, signal);
            if (status < 200 || status > 299) throw new Error(`the address answered with status ${status}`);
          },
        },
      ]),
    );
}
