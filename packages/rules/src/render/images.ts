import { changeContainers, type PodChange } from '../manifests/workloads.js';
import type { ImageRegistry } from '../observed/clusters.js';

/** Applies the image registries to every container. */
export function overrideImages(registries: readonly ImageRegistry[]): PodChange {
  if (registries.length === 0) return (podSpec) => podSpec;
  return (podSpec) =>
    changeContainers(podSpec, (container) =>
      typeof container['image'] === 'string' ? { ...container, image: overrideImage(container['image'], registries) } : container,
    );
}

/**
 * Applies each registry to the original image, so that one registry never changes the result of another. If several registries change the
 * image, the last one wins. An empty source matches any image, of which only the last path segment is kept. Prefixes are compared as plain
 * text, as upstream does.
 */
export function overrideImage(image: string, registries: readonly ImageRegistry[]): string {
  let result = image;
  for (const registry of registries) {
    const candidate = mirrored(image, trimSlash(registry.source ?? ''), trimSlash(registry.mirror));
    if (candidate !== image) result = candidate;
  }
  return result;
}

function mirrored(image: string, source: string, mirror: string): string {
  if (source === '') {
    const last = image.slice(image.lastIndexOf('/') + 1);
    return mirror === '' ? last : `${mirror}/${last}`;
  }
  return image.startsWith(source) ? mirror + image.slice(source.length) : image;
}

function trimSlash(text: string): string {
  return text.endsWith('/') ? text.slice(0, -1) : text;
}
