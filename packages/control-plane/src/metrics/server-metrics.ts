import type { ServerState } from '../handle/context.js';
import { VERSION } from '../handle/non-resource/version.js';
import { parseStorageKey, storagePrefix } from '../store/key.js';
import { expose, type Family, type Sample } from './exposition.js';

/** The resources that a process uses. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly startSeconds: number;
}

/** Returns all metrics of a server, in Prometheus' text format. */
export function serverMetrics({ requests, registry, store, watches, processUsage }: ServerState): string {
  const kept = registry.all().filter(({ isStorageVersion, isVirtual }) => isStorageVersion && !isVirtual);
  const counts = kept.map(({ storage }) => ({ ...storage, value: store.count(storagePrefix(storage)) }));
  const { gitVersion: git_version, major, minor, platform } = VERSION;
  return expose([
    ...requests.families(),
    {
      name: 'apiserver_longrunning_requests',
      type: 'gauge',
      help: 'Watches that are open.',
      samples: openWatches(watches.opened()),
    },
    {
      name: 'apiserver_resource_objects',
      type: 'gauge',
      help: 'Stored objects by resource.',
      samples: counts.map(({ group, plural: resource, value }) => ({ labels: { group, resource }, value })),
    },
    {
      name: 'apiserver_storage_objects',
      type: 'gauge',
      help: 'Stored objects by resource. Deprecated: use apiserver_resource_objects.',
      samples: counts.map(({ group, plural, value }) => ({ labels: { resource: group === '' ? plural : `${plural}.${group}` }, value })),
    },
    {
      name: 'kubernetes_build_info',
      type: 'gauge',
      help: 'The version of the API that is served.',
      samples: [{ labels: { git_version, major, minor, platform }, value: 1 }],
    },
    ...(processUsage ? processFamilies(processUsage()) : []),
  ]);
}

/** Counts the open watches by the resource and namespace in their storage prefix. */
function openWatches(opened: Iterable<{ readonly prefix: string; readonly version: string }>): Sample[] {
  const counts = new Map<string, { readonly labels: Record<string, string>; value: number }>();
  for (const { prefix, version } of opened) {
    const { group, plural: resource, namespace } = parseStorageKey(prefix);
    const scope = namespace === '' ? 'cluster' : 'namespace';
    const key = `${group}/${resource}/${version}/${scope}`;
    const labels = { component: 'apiserver', group, resource, scope, subresource: '', verb: 'WATCH', version };
    const known = counts.get(key) ?? { labels, value: 0 };
    known.value++;
    counts.set(key, known);
  }
  return [...counts.values()];
}

function processFamilies({ cpuSeconds, residentBytes, startSeconds }: ProcessUsage): Family[] {
  const family = (name: string, type: Family['type'], help: string, value: number): Family => ({ name, type, help, samples: [{ value }] });
  return [
    family('process_cpu_seconds_total', 'counter', 'Processor time used, in seconds.', cpuSeconds),
    family('process_resident_memory_bytes', 'gauge', 'Memory in use.', residentBytes),
    family('process_start_time_seconds', 'gauge', 'When the process started, in seconds since 1970.', startSeconds),
  ];
}
