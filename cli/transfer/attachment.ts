import { existsSync } from 'node:fs';
import { HubError } from '../../hub/base/error.js';
import { cliCommand } from '../../hub/base/hint.js';
import { nearest } from '../../hub/base/nearest_word.js';
import type { Client } from '../../hub/client/client.js';
import { userHome } from '../../hub/config/config.js';
import type { ToolAnswer } from '../../hub/protocol/methods/tool_methods.js';
import type { NodeId, TreeId } from '../../hub/protocol/node.js';
import type { Policy } from '../../hub/protocol/policy.js';
import { quoted } from '../position/reference.js';

/** An external source to read into a conversation. */
export type Attachment =
  | { kind: 'file'; path: string }
  | { kind: 'http'; url: string }
  | { kind: 'postgres'; connection: string; sql: string };

/** How each kind is written. */
export const ATTACHMENT_FORMS = ['<path>', 'file:<path>', 'http://…', 'https://…', 'postgres:<name>:<sql>'] as const;

const KINDS = ['file', 'http', 'https', 'postgres'];
const FORMS_HINT = `attach takes ${ATTACHMENT_FORMS.join(', ')}`;

/** Parses an attachment argument; an unknown kind is refused with the nearest valid form. */
export function attachmentFrom(text: string): Attachment {
  const [, kind = '', rest = ''] = /^([a-z][a-z0-9+-]*):(.*)$/is.exec(text) ?? [];
  switch (kind.toLowerCase()) {
    case 'file':
      return fileFrom(rest);
    case 'http':
    case 'https':
      return { kind: 'http', url: urlFrom(text, rest) };
    case 'postgres':
      return queryFrom(rest);
    default:
      // Whatever has a colon in it and is no file is a slip in the kind.
      if (text !== '' && (kind === '' || existsSync(text))) return fileFrom(text);
      throw unknownKind(text, kind);
  }
}

function fileFrom(text: string): Attachment {
  const path = text.replace(/^\/\/(?=\/)/, '').replace(/^~(?=\/|$)/, userHome());
  if (path !== '') return { kind: 'file', path };
  throw new HubError('invalid_params', 'file: names no file', { hint: [cliCommand('attach', '@', 'file:notes.txt')] });
}

/** `http:` before a whole address only names the kind. */
function urlFrom(text: string, rest: string): string {
  if (rest.startsWith('//')) return text;
  if (/^https?:\/\//i.test(rest)) return rest;
  if (rest !== '') return `http://${rest}`;
  throw new HubError('invalid_params', `${quoted(text)} names no page`, {
    hint: [cliCommand('attach', '@', 'https://example.org/page')],
  });
}

function queryFrom(rest: string): Attachment {
  const [, connection = '', sql = ''] = /^([^:]*):(.*)$/s.exec(rest) ?? [];
  if (connection !== '' && sql.trim() !== '') return { kind: 'postgres', connection, sql };
  throw new HubError('invalid_params', 'a query is written postgres:<name>:<sql>', {
    hint: [cliCommand('attach', '@', '"postgres:orders:SELECT count(*) FROM orders"')],
  });
}

function unknownKind(text: string, kind: string): HubError {
  if (kind === 'bash') {
    return new HubError('invalid_params', 'attach runs no commands', { hint: [cliCommand('exec', '@', '"ls"')] });
  }
  const near = kind === '' ? null : nearest(kind, KINDS);
  return new HubError('invalid_params', `attach knows no ${quoted(kind === '' ? text : `${kind}:`)}`, {
    hint: near === null ? FORMS_HINT : `did you mean ${near}:? ${FORMS_HINT}`,
  });
}

// A person attaches what they could read themselves.
const policy: Policy = { kind: 'open' };

/** Reads it and appends it after a node. */
export function attach(
  client: Client,
  attachment: Attachment,
  { project, ...place }: { tree: TreeId; node: NodeId; project: string },
): Promise<ToolAnswer> {
  const params = { place, append: true, policy };
  switch (attachment.kind) {
    case 'file':
      return client.call('file.read', {
        ...params,
        path: attachment.path,
        cwd: process.cwd(),
        limit: null,
        inside: project,
      });
    case 'http':
      return client.call('http.fetch', { ...params, url: attachment.url });
    case 'postgres': {
      const { connection, sql } = attachment;
      return client.call('postgres.query', { ...params, connection, sql });
    }
  }
}
