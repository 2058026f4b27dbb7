import type { PlanForecast, PlannedEntry, PlannedGate, PlannedRight, PlannedWave } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatExact, formatLength, msOf } from './time.js';
import { countText } from './count-text.js';

/**
 * Shows the plan of `outrigger plan`: the waves, the gates that hold clusters, the expected end, permissions gained and lost, and
 * obstacles.
 */
export function Forecast({ forecast }: { forecast: PlanForecast }): JSX.Element {
  const { entries, rights, inTheWay, durations, notKnown } = forecast;
  return (
    <div class="forecast">
      {inTheWay.map(({ message, clusters }) => (
        <p key={message} class="tone-bad">
          In the way: {message}
          {clusters > 0 && ` (${countText(clusters, 'cluster')})`}
        </p>
      ))}
      {entries.map((entry) => (
        <EntryForecast key={entry.name} entry={entry} from={forecast.from} />
      ))}
      <Rights title="Rights gained" rights={rights.gained} />
      <Rights title="Rights lost" rights={rights.lost} />
      {rights.unknown.map((role) => (
        <p key={role} class="dim small">
          Not known: the rights of {role}
        </p>
      ))}
      <p class="dim small">
        {durations.source === 'default'
          ? 'No moves are recorded yet: a move is assumed to take '
          : `From ${durations.n.toLocaleString()} recorded moves: a move takes `}
        {formatLength(durations.p50 * 1000)}, nine in ten at most {formatLength(durations.p90 * 1000)}. Not known: {notKnown.join('; ')}.
      </p>
    </div>
  );
}

function EntryForecast({ entry, from }: { entry: PlannedEntry; from: string }): JSX.Element {
  const { name, waves, hiddenWaves, gates, end, outcome } = entry;
  const after = (time: string): string => formatLength(Math.max(0, Date.parse(time) - Date.parse(from)));
  const last = hiddenWaves > 0 ? waves.slice(-1) : [];
  const first = waves.slice(0, waves.length - last.length);
  return (
    <section aria-label={`Forecast of ${name}`}>
      <p>
        <b>{name}</b>: {endText(entry, after)}
        {end === undefined && outcome !== undefined && outcome !== 'Completed' && ` (${outcome})`}
      </p>
      <ol class="waves small">
        {first.map((wave) => (
          <Wave key={`${wave.startAt} ${wave.names[0]}`} wave={wave} after={after} />
        ))}
        {hiddenWaves > 0 && <li class="dim">{hiddenWaves.toLocaleString()} more waves</li>}
        {last.map((wave) => (
          <Wave key="last" wave={wave} after={after} />
        ))}
      </ol>
      {gates.map((gate) => (
        <Gate key={`${gate.kind} ${gate.name} ${gate.group ?? ''} ${gate.at}`} gate={gate} after={after} />
      ))}
    </section>
  );
}

function endText({ waves, end }: PlannedEntry, after: (time: string) => string): string {
  if (waves.length === 0) return 'no cluster moves';
  return end === undefined ? 'does not end' : `ends after ${after(end.p50)} (half of the runs) to ${after(end.p90)} (nine in ten)`;
}

function Wave({ wave, after }: { wave: PlannedWave; after: (time: string) => string }): JSX.Element {
  const { group, clusters, names, startAt, endAt, after: gate } = wave;
  const more = clusters > names.length ? ` and ${(clusters - names.length).toLocaleString()} more` : '';
  return (
    <li>
      group {group}: {countText(clusters, 'cluster')} ({names.join(', ')}
      {more}) from {after(startAt)} to {after(endAt)}
      {gate !== undefined && `, ${formatLength(gate.seconds * 1000)} after approval of ${gate.gate}`}
    </li>
  );
}

function Gate({ gate, after }: { gate: PlannedGate; after: (time: string) => string }): JSX.Element {
  const { kind, name, group, at, opensAt, clusters, message } = gate;
  const opens =
    kind === 'Approval' && opensAt === at
      ? 'until it is approved'
      : opensAt === undefined
        ? 'and does not open by itself'
        : `until ${formatExact(msOf(opensAt))}`;
  return (
    <p class="small">
      {kind} <b>{name}</b>
      {group !== undefined && `, group ${group}`}: holds {clusters === 0 ? 'the end' : countText(clusters, 'cluster')} from {after(at)}{' '}
      {opens}
      {message !== undefined && <span class="dim"> ({message})</span>}
    </p>
  );
}

function Rights({ title, rights }: { title: string; rights: readonly PlannedRight[] }): JSX.Element | null {
  if (rights.length === 0) return null;
  return (
    <section aria-label={title}>
      <p>
        <b>{title}</b>
      </p>
      <ul class="small">
        {rights.map((right) => (
          <li key={JSON.stringify(right)}>
            {right.subject} {right.verb} {right.resource}
            {right.resourceName !== undefined && ` ${right.resourceName}`}{' '}
            {right.namespace === '' ? 'in all namespaces' : `in namespace ${right.namespace}`} on the {right.where}
          </li>
        ))}
      </ul>
    </section>
  );
}
