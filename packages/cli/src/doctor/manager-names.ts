import type { Deployment } from '@outrigger/api';
import { isJsonObject } from '@outrigger/core';
import type { ManagerNames } from '../fleet/policy-advice.js';

/** Returns the metrics providers and webhook addresses that the flags of the manager's Deployment define. */
export function managerNames(deployment: Deployment): ManagerNames {
  const args = containersOf(deployment).flatMap((container) => [...texts(container['command']), ...texts(container['args'])]);
  return { providers: definedNames(args, '--metrics-provider'), urls: definedNames(args, '--notify-url') };
}

/** Returns the names in `--flag name=value` and `--flag=name=value`, including several pairs separated by commas. */
function definedNames(args: readonly string[], flag: string): readonly string[] {
  const values = args.flatMap((arg, i) =>
    arg === flag ? [args[i + 1] ?? ''] : arg.startsWith(`${flag}=`) ? [arg.slice(flag.length + 1)] : [],
  );
  return values.flatMap((value) => value.split(',')).flatMap((pair) => (pair.includes('=') ? [pair.slice(0, pair.indexOf('='))] : []));
}

function containersOf({ spec }: Deployment): readonly Readonly<Record<string, unknown>>[] {
  const template: unknown = spec?.template;
  const pod = isJsonObject(template) ? template['spec'] : undefined;
  const containers = isJsonObject(pod) ? pod['containers'] : undefined;
  return Array.isArray(containers) ? containers.filter(isJsonObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
