import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuantity } from './quantity.js';
import { compileJsonPath } from './jsonpath/index.js';
it('quantity', () => {
  const texts = fc.sample(fc.oneof(fc.tuple(fc.constantFrom('', '-', '+'), fc.oneof(fc.nat(5000).map(String), fc.nat().map(String), fc.tuple(fc.nat(2000), fc.nat(99999)).map(([a, b]) => `${a}.${b}`)), fc.constantFrom('', 'n','u','m','k','M','G','T','P','E','Ki','Mi','Gi','Ti','Pi','Ei','e3','E-3','e2','e10','e-12')).map((x) => x.join('')), fc.string({ unit: fc.constantFrom('1','0','.','k','i','e','E','-','m','+'), minLength: 1 })), 20000).filter((t) => !t.includes('\n'));
  const out = execFileSync('/tmp/oracle/qor', { input: texts.join('\n') + '\n', maxBuffer: 1e9 }).toString().split('\n');
  const bad: string[] = [];
  texts.forEach((t, i) => { let got: string; try { got = parseQuantity(t).toString(); } catch (e) { got = 'ERR ' + (e as Error).message; } if (got !== out[i] && !(got.startsWith('ERR') && out[i]?.startsWith('ERR'))) bad.push(`${t}: got ${got} want ${out[i]}`); });
  console.log(bad.length, bad.slice(0, 30));
});
it('jsonpath', () => {
  const data = { a: [1, 2, 3, { b: 'x', c: [1, { d: null }] }], b: { a: 'y', 'x.y': 1, c: true }, 'k-1': 1.5, items: [{ n: 'p', v: 1 }, { n: 'q', v: 2 }] };
  writeFileSync('/tmp/oracle/data.json', JSON.stringify(data));
  const unit = fc.constantFrom('.a', '.b', '.c', '.items', '[*]', '[0]', '[-1]', '[1:]', '[:2]', '[0:3:2]', "['a']", "['x\\.y']", '..', '.*', '[?(@.n=="p")]', '[?(@.v>1)]', '[?(@.v)]', '}{', '{', '}', ' ', 'text', '"q"', '{range ', '{end}', '$', '@', '.k-1', '[0,1]', "['a','b']", '{"\\n"}', '.x\\.y', '.n', '[3].c[1].d');
  const texts = fc.sample(fc.oneof(fc.array(unit, { minLength: 1, maxLength: 5 }).map((u) => `{${u.join('')}}`), fc.array(unit, { minLength: 1, maxLength: 6 }).map((u) => u.join(''))), 5000).filter((t) => t.includes('{'));
  const out = execFileSync('/tmp/oracle/jor', ['/tmp/oracle/data.json'], { input: texts.map((t) => JSON.stringify(t)).join('\n') + '\n', maxBuffer: 1e9 }).toString().split('\n');
  const bad: string[] = [];
  const norm = (s: string | undefined) => (s?.startsWith('ERR') || s === 'PANIC' ? 'ERR' : [...(s ?? '')].sort().join(''));
  texts.forEach((t, i) => { let got: string; try { got = JSON.stringify(compileJsonPath(t).print(data)); } catch (e) { got = 'ERR ' + (e as Error).message; } if (norm(got) !== norm(out[i])) bad.push(`${t}: got ${got} want ${out[i]}`); });
  console.log(bad.length, texts.length, bad.slice(0, 40).join('\n'));
  expect(1).toBe(1);
});
