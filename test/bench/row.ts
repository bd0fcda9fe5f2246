/** One line of the report. */
export interface Row {
  what: string;
  value: number;
  unit: '×' | 'ms' | 'KB' | 'MB' | '%';
  /** Null where a figure is only recorded. */
  budget: { most: number } | { least: number } | null;
  /** The figures that the value is computed from. */
  from: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function formatRow({ what, value, unit, budget, from }: Row): string {
  const digits = unit === '×' ? 2 : 0;
  const told = `${value.toFixed(digits)} ${unit}`;
  return [what.padEnd(52), told.padStart(9), verdict(value, budget).padEnd(16), from].join('  ').trimEnd();
}

function verdict(value: number, budget: Row['budget']): string {
  if (budget === null) return '';
  const holds = 'most' in budget ? value <= budget.most : value >= budget.least;
  const limit = 'most' in budget ? `≤ ${budget.most}` : `≥ ${budget.least}`;
  return `${holds ? 'ok  ' : 'OVER'} (${limit})`;
}
