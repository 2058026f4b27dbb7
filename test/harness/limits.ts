/**
 * The time that a test or hook may take. It only guards against a hang. It is longer than all waits of a test together, because each wait has a
 * limit of its own, whose error names the condition. Tests set no other limit: on a machine with other work a test that passes may take ten
 * times as long as on a quiet one. If a limit ends a test, its remaining steps go on beside the next tests of the file and make them fail too.
 */
export const HANG_LIMIT_MS = 600_000;

/** The time that a poll of vitest (`expect.poll`) waits for its condition. The default of vitest is one second, less than some handshakes on a busy machine. */
export const POLL_LIMIT_MS = 55_000;
