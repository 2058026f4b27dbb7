/**
 * Shortens a text to at most `max` UTF-16 units, the last of which is `…`. Keeps surrogate pairs whole: an API server stores half a pair as
 * another character, so a writer that compares the stored text with its own would write again and again.
 */
export function clipText(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 2);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHighSurrogate ? max - 2 : max - 1)}…`;
}
