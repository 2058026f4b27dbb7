import type { KubeObject, WatchEvent } from '@outrigger/core';

/** An event as it is sent to a watcher. */
export type EncodeEvent = (type: WatchEvent['type'], object: KubeObject) => Uint8Array;

const encoder = new TextEncoder();

/** One line of JSON. */
export function watchLine(type: WatchEvent['type'], object: KubeObject): Uint8Array {
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}
