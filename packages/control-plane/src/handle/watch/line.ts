import type { KubeObject, WatchEvent } from '@outrigger/core';

/** Encodes an event as the watcher receives it. */
export type EncodeEvent = (type: WatchEvent['type'], object: KubeObject) => Uint8Array;

const encoder = new TextEncoder();

/** Encodes an event as one line of JSON. */
export function watchLine(type: WatchEvent['type'], object: KubeObject): Uint8Array {
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}
