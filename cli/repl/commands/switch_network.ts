import type { Repl } from '../repl.js';

/** Grants the network to the next turns, or takes it back; resolves with a word about it. */
export function switchNetwork({ turnOptions, front }: Repl): string {
  const network = !turnOptions.grants.network;
  turnOptions.grants = { ...turnOptions.grants, network };
  front.update({ network });
  return network ? 'From the next turn on its commands may use the network.' : 'The next turns have no network.';
}
