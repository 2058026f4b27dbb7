import { encodeFleet } from '@outrigger/console-contract';
import { syntheticFleet } from '@outrigger/console-contract/testing';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../filter/parse.js';
import { cellIndex, fleetOf } from './fleet.js';
import { filterMistake, matchFleet } from './match.js';

const fleet = fleetOf(encodeFleet(syntheticFleet({ clusters: 200, addOns: 14 })));

describe('the name of an add-on in a filter', () => {
  it.each([
    ['addon:metrics', ['metrics']],
    ['addon:metrics-2', ['metrics-2']],
    ['addon:metrics,hello', ['hello', 'metrics']],
    ['addon:metric', ['metrics', 'metrics-2']],
    ['addon:METRICS', ['metrics', 'metrics-2']],
    ['addon:none', []],
  ])('%s shows %j', (filter, names) => {
    expect(matchFleet(fleet, parseFilter(filter)).columns.map((column) => fleet.addons[column]?.name)).toEqual(names);
  });

  it('that is negated leaves out only that add-on', () => {
    expect(matchFleet(fleet, parseFilter('-addon:metrics')).columns).toHaveLength(13);
  });
});

describe('a filter that cannot match is explained', () => {
  it.each([
    ['state:failed,degraded -is:unreachable label:region=eu word', undefined],
    ['addon:none reason:none version:9', undefined],
    ['sate:failed', 'The filter has no key sate. Keys: addon, '],
    ['state:fail', 'The key state has no value fail. Values: absent, available, '],
    ['state:failed,broken', 'The key state has no value broken.'],
    ['-state:broken', 'The key state has no value broken.'],
    ['is:failed', 'The key is has no value failed. Values: available, unreported, '],
  ])('%s', (filter, says) => {
    const mistake = filterMistake(parseFilter(filter));
    if (says === undefined) expect(mistake).toBeUndefined();
    else expect(mistake).toContain(says);
  });
});

describe('the reason of a failure in a filter', () => {
  const renamed = { ...fleet, reasons: fleet.reasons.slice() };
  const rows = matchFleet(fleet, parseFilter('reason:QuotaExceeded')).rows;
  // The first cluster with the reason QuotaExceeded gets the longer reason QuotaExceededTwice instead.
  const [first = 0] = rows;
  for (const column of fleet.addons.keys()) {
    const index = cellIndex(fleet, first, column);
    if (fleet.texts.at(fleet.reasons[index]) === 'QuotaExceeded') renamed.reasons[index] = fleet.texts.indexOf('QuotaExceededTwice');
  }

  it('that is the whole reason of a cell shows only cells with this reason', () => {
    expect(rows.length).toBeGreaterThan(1);
    expect([...matchFleet(renamed, parseFilter('reason:QuotaExceeded')).rows]).toEqual([...rows].slice(1));
  });

  it('that is a part of reasons shows all of them', () => {
    expect([...matchFleet(renamed, parseFilter('reason:quota')).rows]).toEqual([...rows]);
  });
});
