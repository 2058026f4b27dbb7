/**
 * Returns the approximate size of a value as JSON, in bytes. Stops counting above `limit`, because a value that contains one large part
 * many times is small in memory but may be too large to serialize.
 */
export function jsonSize(value: unknown, limit: number): number {
  let size = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && size <= limit) {
    const next = pending.pop();
    if (typeof next === 'string') size += 2 + byteLength(next);
    else if (Array.isArray(next)) {
      size += 2 + next.length;
      for (const item of next) pending.push(item);
    } else if (typeof next === 'object' && next !== null) {
      for (const key of Object.keys(next)) {
        size += 4 + key.length;
        pending.push((next as Record<string, unknown>)[key]);
      }
      size += 2;
    } else size += 5;
  }
  return size;
}

/** Returns the length in UTF-8. Only long strings are counted exactly, because short ones do not affect a limit. */
function byteLength(text: string): number {
  if (text.length < 1000 || !/[^\x00-\x7f]/.test(text)) return text.length;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate is half of a four-byte character.
    if (unit > 0x7f) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
