import { describe, expect, it } from 'vitest';
import { errorOf, RefusedError } from './request.js';

describe('errorOf', () => {
  it.each([
    [503, '{"code":"not-ready","message":"the console is still reading the fleet"}', 'not-ready'],
    [404, '{"code":"not-found","message":"there is no such view"}', 'not-found'],
    [401, '<html>Sign in at the proxy</html>', 'unauthorized'],
    [500, '', 'failed'],
    [502, '<html>Bad Gateway</html>', 'failed'],
    [503, 'no healthy upstream', 'failed'],
    [504, '', 'failed'],
    [413, 'null', 'failed'],
    [413, '{"code":7}', 'failed'],
  ])('reads status %s with the body %j as the error %s', (status, body, code) => {
    const error = errorOf(status, body);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code });
  });
});
