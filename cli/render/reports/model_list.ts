import type { ResultOf } from '../../../hub/protocol/methods/method_table.js';
import type { Look } from '../look/look.js';
import { cleanLine } from '../text/clean.js';
import { columns } from '../text/columns.js';
import { formatNumber } from '../text/ids_and_counts.js';
import { formatPrice } from './cost_table.js';

type Listed = ResultOf<'agent.models'>;
type Server = Listed['servers'][number];
type Model = Server['models'][number];

/** Servers with their models, a line for each. */
export function renderModels({ servers }: Listed, look: Look): string {
  return servers.map((server) => renderServer(server, look)).join('\n');
}

function renderServer(server: Server, look: Look): string {
  const { name, address, models } = server;
  const head = [look.style.strong(name), ...(address === null ? [] : [cleanLine(address)]), stateOf(server)].join('  ');
  const rows = columns(models.map(modelCells), look).map((line) => `  ${line}`);
  return [head, ...rows, ''].join('\n');
}

function stateOf({ key, key_variable: variable, runs, to_install: line }: Server): string {
  if (line !== null) return `not installed: ${cleanLine(line)}`;
  const running = runs === null ? '' : `; it ${runs ? 'runs' : 'does not run'}`;
  switch (key) {
    case 'given':
      return `the key is there${running}`;
    case 'by_command':
      return `a command of yours prints the key${running}`;
    case 'by_sdk':
      return `signs in as you do there${running}`;
    case 'none_needed':
      return `no key is needed${running}`;
    case 'missing':
      return `no key: set ${cleanLine(variable ?? '')}${running}`;
  }
}

const SOURCES = { configuration: ' (yours)', server: ' (it says)', table: '' };

function modelCells({ model, short_names, window, window_from, price, price_from, abilities }: Model): string[] {
  const source = (from: keyof typeof SOURCES | null): string => (from === null ? '' : SOURCES[from]);
  return [
    cleanLine(model),
    short_names.join(', '),
    window === null ? 'window unknown' : `${formatNumber(window)} tokens${source(window_from)}`,
    price === null ? 'price unknown' : `$${price.input}/$${price.output}${source(price_from)}`,
    abilities === null
      ? ''
      : Object.entries(abilities)
          .flatMap(([name, has]) => (has ? [name] : []))
          .join(', '),
  ];
}

/** What came of the tiny question, in one line. */
export function renderCheck({
  model,
  duration_ms: ms,
  usage,
  price_microdollars: price,
}: ResultOf<'agent.model_check'>): string {
  const tokens =
    usage === null
      ? 'tokens not counted'
      : `${formatNumber(usage.tokens_in + usage.tokens_cache_read)} tokens in, ${formatNumber(usage.tokens_out)} out`;
  const cost = price === null ? 'price unknown' : formatPrice(price);
  return `${cleanLine(model)} answers: ${(ms / 1_000).toFixed(1)} s, ${tokens}, ${cost}`;
}
