import { ApiError, type ApiRequest } from '@outrigger/core';

/** Reads query parameters as the API server does: it uses the first value, and treats an empty value as absent. */
export class Query {
  readonly #values: NonNullable<ApiRequest['query']>;

  constructor(values: ApiRequest['query']) {
    this.#values = values ?? {};
  }

  text(name: string): string | undefined {
    const value = this.all(name)[0];
    return value === '' ? undefined : value;
  }

  all(name: string): readonly string[] {
    if (!Object.hasOwn(this.#values, name)) return [];
    const value = this.#values[name];
    if (value === undefined) return [];
    return typeof value === 'string' ? [value] : value;
  }

  has(name: string): boolean {
    return this.all(name).length > 0;
  }

  /** Parses a flag: `?watch`, `?watch=1` and `?watch=true` are true; `0` and `false` are false. */
  flag(name: string): boolean {
    const value = this.all(name)[0];
    return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!/^[+-]?\d+$/.test(value) || !Number.isSafeInteger(number)) {
      throw new ApiError('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
    }
    return number;
  }
}
