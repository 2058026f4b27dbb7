/** Writes a reason as words: `RolloutHalted` becomes `Rollout halted`. Other texts stay as they are. */
export function reasonWords(reason: string): string {
  if (!/^(?:[A-Z][a-z]+)+$/.test(reason)) return reason;
  return reason.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
