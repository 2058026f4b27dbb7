import { isJsonObject } from '@outrigger/core';
import { explainFailure } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { clean } from '../../terminal/clean.js';
import type { CommandContext } from '../context.js';

/** Returns the version that the hub reports. The command succeeds even if the hub does not respond. */
export async function hubVersion(context: CommandContext, options: ConnectionOptions): Promise<string> {
  try {
    return await withHub(context, options, async (hub, server) => {
      const { body } = await hub.raw({ method: 'GET', path: '/version', headers: { accept: 'application/json' } });
      const version = isJsonObject(body) ? body['gitVersion'] : undefined;
      return clean(`${typeof version === 'string' ? version : 'unknown'} at ${server}`);
    });
  } catch (error) {
    return `none: ${clean((await explainFailure(error)).message)}`;
  }
}
