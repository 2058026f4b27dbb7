import { ApiError, type ApiRequest, type ApiResponse } from '@outrigger/core';
import { parseRange } from '../request/negotiate.js';
import { Query } from '../request/query.js';
import type { OpenApiDocuments, Published } from './documents.js';

const JSON_TYPE = 'application/json';
const GNOSTIC = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The media type that some clients request. It contains an `@`, which is invalid in a media type, so responses use GNOSTIC instead. */
const ASKED_GNOSTIC = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

type Headers = Readonly<Record<string, string>>;
const REVALIDATE: Headers = { 'cache-control': 'no-cache, private' };
/** The headers for URLs that contain the hash of their content. */
const FOREVER: Headers = { 'cache-control': 'public, immutable, max-age=31536000' };

/** Handles requests below `/openapi`. Resolves with undefined for unknown paths. */
export async function answerOpenApi(documents: OpenApiDocuments, request: ApiRequest): Promise<ApiResponse | undefined> {
  // The split keeps empty path segments, so that `/openapi/v3/` is an unknown path, as on a real API server.
  const [version, ...path] = request.path.split('/').slice(2);
  if (version === 'v2' && path.length === 0) return answerV2(documents, request);
  if (version !== 'v3') return undefined;
  return path.length === 0 ? answerIndex(documents) : answerV3(documents, path, request);
}

async function answerV2(documents: OpenApiDocuments, request: ApiRequest): Promise<ApiResponse> {
  const type = accepted(request, { [JSON_TYPE]: JSON_TYPE, [GNOSTIC]: GNOSTIC, [ASKED_GNOSTIC]: GNOSTIC });
  const document = await documents.v2();
  return send(request, document, type, REVALIDATE, () => (type === GNOSTIC ? document.protobuf() : document.json));
}

/**
 * Lists the paths of the documents of all group versions. A path changes with the document's content, so that clients can cache the
 * document.
 */
async function answerIndex(documents: OpenApiDocuments): Promise<ApiResponse> {
  const index = await documents.v3Index();
  const paths = [...index].map(([path, { hash }]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...REVALIDATE }, body: { paths: Object.fromEntries(paths) as object } };
}

async function answerV3(documents: OpenApiDocuments, path: readonly string[], request: ApiRequest): Promise<ApiResponse | undefined> {
  const [root, second = '', third = ''] = path;
  if (path.length !== (root === 'api' ? 2 : 3)) return undefined;
  const document = await (root === 'api' ? documents.v3('', second) : documents.v3(second, third));
  if (!document) return undefined;
  const type = accepted(request, { [JSON_TYPE]: JSON_TYPE });
  const asked = new Query(request.query).text('hash');
  if (asked !== undefined && asked !== document.hash) {
    const location = `/openapi/v3/${path.join('/')}?hash=${document.hash}`;
    return { status: 301, headers: { ...REVALIDATE, etag: `"${document.hash}"`, location } };
  }
  return send(request, document, type, asked === undefined ? REVALIDATE : FOREVER, () => document.json);
}

function send(request: ApiRequest, { hash }: Published, type: string, caching: Headers, body: () => Uint8Array): ApiResponse {
  const etag = `"${hash}"`;
  const headers = { ...caching, etag, vary: 'Accept' };
  const known = (request.headers?.['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag)) return { status: 304, headers };
  return { status: 200, headers: { ...headers, 'content-type': type }, body: body() };
}

/** Returns the first type that the client accepts, in order of preference; JSON for clients that accept any type. */
function accepted({ headers }: ApiRequest, types: Readonly<Record<string, string>>): string {
  const ranges = (headers?.['accept'] || '*/*').split(',').map(parseRange);
  for (const { type } of ranges.sort((a, b) => b.quality - a.quality)) {
    if (type === '*/*' || type === 'application/*') return JSON_TYPE;
    const found = Object.hasOwn(types, type) ? types[type] : undefined;
    if (found !== undefined) return found;
  }
  throw new ApiError('NotAcceptable', `only the following media types are accepted: ${[...new Set(Object.values(types))].join(', ')}`);
}
