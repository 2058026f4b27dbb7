/** Returns a number with its noun, for messages: `1 cluster`, `3 clusters`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
