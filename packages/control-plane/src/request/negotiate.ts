import { ApiError } from '@outrigger/core';
import { PROTOBUF } from '../protobuf/layout.js';

/** The representation in which the caller wants objects. */
export type Representation = 'object' | 'table' | 'metadata' | 'metadata-list';

export type ContentType = 'application/json' | 'application/yaml' | typeof PROTOBUF;

export interface Accepted {
  readonly contentType: ContentType;
  readonly as: Representation;
  /** The requested version of Table or PartialObjectMetadata. */
  readonly asVersion: 'v1' | 'v1beta1';
}

interface MediaRange {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

const CONTENT_TYPES: Readonly<Record<string, ContentType>> = {
  'application/json': 'application/json',
  'application/yaml': 'application/yaml',
  [PROTOBUF]: PROTOBUF,
  'application/*': 'application/json',
  '*/*': 'application/json',
};

const TRANSFORMS: Readonly<Record<string, Representation>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata-list',
};

const PRODUCED = `application/json, application/yaml, ${PROTOBUF}`;

/**
 * Returns the NotAcceptable error. As on a real server, an unknown media type and a representation that cannot be produced have different
 * messages, except for custom kinds.
 */
function notAcceptable(isUnknown: boolean, isCustom: boolean): ApiError {
  return isUnknown && !isCustom
    ? new ApiError('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${PRODUCED}`, { details: {} })
    : new ApiError('NotAcceptable', `only the following media types are accepted: ${PRODUCED}`);
}

/** The result of the negotiation for the most common `Accept` headers. */
const JSON_OBJECT: Accepted = { contentType: 'application/json', as: 'object', asVersion: 'v1' };

/**
 * Returns the format that the client prefers among those that the server can produce. Throws NotAcceptable if the server can produce none
 * of the formats.
 */
export function negotiate(accept: string | undefined, isCustom = false): Accepted {
  if (accept === 'application/json' || isAnything(accept)) return JSON_OBJECT;
  const ranges = rangesOf(accept);
  for (const range of ranges) {
    const accepted = acceptedBy(range, isCustom);
    if (accepted) return accepted;
  }
  throw notAcceptable(!ranges.some(({ type }) => contentTypeOf(type)), isCustom);
}

/**
 * Returns the content type for a response that is not an object of the requested resource: failures, discovery, scales. It is JSON if the
 * client accepts none of the supported types.
 */
export function negotiatePlain(accept: string | undefined): ContentType {
  if (isAnything(accept)) return 'application/json';
  for (const { type, parameters } of rangesOf(accept)) {
    const contentType = parameters['as'] === undefined ? contentTypeOf(type) : undefined;
    if (contentType) return contentType;
  }
  return 'application/json';
}

function isAnything(accept: string | undefined): accept is undefined {
  return accept === undefined || accept.trim() === '';
}

/** Returns the media ranges, with the preferred one first. */
function rangesOf(accept: string): MediaRange[] {
  return accept
    .split(',')
    .map(parseRange)
    .sort((a, b) => b.quality - a.quality);
}

function contentTypeOf(type: string): ContentType | undefined {
  return Object.hasOwn(CONTENT_TYPES, type) ? CONTENT_TYPES[type] : undefined;
}

function acceptedBy({ type, parameters }: MediaRange, isCustom: boolean): Accepted | undefined {
  const contentType = contentTypeOf(type);
  if (!contentType || (parameters['stream'] !== undefined && parameters['stream'] !== 'watch')) return undefined;
  const isBinary = contentType === PROTOBUF;
  const { as, g: group = 'meta.k8s.io', v: version = 'v1' } = parameters;
  if (as === undefined) return isBinary && isCustom ? undefined : { contentType, as: 'object', asVersion: 'v1' };
  const transform = Object.hasOwn(TRANSFORMS, as) ? TRANSFORMS[as] : undefined;
  if (!transform || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  // Table cells can have any type, which protobuf cannot express.
  return isBinary && transform === 'table' ? undefined : { contentType, as: transform, asVersion: version };
}

/**
 * Parses one range of an `Accept` header. Discovery also uses this function, because clients request aggregated discovery in the same way.
 */
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
