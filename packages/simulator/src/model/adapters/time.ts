/** Milliseconds since the epoch; NaN for a text that is no time. */
export function timeOf(text: string | undefined): number {
  return Date.parse(text ?? '');
}
