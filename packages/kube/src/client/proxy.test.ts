import { describe, expect, it } from 'vitest';
import { chooseProxy } from './proxy.js';

describe('choosing a proxy', () => {
  const https = { HTTPS_PROXY: 'http://proxy:3128' };
  const cases: { name: string; server: string; configured?: string; env: Record<string, string>; want: string | undefined }[] = [
    { name: 'no proxy without a setting', server: 'https://api', env: {}, want: undefined },
    {
      name: 'the configured one before the environment',
      server: 'https://api',
      configured: 'http://other:1',
      env: https,
      want: 'http://other:1/',
    },
    {
      name: 'the configured one even for this machine',
      server: 'https://127.0.0.1',
      configured: 'http://other:1',
      env: {},
      want: 'http://other:1/',
    },
    { name: 'HTTPS_PROXY for https', server: 'https://api', env: https, want: 'http://proxy:3128/' },
    { name: 'lower case too', server: 'https://api', env: { https_proxy: 'http://proxy:3128' }, want: 'http://proxy:3128/' },
    { name: 'an address without scheme', server: 'https://api', env: { HTTPS_PROXY: 'proxy:3128' }, want: 'http://proxy:3128/' },
    { name: 'HTTPS_PROXY not for http', server: 'http://api', env: https, want: undefined },
    { name: 'HTTP_PROXY for http', server: 'http://api', env: { HTTP_PROXY: 'http://proxy:3128' }, want: 'http://proxy:3128/' },
    { name: 'never for this machine', server: 'https://localhost:6443', env: https, want: undefined },
  ];
  it.each(cases)('$name', ({ server, configured, env, want }) => {
    expect(chooseProxy(new URL(server), configured, env)?.href).toBe(want);
  });

  it.each(['socks5://user:canary@proxy:1080', 'canary proxy'])('refuses %s without repeating it', (configured) => {
    const choose = () => chooseProxy(new URL('https://api'), configured, {});
    expect(choose).toThrow('proxy-url: only proxies over http and https are supported');
    expect(choose).not.toThrow('canary');
  });

  const exempt: { noProxy: string; server: string; isExempt: boolean }[] = [
    { noProxy: '*', server: 'https://api.example.com', isExempt: true },
    { noProxy: 'example.com', server: 'https://api.example.com', isExempt: true },
    { noProxy: 'example.com', server: 'https://example.com', isExempt: true },
    { noProxy: 'example.com', server: 'https://badexample.com', isExempt: false },
    { noProxy: '.example.com', server: 'https://api.example.com', isExempt: true },
    { noProxy: '.example.com', server: 'https://example.com', isExempt: false },
    { noProxy: 'a, EXAMPLE.com ', server: 'https://example.com', isExempt: true },
    { noProxy: 'example.com:6443', server: 'https://example.com:6443', isExempt: true },
    { noProxy: 'example.com:6443', server: 'https://example.com', isExempt: false },
    { noProxy: '10.0.0.0/8', server: 'https://10.200.3.4', isExempt: true },
    { noProxy: '10.0.0.0/8', server: 'https://11.0.0.1', isExempt: false },
    { noProxy: '10.0.0.0/8', server: 'https://ten.example.com', isExempt: false },
    { noProxy: '10.1.2.3', server: 'https://10.1.2.3', isExempt: true },
    { noProxy: '[fd00::1]', server: 'https://[fd00::1]:6443', isExempt: true },
  ];
  it.each(exempt)('NO_PROXY=$noProxy, $server: exempt is $isExempt', ({ noProxy, server, isExempt }) => {
    expect(chooseProxy(new URL(server), undefined, { ...https, NO_PROXY: noProxy }) === undefined).toBe(isExempt);
  });
});
