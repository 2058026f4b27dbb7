import { CostPool } from '../cost.js';
import { describe, expect, it } from 'vitest';
import { compileExpression } from './index.js';

const run = (source: string): unknown => compileExpression(source, { variables: {} }).evaluate({}, new CostPool(1_000_000));

describe('functions of the Kubernetes libraries', () => {
  it.each([
    // lists and sets
    '[1, 2, 2, 3].isSorted() && !["b", "a"].isSorted() && [].isSorted()',
    '[1, 3].sum() == 4 && [1.5, 2.0].sum() == 3.5 && [].sum() == 0',
    '[duration("1m"), duration("1s")].sum() == duration("61s")',
    '[2, 1, 3].min() == 1 && ["a", "c", "b"].max() == "c"',
    '[1, 2, 2].indexOf(2) == 1 && ["a", "b", "b"].lastIndexOf("b") == 2 && [1].indexOf(9) == -1',
    '[1, 2].reverse() == [2, 1]',
    'sets.contains([1, 2, 3], [3, 1]) && !sets.contains([1], [1, 2])',
    'sets.equivalent([1, 1, 2], [2, 1]) && sets.intersects([1], [1, 2]) && !sets.intersects([1], [])',
    // regular expressions
    '"abc 123 def 45".find("[0-9]+") == "123" && "abc".find("[0-9]") == ""',
    '"123 abc 456".findAll("[0-9]+") == ["123", "456"] && "1 2 3".findAll("[0-9]", 2) == ["1", "2"]',
    '"foobar".matches("^foo(bar)?$") && "aaa".matches("(?i)^A+$")',
    // quantities
    'isQuantity("1.5Gi") && !isQuantity("1.5Xi")',
    'quantity("1Gi").isGreaterThan(quantity("1G")) && quantity("100m").isLessThan(quantity("1"))',
    'quantity("50k").add(quantity("20k")) == quantity("70k") && quantity("50k").sub(20000) == quantity("30k")',
    'quantity("1500m").isInteger() == false && quantity("2k").asInteger() == 2000 && quantity("1500m").asApproximateFloat() == 1.5',
    'sign(quantity("-1")) == -1 && quantity("1000Mi").compareTo(quantity("1000Mi")) == 0',
    // URLs
    'isURL("https://user:pass@example.com:80/path?query=val#fragment") && isURL("/absolute-path") && !isURL("../relative") && !isURL("https://a:b:c/")',
    'url("https://example.com:8443/a b?k=v&k=w&x").getPort() == "8443"',
    'url("https://[::1]:80/").getHost() == "[::1]:80" && url("https://[::1]:80/").getHostname() == "::1"',
    'url("https://example.com/path with spaces/").getEscapedPath() == "/path%20with%20spaces/"',
    'url("https://example.com/?k=v&k=w%20x").getQuery() == {"k": ["v", "w x"]} && url("/path").getScheme() == ""',
    // addresses
    'isIP("127.0.0.1") && isIP("::1") && !isIP("127.0.0.256") && !isIP("::ffff:1.2.3.4") && !isIP("fe80::1%eth0") && !isIP("01.2.3.4")',
    'ip("192.168.0.1").family() == 4 && ip("2001:db8::abcd").family() == 6',
    'ip.isCanonical("2001:db8::abcd") && !ip.isCanonical("2001:DB8::0:abcd")',
    'ip("127.0.0.1").isLoopback() && ip("::").isUnspecified() && ip("169.254.1.1").isLinkLocalUnicast() && ip("ff02::1").isLinkLocalMulticast()',
    'ip("192.168.0.1").isGlobalUnicast() && !ip("255.255.255.255").isGlobalUnicast() && string(ip("2001:0db8::1")) == "2001:db8::1"',
    'cidr("192.168.0.0/16").containsIP("192.168.10.1") && !cidr("192.168.0.0/24").containsIP(ip("192.168.1.1"))',
    'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && !cidr("10.1.0.0/16").containsCIDR(cidr("10.0.0.0/8"))',
    'cidr("192.168.1.5/24").masked() == cidr("192.168.1.0/24") && cidr("::/0").prefixLength() == 0 && cidr("10.0.0.1/8").ip() == ip("10.0.0.1")',
    'isCIDR("::1/128") && !isCIDR("10.0.0.0/33") && !isCIDR("10.0.0.0")',
    // versions
    'isSemver("1.2.3-rc.1+b") && !isSemver("v1.2") && isSemver("v01.2", true)',
    'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-a").compareTo(semver("1.0.0")) == -1',
    'semver("v1.2", true).minor() == 2 && semver("3.4.5").major() == 3 && semver("3.4.5").patch() == 5',
    // formats
    '!format.dns1123Label().validate("my-name").hasValue()',
    'format.dns1123Label().validate("A").value()[0].startsWith("a lowercase RFC 1123 label")',
    'format.named("uuid").value().validate("x").hasValue() && !format.named("none").hasValue()',
    '!format.dns1123LabelPrefix().validate("abc-").hasValue() && format.date().validate("2021-02-30").hasValue()',
    // strings
    '"tacocat".charAt(3) == "o" && "日本語".charAt(1) == "本" && "日本語".size() == 3',
    '"a,b,c".split(",") == ["a", "b", "c"] && ["x", "y"].join("-") == "x-y" && "hello hello".replace("he", "we", 1) == "wello hello"',
    '"%s has %d of %.2f%% (%x)".format(["a", 3, 12.345, 255]) == "a has 3 of 12.35% (ff)"',
    '"TacoCat".lowerAscii() == "tacocat" && "ÀB".lowerAscii() == "Àb" && "  x ".trim() == "x" && "tacocat".substring(0, 4) == "taco"',
    'strings.quote("a\\n\\"b\\"") == "\\"a\\\\n\\\\\\"b\\\\\\"\\""',
    // optionals
    '{"a": 1}.?b.orValue(7) == 7 && {"a": 1}.?a.value() == 1 && [1][?5].hasValue() == false',
    'optional.of(1).or(optional.of(2)).value() == 1 && optional.none().or(optional.of(2)).value() == 2',
    'optional.of(2).optMap(x, x * 2).value() == 4 && !optional.none().optMap(x, x).hasValue()',
    'optional.ofNonZeroValue("").hasValue() == false && {"a": {"b": 1}}.?a.b.value() == 1',
    // Expressions with two-variable comprehensions and `cel.bind`.
    '[10, 20].all(i, v, v == (i + 1) * 10) && {"a": 1}.exists(k, v, k == "a" && v == 1)',
    '[3, 4].transformList(i, v, i + v) == [3, 5] && {"a": 1}.transformMap(k, v, v + 1) == {"a": 2}',
    'cel.bind(x, 5, x * x) == 25',
    // time
    'timestamp("2023-01-02T03:04:05.678Z").getHours("+02:00") == 5 && timestamp("2023-07-01T00:00:00Z").getHours("Europe/Berlin") == 2',
    'duration("1h30m").getMinutes() == 90 && string(timestamp(0)) == "1970-01-01T00:00:00Z"',
    'timestamp("2024-02-29T00:00:00Z") - timestamp("2024-02-28T00:00:00Z") == duration("24h")',
  ])('%s', (source) => expect(run(source)).toBe(true));

  it.each([
    ['quantity("x")', 'quantities must match'],
    ['ip("x")', 'parse error'],
    ['cidr("x")', 'parse error'],
    ['url("x")', 'URL parse error'],
    ['semver("1")', 'is no semantic version'],
    ['[].min()', 'min called on empty list'],
    ['optional.none().value()', 'optional.none() dereference'],
    ['"a".charAt(5)', 'index out of range'],
    ['"%d".format(["x"])', 'does not fit the clause'],
    ['"%s".format([])', 'out of range'],
    ['"a".find("(" + "")', 'invalid regular expression'],
    ['timestamp("2021-02-30T00:00:00Z")', 'out of range'],
    ['timestamp("2021-02-03T00:00:00Z").getHours("Mars/Base")', 'unknown time zone'],
    ['[1, "a"].isSorted()', 'no such overload'],
  ])('%s fails with its reason', (source, message) => expect(() => run(source)).toThrow(message));
});
