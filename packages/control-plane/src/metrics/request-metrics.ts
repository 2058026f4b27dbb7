import type { Family, Labels, Sample } from './exposition.js';

/** The upper bounds of the buckets in seconds, as on a real server. */
const BUCKETS: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** Requests with the same labels. Only their response codes may differ. */
interface Series {
  readonly labels: Labels;
  readonly codes: Map<number, number>;
  /** The number of requests in each bucket. A request that took longer than the last bound is in no bucket. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** The labels of a request, as in a real server's metrics. */
export interface RequestKind {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
  readonly isDryRun: boolean;
}

/** Counts requests. Counting a request costs a lookup and a few additions; all other values are computed during a scrape. */
export class RequestMetrics {
  readonly #series = new Map<string, Series>();
  readonly #inFlight = { readOnly: 0, mutating: 0 };

  begin(isMutating: boolean): void {
    this.#inFlight[isMutating ? 'mutating' : 'readOnly']++;
  }

  /** Counts a request that has ended. `seconds` is undefined for requests without a bounded duration, such as watches. */
  end(isMutating: boolean, kind: RequestKind, code: number, seconds: number | undefined): void {
    this.#inFlight[isMutating ? 'mutating' : 'readOnly']--;
    const series = this.#seriesOf(kind);
    series.codes.set(code, (series.codes.get(code) ?? 0) + 1);
    if (seconds === undefined) return;
    series.sum += seconds;
    series.count++;
    const bucket = BUCKETS.findIndex((limit) => seconds <= limit);
    if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  families(): Family[] {
    const all = [...this.#series.values()];
    return [
      {
        name: 'apiserver_request_total',
        type: 'counter',
        help: 'Requests by what they were about and the code of the answer.',
        samples: all.flatMap(({ labels, codes }) =>
          [...codes].map(([code, value]) => ({ labels: { code: String(code), ...labels }, value })),
        ),
      },
      {
        name: 'apiserver_request_duration_seconds',
        type: 'histogram',
        help: 'How long requests took, in seconds. Watches are not in it.',
        samples: all.filter(({ count }) => count > 0).flatMap(histogram),
      },
      {
        name: 'apiserver_current_inflight_requests',
        type: 'gauge',
        help: 'Requests that are being answered.',
        samples: Object.entries(this.#inFlight).map(([kind, value]) => ({ labels: { request_kind: kind }, value })),
      },
    ];
  }

  #seriesOf({ verb, group, version, resource, subresource, scope, isDryRun }: RequestKind): Series {
    const key = `${verb}/${group}/${version}/${resource}/${subresource}/${scope}/${isDryRun}`;
    const known = this.#series.get(key);
    if (known) return known;
    const dry_run = isDryRun ? 'All' : '';
    const labels = { component: scope === '' ? '' : 'apiserver', dry_run, group, resource, scope, subresource, verb, version };
    const series = { labels, codes: new Map<number, number>(), buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
    this.#series.set(key, series);
    return series;
  }
}

function histogram({ labels, buckets, sum, count }: Series): Sample[] {
  let below = 0;
  const upTo = BUCKETS.map((limit, i) => {
    below += buckets[i] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(limit) }, value: below };
  });
  return [
    ...upTo,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
