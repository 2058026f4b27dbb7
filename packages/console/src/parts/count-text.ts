/** Returns a number with its noun, as people read it: `1 cluster`, `3,000 clusters`. */
export function countText(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
}
