import { type AddOnRollout, FLEET_ROLLOUT, addOnRollouts } from '@outrigger/api';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import type { CommandContext } from '../context.js';

const MANAGER = 'outrigger-pause';

/** Pauses all rollouts of the fleet with one object: the AddOnRollout that applies to all add-ons. */
export function pause(context: CommandContext, connection: ConnectionOptions): Promise<void> {
  return setPaused(
    context,
    connection,
    true,
    'all rollouts are paused: clusters in flight finish, no further cluster starts; `outrigger resume --all` goes on\n',
  );
}

export function resume(context: CommandContext, connection: ConnectionOptions): Promise<void> {
  return setPaused(context, connection, false, 'rollouts go on, except those of add-ons that are paused by name\n');
}

async function setPaused(context: CommandContext, connection: ConnectionOptions, paused: boolean, message: string): Promise<void> {
  const object: AddOnRollout = {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'AddOnRollout',
    metadata: { name: FLEET_ROLLOUT },
    spec: { paused },
  };
  await withHub(context, connection, async (hub) => {
    await hub.apply(addOnRollouts, object, { fieldManager: MANAGER, force: true });
    context.terminal.out(message);
  });
}
