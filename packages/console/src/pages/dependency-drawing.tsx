import type { DependencyGraph } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { useWidth } from '../parts/use-width.js';
import { columnSizes, nodeText, placeNodes } from './dependency-layout.js';

const HEIGHT = 30;
const GAP_Y = 12;
const CHARACTER = 7.4;

/** Draws the dependencies of this add-on to its left, and its dependents to its right. Optional dependencies are dashed. */
export function DependencyDrawing({ graph, middle }: { graph: DependencyGraph; middle: string }): JSX.Element {
  const [box, available] = useWidth<HTMLDivElement>();
  if (graph.edges.length === 0) return <p class="dim">It needs no other add-on, and no other needs it.</p>;
  const nodes = placeNodes(graph, middle);
  const first = Math.min(...nodes.map(({ column }) => column));
  const last = Math.max(...nodes.map(({ column }) => column));
  const most = Math.max(...nodes.map(({ row }) => row)) + 1;
  const { width: nodeWidth, gap } = columnSizes(last - first + 1, available);
  const x = (column: number) => (column - first) * (nodeWidth + gap);
  const y = (row: number) => row * (HEIGHT + GAP_Y);
  const at = new Map(nodes.map((node) => [node.name, node]));
  const width = x(last) + nodeWidth;
  const height = y(most - 1) + HEIGHT;
  return (
    <>
      <p class="dim small">An add-on needs those to its left that a line leads to. A dashed line is an optional need.</p>
      <div class="scroll" ref={box} tabIndex={0} role="region" aria-label="Dependency graph">
        <svg
          width={width + 2}
          height={height + 2}
          viewBox={`-1 -1 ${width + 2} ${height + 2}`}
          role="group"
          aria-label={`Dependencies of ${middle}`}
        >
          {graph.edges.map(({ from, to, isRequired }) => {
            const [a, b] = [at.get(from), at.get(to)];
            if (a === undefined || b === undefined) return null;
            const start = { x: x(b.column) + nodeWidth, y: y(b.row) + HEIGHT / 2 };
            const end = { x: x(a.column), y: y(a.row) + HEIGHT / 2 };
            const half = (start.x + end.x) / 2;
            return (
              <path
                key={`${from} ${to}`}
                d={`M${start.x} ${start.y}C${half} ${start.y} ${half} ${end.y} ${end.x} ${end.y}`}
                class="edge"
                {...(isRequired ? {} : { 'stroke-dasharray': '4 4' })}
              />
            );
          })}
          {nodes.map(({ name, isDeclared, column, row }) => (
            <a key={name} href={formatPage({ page: 'addon', addon: name })}>
              <title>{isDeclared ? name : `${name} (missing)`}</title>
              <rect
                x={x(column)}
                y={y(row)}
                width={nodeWidth}
                height={HEIGHT}
                rx="6"
                class={`node ${name === middle ? 'middle' : ''} ${isDeclared ? '' : 'missing'}`}
              />
              <text x={x(column) + 10} y={y(row) + 20} class="node-text">
                {nodeText(name, isDeclared, Math.floor((nodeWidth - 20) / CHARACTER))}
              </text>
            </a>
          ))}
        </svg>
      </div>
    </>
  );
}
