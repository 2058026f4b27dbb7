/** Compares two texts by UTF-16 units, as `<` does. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
