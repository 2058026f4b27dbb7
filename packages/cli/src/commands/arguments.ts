import { InvalidArgumentError } from 'commander';

/** Reads an option that must be a whole number in a range. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`want a whole number ${range}.`);
  };
}

/** Reads an option that must be an https address without a path. */
export function httpsUrl(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, origin, href } = new URL(text);
    if (protocol === 'https:' && href === `${origin}/`) return origin;
  }
  throw new InvalidArgumentError('want https://host:port, without a path.');
}

/** Collects an option given several times, each possibly with commas. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').filter((part) => part !== '')];
}
