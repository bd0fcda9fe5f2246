import type { ComponentChildren } from 'preact';
import { ROW } from '../core/outline_rows.js';

const STEP = 18;
const LEFT = 16;

export interface RailShape {
  indent: number;
  /** The levels left of the row at which a branch goes on below, and those of them that are read. */
  through: number;
  lit: number;
  flags: number;
  isOn: boolean;
  state: '' | 'here' | 'live';
  height: number;
}

/** The lines of the tree left of a row. */
export function Rail({ indent, through, lit, flags, isOn, state, height }: RailShape) {
  const x = (level: number): number => LEFT + level * STEP;
  const middle = height / 2;
  const rail = isOn ? 'rail on' : 'rail';
  const own = x(indent);
  const from = x(indent - 1);
  const passing: ComponentChildren[] = [];
  for (let level = 0; level < indent; level += 1) {
    if ((through & (1 << level)) === 0) continue;
    passing.push(<path key={level} d={`M${x(level)} 0V${height}`} class={lit & (1 << level) ? 'rail on' : 'rail'} />);
  }
  return (
    <svg class="rails" width={own + 14} height={height} aria-hidden="true">
      {passing}
      {(flags & ROW.above) !== 0 && <path d={`M${own} 0V${middle}`} class={rail} />}
      {(flags & ROW.below) !== 0 && <path d={`M${own} ${middle}V${height}`} class={rail} />}
      {(flags & ROW.aside) !== 0 && (
        <path d={`M${from} 0C${from} ${middle * 0.9} ${own - 6} ${middle} ${own} ${middle}`} class={rail} />
      )}
      <Stop x={own} y={middle} isFolded={(flags & ROW.folded) !== 0} name={`${isOn ? 'on' : ''} ${state}`} />
    </svg>
  );
}

function Stop({ x, y, isFolded, name }: { x: number; y: number; isFolded: boolean; name: string }) {
  if (!isFolded) return <circle cx={x} cy={y} r={name.endsWith('here') ? 6 : 4.5} class={`stop ${name}`} />;
  return (
    <>
      <rect x={x - 5} y={y - 5} width="10" height="10" rx="2.5" class={`stop ${name}`} />
      <path d={`M${x - 2.5} ${y}H${x + 2.5}M${x} ${y - 2.5}V${y + 2.5}`} class="plus" />
    </>
  );
}
