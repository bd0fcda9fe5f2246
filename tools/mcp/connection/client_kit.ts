import { Client } from '@modelcontextprotocol/client';

/** The official kit, in a bundle of its own: no other tool loads it. */
export function createClient(version: string): Client {
  return new Client({ name: 'cognition', version });
}
