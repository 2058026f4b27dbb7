import type { ConsoleRules } from '@outrigger/console-server';
import type { JsonObject } from '@outrigger/core';
import { diffManifests } from '../commands/diff/changes.js';
import { redact } from '../preview/redact.js';
import type { Client, ConnectionConfig } from '@outrigger/kube';
import { planRollBack } from './forecast.js';
import { planInThread, type PlanTask } from './plan-thread.js';

type Changes = ReturnType<ConsoleRules['diff']>;

/** The rules of `outrigger render`, `outrigger diff` and `outrigger plan`, for use by the console. Plans run in the caller's thread. */
export const consoleRules: ConsoleRules = {
  redact: (manifest) => redact(manifest as JsonObject),
  diff: (before, after) => changesOf(before as readonly JsonObject[], after as readonly JsonObject[]),
  plan: planRollBack,
};

/**
 * Returns the rules of `outrigger render`, `diff` and `plan` for the console, with plans in a separate thread. `connectionOf` returns the
 * connection of a client's user.
 */
export function threadedRules(
  program: string,
  env: PlanTask['env'],
  connectionOf: (client: Client) => ConnectionConfig | undefined,
): ConsoleRules {
  return {
    ...consoleRules,
    plan: (client, change) => {
      const connection = connectionOf(client);
      return connection === undefined ? planRollBack(client, change) : planInThread(program, { connection, env, change });
    },
  };
}

function changesOf(before: readonly JsonObject[], after: readonly JsonObject[]): Changes {
  return diffManifests(before.map(redact), after.map(redact)).map(({ name: title, lines }) => {
    const [kind = '', place = ''] = title.split(' ');
    const at = place.indexOf('/');
    const signs = new Set(lines.flatMap((line) => (line === 'gap' ? ['gap'] : [line.sign])));
    const change = signs.size === 1 && signs.has('+') ? 'added' : signs.size === 1 && signs.has('-') ? 'removed' : 'changed';
    return {
      kind,
      namespace: at < 0 ? '' : place.slice(0, at),
      name: place.slice(at + 1),
      change,
      lines: lines.map((line) => (line === 'gap' ? { mark: '…', text: '' } : { mark: line.sign, text: line.text })),
    };
  });
}
