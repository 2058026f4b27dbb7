import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { it } from 'vitest';
import { compileExpression, CelCompileError } from './cel/index.js';
it('cel', () => {
  const { e } = fc.letrec((tie) => ({
    e: fc.oneof({ depthSize: 'small', withCrossShrink: false }, 
      fc.constantFrom('1', '0', '-3', '2.5', '"a"', '"héé"', 'true', 'false', 'null', '[1, 2]', '["b", "a"]', '[]', '{"k": 1}', '{}', '5u', 'b"ab"', 'duration("90s")', 'timestamp("2024-02-29T12:30:45.5Z")', '9223372036854775807', 'dyn(1)', 'dyn("x")', 'quantity("1Gi")', 'ip("::1")', 'cidr("10.0.0.0/8")', 'semver("1.2.3")', 'optional.of(1)'),
      fc.tuple(tie('e'), fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'in', '&&', '||'), tie('e')).map(([a, o, b]) => `(${a} ${o} ${b})`),
      fc.tuple(fc.constantFrom('size', 'string', 'int', 'double', 'uint', 'type', 'bool', 'dyn', 'bytes', '!', '-', 'isIP', 'isQuantity', 'isURL', 'isSemver'), tie('e')).map(([f, a]) => `${f}(${a})`),
      fc.tuple(tie('e'), fc.constantFrom('.size()', '.sum()', '.min()', '.max()', '.isSorted()', '.trim()', '.upperAscii()', '.getHours()', '.getSeconds()', '.getDayOfWeek()', '.reverse()', '.hasValue()', '.value()', '.k', '.?k', '[0]', '["k"]', '[?0]', '.split("a")', '.join("-")', '.find("[a-z]")', '.contains("a")', '.indexOf(1)', '.charAt(0)', '.substring(1)', '.all(x, x > 0)', '.exists(x, x == "a")', '.map(x, x + x)', '.filter(x, x != 1)', '.exists_one(x, x == 1)', '.all(i, v, v != i)', '.orValue(3)', '.family()', '.masked()', '.major()', '.isInteger()')).map((x) => x.join('')),
      fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(tie('e'), tie('e')).map(([a, b]) => `[${a}, ${b}]`),
    ),
  }));
  const texts = fc.sample(e as fc.Arbitrary<string>, 30000).filter((t) => t.length < 200);
  const out = execFileSync('/tmp/oracle/cor', { input: texts.map((t) => JSON.stringify(t)).join('\n') + '\n', maxBuffer: 1e9 }).toString().split('\n');
  const counts: Record<string, number> = {};
  const bad: Record<string, string[]> = {};
  texts.forEach((t, i) => {
    let got = 'OK'; let detail = '';
    try { const x = compileExpression(t, { variables: {} }); try { detail = JSON.stringify(x.evaluate({}), (_k, v) => (typeof v === 'bigint' ? String(v) : v)); } catch (err) { got = 'EVAL'; detail = (err as Error).message; } } catch (err) { got = err instanceof CelCompileError ? 'COMPILE' : 'CRASH'; detail = (err as Error).message.split('\n')[0] ?? ''; }
    const want = (out[i] ?? '').split(' ')[0] ?? '';
    counts[`${got}/${want}`] = (counts[`${got}/${want}`] ?? 0) + 1;
    if (got !== want) (bad[`${got}/${want}`] ??= []).push(`${t} => ${detail} | ${out[i]?.slice(0, 150)}`);
    else if (got === 'OK' && (detail === 'true' || detail === 'false') && out[i] !== `OK ${detail}`) (bad['VALUE'] ??= []).push(`${t} => ${detail} | ${out[i]}`);
    else if (got === 'OK' && /^-?\d+$/.test(detail) && out[i] !== `OK ${detail}`) (bad['VALUE'] ??= []).push(`${t} => ${detail} | ${out[i]}`);
  });
  console.log(JSON.stringify(counts));
  for (const [k, v] of Object.entries(bad)) console.log(k, '\n' + v.sort((a, b) => a.length - b.length).slice(0, 12).join('\n'));
});
