import { validateDns1123Subdomain } from '@outrigger/core';
import { fieldError, type FieldError } from '@outrigger/core/schema';
import { fieldsOf, isFields, type Fields } from '../draft.js';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const MAX_PORT = 65_535;

/** Validates a webhook's client configuration. */
export function validateClientConfig(config: Fields, path: string): FieldError[] {
  const hasService = isFields(config['service']);
  if ((typeof config['url'] === 'string') === hasService) return [fieldError.required(path, 'exactly one of url or service is required')];
  return hasService ? validateService(fieldsOf(config, 'service'), `${path}.service`) : validateUrl(String(config['url']), `${path}.url`);
}

function validateUrl(text: string, path: string): FieldError[] {
  const format = 'desired format: https://host[/path]';
  // JavaScript's URL parser drops or replaces control characters, white space and backslashes, but Go's parser rejects them.
  const wrong = /[\x00-\x1f\x7f]/.test(text)
    ? 'net/url: invalid control character in URL'
    : /[\s\\]/.test(text)
      ? 'invalid character in host name'
      : '';
  if (wrong !== '') return [fieldError.required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${wrong}; ${format}`)];
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [fieldError.required(path, `url must be a valid URL: parse ${JSON.stringify(text)}; ${format}`)];
  }
  const scheme = url.protocol.replace(/:$/, '');
  const credentials = url.password === '' ? url.username : `${url.username}:${url.password}`;
  return [
    ...(scheme === 'https' ? [] : [fieldError.invalid(path, scheme, `'https' is the only allowed URL scheme; ${format}`)]),
    ...(url.host === '' ? [fieldError.invalid(path, url.host, `host must be specified; ${format}`)] : []),
    ...(credentials === '' ? [] : [fieldError.invalid(path, credentials, 'user information is not permitted in the URL')]),
    ...(url.hash === '' ? [] : [fieldError.invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(url.search === '' ? [] : [fieldError.invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL')]),
  ];
}

function validateService(service: Fields, path: string): FieldError[] {
  const { port, path: urlPath } = service;
  const isPort = typeof port === 'number' && port >= 1 && port <= MAX_PORT;
  return [
    ...(service['name'] ? [] : [fieldError.required(`${path}.name`)]),
    ...(service['namespace'] ? [] : [fieldError.required(`${path}.namespace`)]),
    ...(port === undefined || isPort
      ? []
      : [fieldError.invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...(typeof urlPath === 'string' && urlPath !== '' && urlPath !== '/' ? validatePath(urlPath, `${path}.path`) : []),
  ];
}

function validatePath(urlPath: string, path: string): FieldError[] {
  const invalid = (why: string): FieldError => fieldError.invalid(path, urlPath, why);
  const segments = urlPath.slice(1).split('/');
  if (segments.at(-1) === '') segments.pop();
  return [
    ...(urlPath.startsWith('/') ? [] : [invalid("must start with a '/'")]),
    ...segments.flatMap((segment, i) =>
      segment === ''
        ? [invalid(`segment[${i}] may not be empty`)]
        : validateDns1123Subdomain(segment).map((failure) => invalid(`segment[${i}]: ${failure}`)),
    ),
  ];
}

/** Validates the review versions that a webhook accepts. `missing` is the message if the list is empty. */
export function validateReviewVersions(versions: unknown, path: string, missing = ''): FieldError[] {
  const list = Array.isArray(versions) ? (versions as readonly unknown[]) : [];
  if (list.length === 0) return [fieldError.required(path, missing)];
  if (list.some((version) => REVIEW_VERSIONS.includes(String(version)))) return [];
  return [fieldError.invalid(path, list, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
