import { describe, expect, it } from 'vitest';
import { addressRefusal } from './addresses.js';
import { httpsTransport } from './https-transport.js';

const refused = addressRefusal([]);

describe('addresses a webhook may not have', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['loopback', '0:0:0:0:0:0:0:1'],
    ['loopback, mapped', '::ffff:127.0.0.1'],
    ['loopback, mapped in hex', '::ffff:7f00:1'],
    ['loopback, translated', '::ffff:0:127.0.0.1'],
    ['loopback, compatible', '::127.0.0.1'],
    ['loopback, NAT64', '64:ff9b::7f00:1'],
    ['loopback, 6to4', '2002:7f00:1::'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '::'],
    ['link-local', '169.254.169.254'],
    ['link-local, mapped', '::ffff:a9fe:a9fe'],
    ['link-local', 'fe80::1'],
    ['metadata', 'fd00:ec2::254'],
    ['metadata', '100.100.100.200'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
  ])('%s: %s', (_what, address) => expect(refused(address)).toContain('not allowed'));

  it.each(['10.0.0.1', '192.168.1.1', '8.8.8.8', '2001:db8::1', 'fd00::1', '64:ff9b::a00:1'])('%s is allowed', (address) =>
    expect(refused(address)).toBeUndefined(),
  );

  it('an allowance opens its range and no other, also for mapped addresses', () => {
    const allowing = addressRefusal(['127.0.0.0/8', '::1']);
    expect([allowing('127.0.0.1'), allowing('::ffff:127.0.0.1'), allowing('::1')]).toEqual([undefined, undefined, undefined]);
    expect(allowing('169.254.169.254')).toContain('link-local');
  });

  it.each(['localhost', '127.0.0.1/33', '::1/x', ''])('refuses the allowance %j', (range) =>
    expect(() => addressRefusal([range])).toThrow('no range'),
  );
});

describe('calls over HTTPS', () => {
  const transport = httpsTransport(addressRefusal([]));
  const call = (url: string, address?: { host: string; port: number }) =>
    transport({ url, body: {}, ...(address ? { address } : {}) }, AbortSignal.timeout(5000));

  it.each([
    'https://127.0.0.1:1/x',
    'https://[::1]:1/x',
    'https://[::ffff:127.0.0.1]:1/x',
    'https://2130706433:1/x',
    'https://0x7f.1:1/x',
    'https://127.1:1/x',
    'https://localhost:1/x',
    'https://169.254.169.254/latest',
  ])('%s is never connected to', async (url) => {
    await expect(call(url)).rejects.toThrow(/are not allowed on this server/);
  });

  it('an endpoint of a Service is judged like a URL', async () => {
    await expect(call('https://a.b.svc:443/x', { host: '127.0.0.1', port: 1 })).rejects.toThrow('not allowed');
    await expect(call('https://a.b.svc:443/x', { host: 'localhost', port: 1 })).rejects.toThrow('not allowed');
  });

  it('an allowed address is connected to', async () => {
    const allowing = httpsTransport(addressRefusal(['127.0.0.0/8', '::1/128']));
    await expect(allowing({ url: 'https://127.0.0.1:1/x', body: {} }, AbortSignal.timeout(5000))).rejects.toThrow('connection refused');
    await expect(allowing({ url: 'https://localhost:1/x', body: {} }, AbortSignal.timeout(5000))).rejects.toThrow('connection refused');
  });
});
