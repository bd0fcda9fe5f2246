import { z } from 'zod';
import { ERROR_CODES } from '../hub/protocol/errors.js';
import * as events from '../hub/protocol/feed_events.js';
import {
  BATCH_MAX,
  FRAME_BYTES_MAX,
  JSON_COMMAS_MAX,
  JSON_CONTAINERS_MAX,
  JSON_DEPTH_MAX,
  PROTOCOL,
} from '../hub/protocol/limits.js';
import type { MethodSpec } from '../hub/protocol/method.js';
import { METHODS } from '../hub/protocol/methods/method_table.js';
import * as trees from '../hub/protocol/methods/tree_methods.js';
import * as turns from '../hub/protocol/methods/turn_methods.js';
import * as node from '../hub/protocol/node.js';
import * as agent from '../hub/protocol/turn.js';
import * as usage from '../hub/protocol/usage.js';
import { notation } from './notation.js';

const names = z.registry<{ id: string }>();
for (const [name, value] of Object.entries({ ...node, ...events, ...trees, ...turns, ...agent, ...usage })) {
  if (value instanceof z.ZodType && !names.has(value)) names.add(value, { id: name });
}

/** docs/protocol.md, made from the method table. */
export function protocolPage(): string {
  const specs = Object.entries<MethodSpec>(METHODS).filter(([, { access }]) => access === 'client');
  const definitions = new Map<string, z.core.JSONSchema._JSONSchema>();
  const methods = specs.map(([name, spec]) => methodText(name, spec, definitions));
  return `${[INTRODUCTION, '## Methods', ...methods, '## Types', TYPES, ...typeTexts(definitions)].join('\n\n')}\n`;
}

function methodText(name: string, spec: MethodSpec, definitions: Map<string, z.core.JSONSchema._JSONSchema>): string {
  const shape = (schema: z.ZodType, io: 'input' | 'output'): string => {
    const { $defs, ...json } = z.toJSONSchema(schema, { metadata: names, io });
    for (const [key, value] of Object.entries($defs ?? {})) definitions.set(key, value);
    return notation(json);
  };
  const parts = [`params ${shape(spec.params, 'input')}`, `result ${shape(spec.result, 'output')}`];
  if (spec.event !== null) parts.push(`event ${shape(spec.event, 'output')}`);
  const gone = spec.callerGone === 'cancel' ? '\n\nEnds when its caller goes away.' : '';
  return `### ${name}\n\n${spec.description}${gone}\n\n\`\`\`text\n${parts.join('\n')}\n\`\`\``;
}

function typeTexts(definitions: Map<string, z.core.JSONSchema._JSONSchema>): string[] {
  const sorted = [...definitions].filter(([name]) => name !== '__schema0').sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, schema]) => `### ${name}\n\n\`\`\`text\n${notation(schema)}\n\`\`\``);
}

const errorRows = Object.entries(ERROR_CODES).map(([kind, code]) => `| ${code} | \`${kind}\` |`);

const INTRODUCTION = `# The protocol of the hub

<!-- Written by \`npm run docs\` from hub/protocol; do not edit. -->

Protocol number ${PROTOCOL}. JSON-RPC 2.0 over WebSocket, one message in one text frame, on the hub's Unix socket (or on the
loopback TCP address of \`cognition hub start --listen\`, with the token as \`Authorization: Bearer …\`). Any request that
carries an \`Origin\` is refused. \`cognition hub discover\` prints the same as an OpenRPC document.

| limit | |
|---|---|
| bytes in one frame | ${FRAME_BYTES_MAX} |
| calls in one batch | ${BATCH_MAX} |
| nesting of a frame's JSON | ${JSON_DEPTH_MAX} |
| lists and objects in one frame | ${JSON_CONTAINERS_MAX} |
| commas in one frame, outside texts | ${JSON_COMMAS_MAX} |

**Handshake.** The upgrade request may carry \`x-cognition-protocol\` and \`x-cognition-version\`; the answer carries the hub's
\`x-cognition-protocol\`, \`x-cognition-version\`, \`x-cognition-epoch\` (the database's identity) and \`x-cognition-busy\`.

**Streams.** A call of a method with events carries \`stream\`, a token of the caller's choice. Until the response comes the
hub sends notifications \`stream.event {stream, seq, event}\`, with \`seq\` counting from 1.

**Retries.** Whoever creates something may choose its id. The same id with the same arguments returns the first result, with
other arguments it is a \`conflict\`. So a call whose answer was lost can be sent again.

**Sharing.** The calls of a connection are begun in their order; among connections the hub shares its time, so that a short call waits
for none of the many of another caller. A connection with 256 calls under way, or that is behind with reading, is not read until
some are answered and read. A long answer comes in several fragments of one message. A connection is closed (1008) when it has read
nothing for a second while the hub holds much for it, when it has the most of all that the hub holds for too many, or when a message
takes longer than a minute to arrive; who does not read sees the connection end without the code. An event of the feed comes before
the answer of the call that caused it, unless many watchers have many events to come.

**Lists.** A list takes \`limit\` and \`cursor\`; the \`cursor\` of its result is the start of the next page, null at the end.

**Errors.** \`error.data\` is \`{kind, hint, retryable, details}\`; the code belongs to the kind.

| code | kind |
|---|---|
${errorRows.join('\n')}`;

const TYPES =
  'A `TreeId`, a `NodeId` and a `TurnId` are UUIDs in lower case; `Json` is any JSON value. A field with `?` may be left out.';
