/** The start of the synthetic fleet's rollouts. */
export const AT: string = '2026-11-16T03:00:00Z';
const AT_DAY = 16;

/** The time that is `seconds` after the start. */
export function later(seconds: number): string {
  const total = 3 * 3_600 + seconds;
  const day = AT_DAY + Math.floor(total / 86_400);
  const rest = total - (day - AT_DAY) * 86_400;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `2026-11-${two(day)}T${two(rest / 3_600)}:${two((rest % 3_600) / 60)}:${two(rest % 60)}Z`;
}
