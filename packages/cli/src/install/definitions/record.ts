import { gunzipSync, gzipSync } from 'node:zlib';
import { errorMessage } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';
import { CommandError, EXIT } from '../../failure.js';
import type { Definition, DefinitionSpec } from './definition.js';

/** The annotation of a CRD that holds the release of the Outrigger command that last wrote the CRD. */
export const INSTALLED_BY_ANNOTATION = 'outrigger.dev/installed-by';

/**
 * The annotation of a CRD that another program installed, with its spec without our changes (JSON, gzip, base64). For a CRD of 80 KiB it
 * takes about 10 KiB; all annotations of an object together are limited to 256 KiB.
 */
export const FOUND_ANNOTATION = 'outrigger.dev/found-definition';

export function recordOf(spec: DefinitionSpec): string {
  return gzipSync(canonicalJson(spec), { level: 9 }).toString('base64');
}

/**
 * Returns the recorded spec, or undefined if only Outrigger installed the CRD. Throws if the annotation cannot be parsed, because the
 * previous CRD could then not be restored.
 */
export function recordedSpec({ metadata }: Pick<Definition, 'metadata'>): DefinitionSpec | undefined {
  const text = metadata.annotations?.[FOUND_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_BYTES }).toString('utf8')) as DefinitionSpec;
  } catch (error) {
    throw new CommandError(
      `CustomResourceDefinition ${metadata.name}: the annotation ${FOUND_ANNOTATION} cannot be read (${errorMessage(error)}): restore the definition from a backup, or remove the annotation to keep the definition as it is`,
      EXIT.failed,
    );
  }
}

const MAX_BYTES = 16 * 1024 * 1024;
