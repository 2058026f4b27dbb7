/** Returns a time in milliseconds since the epoch; NaN if the text is not a time. */
export function timeOf(text: string | undefined): number {
  return Date.parse(text ?? '');
}
