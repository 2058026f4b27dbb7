const MOST = 1_000;
/** The cache is cleared when the compiled texts are longer than this in total. */
const MAX_LENGTH = 1_000_000;

/** Caches the results for recent texts, so that an expression is compiled once, not on every change of an object. */
export function memoized<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  let length = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (known.size >= MOST || length > MAX_LENGTH) {
      known.clear();
      length = 0;
    }
    length += text.length;
    known.set(text, made);
    return made;
  };
}
