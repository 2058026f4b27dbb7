import { PROXY_CA_KEY, PROXY_CA_MOUNT, PROXY_CA_VARIABLE, PROXY_CA_VOLUME, proxyCaConfigMapName, type ProxyConfig } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import type { Mount } from './inject.js';

export interface ProxyInjection {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  readonly manifests: readonly JsonObject[];
}

/**
 * The additions for a proxy: environment variables in upper and lower case, and the CA bundle as a ConfigMap in the namespace of the pods
 * that mount it.
 */
export function proxyInjection(proxy: ProxyConfig | undefined, addOnName: string, installNamespace: string): ProxyInjection {
  if (!proxy) return { env: [], mounts: [], manifests: [] };
  const env = [...both('HTTP_PROXY', proxy.httpProxy), ...both('HTTPS_PROXY', proxy.httpsProxy), ...both('NO_PROXY', proxy.noProxy)];
  if (!proxy.caBundle) return { env, mounts: [], manifests: [] };
  const configMap = proxyCaConfigMapName(addOnName);
  const manifests = [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMap, namespace: installNamespace },
      data: { [PROXY_CA_KEY]: decodeBase64(proxy.caBundle) },
    },
  ];
  // Without a proxy, install the bundle but do not mount it, as upstream does.
  if (env.length === 0) return { env, mounts: [], manifests };
  return {
    env: [...env, { name: PROXY_CA_VARIABLE, value: `${PROXY_CA_MOUNT}/${PROXY_CA_KEY}` }],
    mounts: [{ name: PROXY_CA_VOLUME, mountPath: PROXY_CA_MOUNT, source: { configMap } }],
    manifests,
  };
}

function both(name: string, value: string | undefined): { name: string; value: string }[] {
  return value
    ? [
        { name, value },
        { name: name.toLowerCase(), value },
      ]
    : [];
}

function decodeBase64(text: string): string {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
