/**
 * Returns the number of columns that a text takes. A wide character takes two. The result is exact for ASCII, and an approximation that is
 * good enough for names and versions otherwise.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(char) ? 2 : 1;
  return width;
}
