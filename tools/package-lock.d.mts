export function lockFor(lock: object, manifest: object): object;
