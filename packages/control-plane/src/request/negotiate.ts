import { ApiError } from '@outrigger/core';

/** How the caller wants objects shown. */
export type Representation = 'object' | 'table' | 'metadata' | 'metadata-list';

export interface Accepted {
  readonly contentType: 'application/json' | 'application/yaml';
  readonly as: Representation;
  /** Of the Table or PartialObjectMetadata asked for. */
  readonly asVersion: 'v1' | 'v1beta1';
}

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

const CONTENT_TYPES: Readonly<Record<string, Accepted['contentType']>> = {
  'application/json': 'application/json',
  'application/yaml': 'application/yaml',
  'application/*': 'application/json',
  '*/*': 'application/json',
};

const TRANSFORMS: Readonly<Record<string, Representation>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata-list',
};

const PRODUCED = 'application/json, application/yaml';

/** Built-in and custom kinds are served by different parts of a real server, each with words of its own. */
function notAcceptable(isCustom: boolean): ApiError {
  return isCustom
    ? new ApiError('NotAcceptable', `only the following media types are accepted: ${PRODUCED}`)
    : new ApiError('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${PRODUCED}`, { details: {} });
}

/** Picks the first range of the `Accept` header the server can produce. Throws NotAcceptable when there is none. */
export function negotiate(accept: string | undefined, isCustom = false): Accepted {
  if (accept === undefined || accept.trim() === '') return { contentType: 'application/json', as: 'object', asVersion: 'v1' };
  const ranges = accept.split(',').map(parseRange);
  for (const range of ranges.sort((a, b) => b.quality - a.quality)) {
    const accepted = acceptedBy(range);
    if (accepted) return accepted;
  }
  throw notAcceptable(isCustom);
}

function acceptedBy({ type, parameters }: MediaRange): Accepted | undefined {
  const contentType = Object.hasOwn(CONTENT_TYPES, type) ? CONTENT_TYPES[type] : undefined;
  if (!contentType || (parameters['stream'] !== undefined && parameters['stream'] !== 'watch')) return undefined;
  const { as, g: group = 'meta.k8s.io', v: version = 'v1' } = parameters;
  if (as === undefined) return { contentType, as: 'object', asVersion: 'v1' };
  const transform = Object.hasOwn(TRANSFORMS, as) ? TRANSFORMS[as] : undefined;
  if (!transform || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  return { contentType, as: transform, asVersion: version };
}

/** Also used for discovery, whose aggregated form is asked for the same way. */
export function parseRange(text: string): MediaRange {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = Object.fromEntries(
    rest.map((part) => {
      const equals = part.indexOf('=');
      return equals < 0 ? [part, ''] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
    }),
  );
  const quality = Number(parameters['q'] ?? 1);
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}
