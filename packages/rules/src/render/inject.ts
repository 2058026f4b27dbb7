import type { JsonObject } from '@outrigger/core';
import { appendByName, changeContainers, type PodChange } from '../manifests/workloads.js';

/** A volume with credentials or certificates, mounted into every container. */
export interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly source: { readonly secret: string } | { readonly configMap: string };
}

/** Adds the variables to every container, unless the add-on author has set a variable of the same name. */
export function injectEnv(env: readonly { readonly name: string; readonly value: string }[]): PodChange {
  return (podSpec) => changeContainers(podSpec, (container) => ({ ...container, env: appendByName(container['env'], env) }));
}

/** Mounts each volume into every container, unless the add-on author has defined a volume or mount of the same name. */
export function injectMounts(mounts: readonly Mount[], volumeMode: number | undefined): PodChange {
  if (mounts.length === 0) return (podSpec) => podSpec;
  const volumes = mounts.map((mount) => volumeOf(mount, volumeMode));
  const volumeMounts = mounts.map(({ name, mountPath }) => ({ name, mountPath }));
  return (podSpec) =>
    changeContainers({ ...podSpec, volumes: appendByName(podSpec['volumes'], volumes) }, (container) => ({
      ...container,
      volumeMounts: appendByName(container['volumeMounts'], volumeMounts),
    }));
}

function volumeOf({ name, source }: Mount, volumeMode: number | undefined): JsonObject {
  const mode = volumeMode === undefined ? {} : { defaultMode: volumeMode };
  if ('secret' in source) return { name, secret: { secretName: source.secret, ...mode } };
  return { name, configMap: { name: source.configMap, ...mode } };
}
