import { InvalidArgumentError } from 'commander';

/** Returns a parser for an option that must be a whole number in a range. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`must be a whole number, ${range}.`);
  };
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Returns a parser for a time limit, in seconds. The option is a whole number of seconds, or a duration as kubectl and helm accept it
 * (`90s`, `5m`, `1h30m`).
 */
export function timeLimit(min: number): (text: string) => number {
  return (text) => {
    const parts = [...text.matchAll(/(\d+)([smh])/g)];
    const isDuration = parts.length > 0 && parts.map(([part]) => part).join('') === text;
    const value = isDuration ? parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (SECONDS[unit] ?? 0), 0) : Number(text);
    if ((isDuration || /^\d+$/.test(text)) && value >= min && Number.isSafeInteger(value)) return value;
    throw new InvalidArgumentError(
      `must be a number of seconds, or a duration such as 90s, 5m or 1h30m${min > 0 ? `, at least ${min}s` : ''}.`,
    );
  };
}

/** Checks an option that must be the name of a namespace or of a cluster. */
export function label(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('use at most 63 lower-case letters, digits and -, with a letter or digit first and last.');
}

/** Checks an option that must be an image. It refuses only texts that no container runtime reads, such as two words. */
export function imageReference(text: string): string {
  if (/^[a-z0-9][\w./:@-]*$/i.test(text)) return text;
  throw new InvalidArgumentError('want an image such as registry.example.com/outrigger:0.1.0.');
}

/** Parses an option that must be an https URL without a path. */
export function httpsUrl(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, origin, href } = new URL(text);
    if (protocol === 'https:' && href === `${origin}/`) return origin;
  }
  throw new InvalidArgumentError('want https://host:port, without a path.');
}

/** Checks an option that must be the address of an API server. It may have a path, because some proxies serve several API servers. */
export function serverUrl(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, username, password, search, hash } = new URL(text);
    if (protocol === 'https:' && [username, password, search, hash].every((part) => part === '')) return text;
  }
  throw new InvalidArgumentError('want https://host:port, without credentials and without a query: the join token is sent there.');
}

/**
 * Checks an option that must be a duration in Go's format (`90s`, `1h30m`), and returns its text. Commands convert the text only when they
 * run, so that other commands need not load the conversion code.
 */
export function duration(text: string): string {
  if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return text;
  throw new InvalidArgumentError('want a duration such as 90s, 10m or 1h30m.');
}

/** Collects `key=value` pairs from an option that may be given several times, each time with several pairs separated by commas. */
export function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const entries = text
    .split(',')
    .filter((part) => part !== '')
    .map((part): readonly [string, string] => {
      const equals = part.indexOf('=');
      if (equals < 1) throw new InvalidArgumentError(`want key=value, not ${part}.`);
      return [part.slice(0, equals), part.slice(equals + 1)];
    });
  return { ...before, ...Object.fromEntries(entries) };
}

/** Collects the values of an option that may be given several times, each time with several values separated by commas. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')];
}

/**
 * Collects the values of an option that may be given several times. The values are not split at commas, because user names may contain
 * commas.
 */
export function repeated(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
