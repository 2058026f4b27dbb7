import type { KubeObject, WatchEvent } from '@outrigger/core';

const encoder = new TextEncoder();

export function watchLine(type: WatchEvent['type'], object: KubeObject): Uint8Array {
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}
