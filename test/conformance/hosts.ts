import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { Subject } from './subject.js';

/**
 * Tests the Host header of HTTP/1 requests. The server rejects a request that names two hosts, because two proxies may route such a request
 * differently.
 */
export function hosts(subject: Subject): void {
  describe('the Host header', () => {
    const ask = (version: string, lines: string, target = '/version'): Promise<string> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(subject.server.url);
        const { caPem: ca, adminCertPem: cert, adminKeyPem: key } = subject.server;
        const socket = connect({ host: hostname, port: Number(port), ca, cert, key }, () =>
          socket.write(`GET ${target} HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`),
        );
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
      });
    it.each([
      ['1.1', '', 400, '400 Bad Request: missing required Host header'],
      ['1.0', '', 200, '"major"'],
      ['1.1', 'Host: a\r\nHost: b\r\n', 400, '400 Bad Request'],
      ['1.0', 'Host: a\r\nHost: b\r\n', 400, '400 Bad Request'],
      ['1.1', 'Host: a\r\nhost: a\r\n', 400, '400 Bad Request'],
      ['1.1', 'Host:\r\n', 200, '"major"'],
      ['1.1', 'Host: a b\r\n', 400, '400 Bad Request: malformed Host header'],
      ['1.1', 'Host: a/b\r\n', 400, '400 Bad Request: malformed Host header'],
      ['1.1', 'Host: user@b\r\n', 400, '400 Bad Request: malformed Host header'],
      ['1.1', 'Host: a"b\r\n', 400, '400 Bad Request: malformed Host header'],
      ['1.1', 'Host: a.example.com:6443\r\n', 200, '"major"'],
      ['1.1', 'Host: [::1]:6443\r\n', 200, '"major"'],
    ])('HTTP/%s with %j: %i', async (version, lines, status, words) => {
      const text = await ask(version, lines);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.[01] ${status} `));
      expect(text).toContain(words);
    });
    it.each([
      ['http://other.example.com/version', 200, '"major"'],
      ['HTTPS://other.example.com:6443/version?x=http://a/', 200, '"major"'],
      ['https://other.example.com/nowhere', 404, 'page not found'],
      ['version', 400, ''],
    ])('a request for the absolute address %s: %i', async (target, status, words) => {
      const text = await ask('1.1', 'Host: a\r\n', target);
      expect(text).toMatch(new RegExp(`^HTTP/1\\.[01] ${status} `));
      expect(text).toContain(words);
    });
  });
}
