import type { KubeObject } from '@outrigger/core';

export function partialMetadata({ metadata }: KubeObject, apiVersion: string): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}
